/** `outrigger probe`: whether the health file of a server is fresh, as Istio's injector had it. */

import { formatDuration, parseDuration } from "../go/time.ts";
import { defineCommand, UsageError } from "./command.ts";

/** How late the file may be beyond the interval, since writing takes time too. */
const GRACE_MS = 10;

export const probe = defineCommand({
  name: "probe",
  summary: "say whether the health file of outrigger serve is fresh",
  usage: "--probe-path FILE --interval TIME",
  flags: [
    {
      name: "probe-path",
      type: "string",
      value: "FILE",
      description: "the health file",
    },
    {
      name: "interval",
      type: "string",
      value: "TIME",
      description: "how old it may be, as in 4s",
    },
  ],
  positionals: [],
  examples: [
    {
      line: "outrigger probe --probe-path=/health --interval=4s",
      note: "for a server with --healthCheckFile=/health --healthCheckInterval=2s",
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

/** A moment as Go prints it, in UTC. */
function goTime(milliseconds: number): string {
  const [date, time] = new Date(milliseconds).toISOString().split("T");
  return `${date} ${time.replace("Z", "").replace(/\.?0*$/, "")} +0000 UTC`;
}
