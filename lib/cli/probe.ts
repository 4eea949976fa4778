/** `outrigger probe`: checks that the health file of a server is fresh, like the probe of Istio's injector. */

import { formatDuration, parseDuration } from "../go/time.ts";
import { defineCommand, UsageError } from "./command.ts";

/** The grace period beyond the interval, since writing the file takes time. */
const GRACE_MS = 10;

export const probe = defineCommand({
  name: "probe",
  summary: "check whether the health file of outrigger serve is fresh",
  usage: "--probe-path FILE --interval TIME",
  flags: [
    {
      name: "probe-path",
      type: "string",
      value: "FILE",
      description: "path of the health file",
    },
    {
      name: "interval",
      type: "string",
      value: "TIME",
      description: "maximum age of the file, such as 4s",
    },
  ],
  positionals: [],
  examples: [
    {
      line: "outrigger probe --probe-path=/health --interval=4s",
      note: "check a server that runs with --healthCheckFile=/health --healthCheckInterval=2s",
    },
  ],
  async run({ flags }, host) {
    const path = flags["probe-path"];
    const interval = parseInterval(flags.interval);
    if (!path || interval <= 0n) throw new UsageError("some options are not valid");
    const fail = async (reason: string) => {
      await host.stderr.write(`fail on inspecting path ${path}: ${reason}\n`);
      return 1;
    };
    const info = await host.stat(path);
    if (info === undefined) return await fail(`stat ${path}: no such file or directory`);
    if (host.now() - info.modified > Number(interval / 1_000_000n) + GRACE_MS) {
      return await fail(
        `file ${path} is too old (last modified time ${goTime(info.modified)}, ` +
          `should be within ${formatDuration(interval)})`,
      );
    }
    await host.stdout.write("OK\n");
    return 0;
  },
});

function parseInterval(text: string | undefined): bigint {
  try {
    return parseDuration(text ?? "");
  } catch {
    return 0n;
  }
}

/** Formats a time as Go does, in UTC. */
function goTime(milliseconds: number): string {
  const [date, time] = new Date(milliseconds).toISOString().split("T");
  return `${date} ${time.replace("Z", "").replace(/\.?0*$/, "")} +0000 UTC`;
}
