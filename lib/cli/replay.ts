/** `outrigger replay`: shows how another config would change the patches of recorded pods. */

import { type RecordedConfig, Replay, type ReplayResult } from "../compare/mod.ts";
import { equalJson } from "../data/json.ts";
import type { Host } from "../host/mod.ts";
import type { EngineSources } from "../inject/mod.ts";
import { changeLines, groupTitle } from "./_change_text.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { Progress } from "./_progress.ts";
import { readRecording, recordingFiles } from "./_replay_files.ts";
import { STRUCTURE_GUARD_FLAG } from "./_engine_flags.ts";
import { createReplayPairs, type Replacement } from "./_replay_injectors.ts";
import { painter } from "./_terminal.ts";
import { defineCommand, UsageError } from "./command.ts";

/** Has no default: without the flag, the recorded mode applies. */
const { default: _, env: __, ...STRUCTURE_GUARD } = STRUCTURE_GUARD_FLAG;

/** The exit code if patches differ, as distinct from a failure. */
const DIFFERENT = 3;

function file<const N extends string>(name: N, description: string) {
  return { name, type: "string", value: "FILE", description } as const;
}

export const replay = defineCommand({
  name: "replay",
  summary: "show how another config would change recorded injections",
  usage: "DIR --config FILE [flags]",
  description:
    "Injects every pod of a recording (made by outrigger serve --record DIR) twice: with the " +
    "recorded configuration, and with the given files in its place. Prints the differences, " +
    "grouping pods with the same changes. Everything that no flag replaces is as recorded. Works " +
    "offline.\n\n" +
    "Exit codes: 0 no changes, 3 changes, 1 failed, 2 wrong usage.",
  flags: [
    file("config", "injection config to try"),
    file("values", "values to try"),
    file("mesh", "mesh config to try"),
    file("against", "injection config to compare with; if not set, the recorded one"),
    file("against-values", "values to compare with; if not set, the recorded ones"),
    file("against-mesh", "mesh config to compare with; if not set, the recorded one"),
    {
      ...STRUCTURE_GUARD,
      description: "structure guard mode to try; if not set, the recorded one",
    },
    OUTPUT_FLAG,
  ],
  positionals: [{ name: "DIR", description: "directory of the recording, or one of its files" }],
  examples: [
    {
      line: "outrigger replay recording/ --config new.yaml",
      note: "try a new config: new.yaml changes 37 of 412 patches",
    },
    {
      line: "outrigger replay recording/ --values new-values.yaml -o json",
      note: "try other values, and print JSON",
    },
    {
      line: "outrigger replay recording/ --against old.yaml --config new.yaml",
      note: "compare two configs with each other",
    },
  ],
  async run({ flags, positionals: [directory] }, host) {
    const structureGuard = flags["structure-guard"];
    const after = {
      ...await replacement([flags.config, flags.values, flags.mesh], host),
      structureGuard,
    };
    if (after.files.length === 0 && structureGuard === undefined) {
      throw new UsageError(
        "Specify at least one of --config, --values, --mesh and --structure-guard. " +
          'Run "outrigger help replay"',
      );
    }
    const before = await replacement(
      [flags.against, flags["against-values"], flags["against-mesh"]],
      host,
    );
    const files = await recordingFiles(directory, host);
    const { result, badLines } = await replayAll({ files, before, after }, host);
    for (const line of badLines) await host.stderr.write(`warning: ${line}\n`);
    if (result.reviews === 0) {
      throw new Error(`Cannot replay ${JSON.stringify(directory)}: it contains no reviews`);
    }
    const changing = { files: after.files, host };
    await printResult(
      { text: () => report(result, changing), value: { ...result, unreadable: badLines } },
      { host, format: flags.output },
    );
    return result.changed === 0 ? 0 : DIFFERENT;
  },
});

const TEXTS = ["config", "values", "mesh"] as const satisfies (keyof EngineSources)[];

async function replacement(
  paths: readonly (string | undefined)[],
  host: Host,
): Promise<Replacement> {
  const texts: Partial<Record<keyof EngineSources, string>> = {};
  const files: string[] = [];
  for (const [index, path] of paths.entries()) {
    if (!path) continue;
    texts[TEXTS[index]] = await host.readText(path);
    files.push(path);
  }
  return { texts, files };
}

interface Job {
  readonly files: readonly string[];
  readonly before: Replacement;
  readonly after: Replacement;
}

async function replayAll(
  { files, before, after }: Job,
  host: Host,
): Promise<{ result: ReplayResult; badLines: string[] }> {
  const pairFor = createReplayPairs({ before, after }, host);
  const replay = new Replay();
  const badLines: string[] = [];
  let total = 0;
  // Count first, so that progress can show a total; reading is a hundredth of the work.
  for await (const _ of readRecording(files, host)) total++;
  const progress = new Progress(host, { total, what: "reviews" });
  /** Each file contains a configuration before the first review that it answered. */
  const configs = new Map<string, RecordedConfig>();
  for await (const { file, number, line } of readRecording(files, host)) {
    const at = `${JSON.stringify(file)}, line ${number}`;
    if (line instanceof Error) {
      badLines.push(`skipped ${at}: ${line.message}`);
    } else if ("config" in line) {
      const known = configs.get(line.config.version);
      // Keep the known object if it is equal, since injectors are cached by identity.
      if (!equalJson(known, line.config)) configs.set(line.config.version, line.config);
    } else {
      const config = configs.get(line.review.config);
      if (config === undefined) {
        badLines.push(`skipped ${at}: the recording does not contain its configuration`);
      } else replay.add(line.review, pairFor(config));
    }
    await progress.add();
  }
  await progress.finish();
  return { result: replay.result(), badLines };
}

function report(
  { reviews, changed, groups, notReproduced }: ReplayResult,
  { files, host }: { files: readonly string[]; host: Host },
): string {
  const paint = painter(host);
  const what = files.length === 1 ? files[0] : "the new configuration";
  const title = paint("bold", `${what} changes ${changed} of ${reviews} patches`);
  const parts = groups.map((group) =>
    `\n${groupTitle(group, "pod")}\n${changeLines(group.changes, paint)}`
  );
  const unsure = notReproduced.length === 0
    ? ""
    : `\n${notReproduced.length} of ${reviews} recorded decisions cannot be reproduced, because ` +
      "templates read redacted fields or data outside the recording: " +
      `${notReproduced.slice(0, 3).join(", ")}${notReproduced.length > 3 ? ", …" : ""}\n`;
  return `${title}\n${parts.join("")}${unsure}`;
}
