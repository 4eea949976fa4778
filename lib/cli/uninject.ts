/** `outrigger uninject`: manifests in, the same manifests out without what an injection put into them. */

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
  summary: "take out of manifests what an injection put into them",
  usage: "-f FILE|DIR|- [flags]",
  description:
    "Prints manifests with the sidecar and all that came with it taken out: containers, " +
    "volumes, probes, labels and annotations. Everything else passes through as it is.\n\n" +
    "What was put in is told by the pod itself and by the config that it was injected with; without " +
    "flags that is what ships here. The result is injected once more to check it: what does not come " +
    "out the same, or can't be known for certain, is told on standard error, and then the exit code is " +
    "still 0. Compare with the source, if there is one.",
  flags: [
    {
      name: "filename",
      short: "f",
      type: "string",
      value: "FILE",
      description:
        "manifests: a file, a directory's .yaml, .yml and .json files, or - for standard input",
    },
    {
      ...OUTPUT_FLAG,
      description: "manifests (text), or what was done to each workload as data",
    },
    ...ENGINE_FLAGS,
  ],
  positionals: [],
  examples: [
    { line: "outrigger uninject -f injected.yaml", note: "as it was before" },
    {
      line: "kubectl get deployment cart -o yaml | outrigger uninject -f - --context kind-kind",
      note: "by the config of the cluster that injected it",
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

/** More differences are better looked at with a diff. */
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
    `${where}injected again with this config it differs at ${shown}${more}; is it the config that it ` +
    "was injected with?",
  ];
}

/** As in `2 uninjected, 1 left as it was`. */
function summaryOf(results: readonly UninjectedWorkload[]): string {
  const done = results.filter(({ wasInjected }) => wasInjected);
  const unsure = done.filter(({ roundTrips }) => !roundTrips).length;
  const parts = [
    `${done.length} uninjected${
      unsure === 0 ? "" : ` (${unsure} not the same when injected again)`
    }`,
    ...(done.length === results.length ? [] : [`${results.length - done.length} left as it was`]),
  ];
  return results.length === 0 ? "nothing to uninject" : parts.join(", ");
}
