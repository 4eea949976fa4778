/** `outrigger replay`: what another configuration would do to the pods of a recording. */

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

/** Without a default: what is not named is as recorded. */
const { default: _, env: __, ...STRUCTURE_GUARD } = STRUCTURE_GUARD_FLAG;

/** The code of a comparison that found differences; 1 is for one that could not be made. */
const DIFFERENT = 3;

function file<const N extends string>(name: N, description: string) {
  return { name, type: "string", value: "FILE", description } as const;
}

export const replay = defineCommand({
  name: "replay",
  summary: "say what another config would change for recorded reviews",
  usage: "DIR --config FILE [flags]",
  description: "Injects every pod of a recording (made by outrigger serve --record DIR) twice, " +
    "with the configuration that was recorded with it and with the files of the flags in its " +
    "place, and prints what would be different, pods with the same changes together. Works " +
    "offline. What no flag names is as recorded.\n\n" +
    "Exit codes: 0 nothing would change, 3 something would, 1 failed, 2 wrong usage.",
  flags: [
    file("config", "injection config to try"),
    file("values", "values to try"),
    file("mesh", "mesh config to try"),
    file("against", "injection config to compare with, instead of the recorded one"),
    file("against-values", "values to compare with"),
    file("against-mesh", "mesh config to compare with"),
    { ...STRUCTURE_GUARD, description: "structure guard to try, instead of the recorded one" },
    OUTPUT_FLAG,
  ],
  positionals: [{ name: "DIR", description: "the recording, or one file of it" }],
  examples: [
    {
      line: "outrigger replay recording/ --config new.yaml",
      note: "as in: new config changes 37 of 412 patches",
    },
    {
      line: "outrigger replay recording/ --values new-values.yaml -o json",
      note: "other values, for programs",
    },
    {
      line: "outrigger replay recording/ --against old.yaml --config new.yaml",
      note: "two configs, neither of them the recorded one",
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
        "Nothing to try: --config, --values, --mesh or --structure-guard names it. " +
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
      throw new Error(`Cannot replay ${JSON.stringify(directory)}: there is no review in it`);
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
  // Read twice, so that progress has an end; reading is a hundredth of the work.
  for await (const _ of readRecording(files, host)) total++;
  const progress = new Progress(host, { total, what: "reviews" });
  /** Configurations come before the reviews that they answered, in each file anew. */
  const configs = new Map<string, RecordedConfig>();
  for await (const { file, number, line } of readRecording(files, host)) {
    const at = `${JSON.stringify(file)}, line ${number}`;
    if (line instanceof Error) {
      badLines.push(`${at} is passed over: ${line.message}`);
    } else if ("config" in line) {
      const known = configs.get(line.config.version);
      // The same one again stays the same, with the injectors that are made of it.
      if (!equalJson(known, line.config)) configs.set(line.config.version, line.config);
    } else {
      const config = configs.get(line.review.config);
      if (config === undefined) {
        badLines.push(`${at} is passed over: its configuration is not in the recording`);
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
    : `\n${notReproduced.length} of ${reviews} are decided otherwise than they were recorded, ` +
      "since templates read what is redacted or what is not in the recording: " +
      `${notReproduced.slice(0, 3).join(", ")}${notReproduced.length > 3 ? ", …" : ""}\n`;
  return `${title}\n${parts.join("")}${unsure}`;
}
