/** `outrigger uninject`: removes from manifests what an injection added. */

import { visible } from "../data/visible.ts";
import { joinDocuments } from "../inject/mod.ts";
import { createUninjector, type UninjectedWorkload } from "../explain/mod.ts";
import { ENGINE_FLAGS } from "./_engine_flags.ts";
import { loadSources } from "./_inject_engine.ts";
import { readInputs } from "./_inject_inputs.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { defineCommand, UsageError } from "./command.ts";

export const uninject = defineCommand({
  name: "uninject",
  summary: "remove from manifests what an injection added",
  usage: "-f FILE|DIR|- [flags]",
  description:
    "Prints manifests without the sidecar and everything that was injected with it: containers, " +
    "volumes, probes, labels and annotations. Everything else is printed unchanged.\n\n" +
    "The pod and the config that it was injected with determine what to remove; by default, that is " +
    "the built-in config. To check the result, injects it again. Differences, and everything that " +
    "cannot be determined for certain, are printed as warnings on standard error and do not change " +
    "the exit code. If you have the original manifest, compare the result with it.",
  flags: [
    {
      name: "filename",
      short: "f",
      type: "string",
      value: "FILE",
      description:
        "manifests: a file, a directory (.yaml, .yml and .json), or - for standard input",
    },
    {
      ...OUTPUT_FLAG,
      description: "manifests (text), or a report on each workload",
    },
    ...ENGINE_FLAGS,
  ],
  positionals: [],
  examples: [
    { line: "outrigger uninject -f injected.yaml", note: "restore the original manifest" },
    {
      line: "kubectl get deployment cart -o yaml | outrigger uninject -f - --context kind-kind",
      note: "use the config of the cluster that injected it",
    },
  ],
  async run({ flags }, host) {
    if (!flags.filename) throw new UsageError("filename not specified (see --filename or -f)");
    const notes: string[] = [];
    const loaded = await loadSources(flags, { host, warn: () => {}, command: "uninject" });
    const { uninject } = loaded.blamed(() => createUninjector(loaded.sources, loaded.settings));
    const inputs = await readInputs(flags.filename, host);
    const workloads: { file: string; result: UninjectedWorkload }[] = [];
    let text = "";
    for (const { name, text: input } of inputs) {
      for (const { output, results } of uninject(input, { name, cluster: loaded.cluster })) {
        text += joinDocuments([output]);
        workloads.push(...results.map((result) => ({ file: name, result })));
      }
    }
    for (const { file, result } of workloads) notes.push(...notesOf(file, result));
    await printResult({
      text: () => text,
      value: {
        workloads: workloads.map(({ file, result: { before: _, after, ...result } }) => ({
          file,
          ...result,
          object: after,
        })),
      },
    }, { host, format: flags.output });
    for (const note of notes) await host.stderr.write(visible(`warning: ${note}\n`));
    await host.stderr.write(`${summaryOf(workloads.map(({ result }) => result))}\n`);
    return 0;
  },
});

/** The number of differences to list; for more, a diff is clearer. */
const SHOWN = 3;

function notesOf(file: string, result: UninjectedWorkload): string[] {
  const { workload, roundTrips, differences, notes } = result;
  const where = `${JSON.stringify(file)}, ${workload}: `;
  const told = notes.map((note) => where + note);
  if (roundTrips !== false || differences.length === 0) return told;
  const shown = differences.slice(0, SHOWN).join(", ");
  const more = differences.length > SHOWN ? ` and ${differences.length - SHOWN} more` : "";
  return [
    ...told,
    `${where}injecting the result again with this config gives a different pod (${shown}${more}); ` +
    "perhaps it was injected with another config",
  ];
}

/** Formats a summary such as `2 uninjected, 1 unchanged`. */
function summaryOf(results: readonly UninjectedWorkload[]): string {
  const done = results.filter(({ wasInjected }) => wasInjected);
  const unsure = done.filter(({ roundTrips }) => !roundTrips).length;
  const parts = [
    `${done.length} uninjected${unsure === 0 ? "" : ` (${unsure} different if injected again)`}`,
    ...(done.length === results.length ? [] : [`${results.length - done.length} unchanged`]),
  ];
  return results.length === 0 ? "nothing to uninject" : parts.join(", ");
}
