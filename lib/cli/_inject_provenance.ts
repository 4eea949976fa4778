/** `outrigger inject --provenance`: prints the result with the origin of each injected line. */

import { visible } from "../data/visible.ts";
import {
  annotatedLines,
  KIND_WORDS,
  type NamedSource,
  type Provenance,
  type TracedWorkload,
  traceInjection,
} from "../explain/mod.ts";
import type { Host } from "../host/mod.ts";
import { KubeInjectError } from "../inject/mod.ts";
import type { LoadedSources } from "./_inject_engine.ts";
import type { Input } from "./_inject_inputs.ts";
import type { Report } from "./_inject_report.ts";
import { orList } from "../flags/mod.ts";
import { OUTPUT_FLAG, type OutputFormat, printResult } from "./_output.ts";
import { type Paint, painter } from "./_terminal.ts";
import { UsageError } from "./command.ts";

/** Parses --output, which is a format if --provenance is set. */
export function provenanceFormat(output: string | undefined): OutputFormat {
  const format = OUTPUT_FLAG.choices.find((choice) => choice === (output ?? "text"));
  if (format !== undefined) return format;
  throw new UsageError(
    `With --provenance, flag "--output" expects ${orList(OUTPUT_FLAG.choices)}, ` +
      `got ${JSON.stringify(output)}. Run "outrigger help inject"`,
  );
}

export async function printProvenance(
  inputs: readonly Input[],
  loaded: LoadedSources,
  { host, report, format }: { host: Host; report: Report; format: OutputFormat },
): Promise<void> {
  const workloads: { file: string; traced: TracedWorkload }[] = [];
  const { sources, cluster } = loaded;
  try {
    for (const { name, text } of inputs) {
      for (const document of traceInjection({ text, sources, name, cluster }, loaded.settings)) {
        workloads.push(...document.results.map((traced) => ({ file: name, traced })));
        await report.add(name, document);
      }
    }
  } catch (error) {
    if (error instanceof KubeInjectError) throw error;
    loaded.blamed(() => {
      throw error;
    });
  }
  const paint = painter(host);
  await printResult({
    text: () => workloads.map(({ traced }) => annotatedText(traced, paint)).join("---\n"),
    value: {
      workloads: workloads.map(({ file, traced: { workload, decision, patch, provenance } }) => ({
        file,
        workload,
        decision,
        patch,
        provenance,
      })),
    },
  }, { host, format });
}

/** The column that comments are aligned to. */
const COLUMN = 60;

/** Formats the result as YAML, with the origin of each line in a comment. */
function annotatedText(traced: TracedWorkload, paint: Paint): string {
  const lines = annotatedLines(traced);
  return lines.map(({ text, provenance }, i) => {
    if (provenance === undefined) return `${visible(text)}\n`;
    // In a multi-line scalar, only the header of a block scalar can carry a comment.
    const isFirst = lines[i - 1]?.provenance !== provenance;
    const isOnly = lines[i + 1]?.provenance !== provenance;
    const shown = paint("green", visible(text));
    if (!isFirst) return `${shown}\n`;
    const comment = paint("dim", `# ${visible(provenanceText(provenance)).replaceAll("\n", " ")}`);
    const hasRoom = isOnly || /[|>][-+]?\d?$/.test(text);
    const indent = /^ */.exec(text)![0];
    if (!hasRoom) return `${indent}${comment}\n${shown}\n`;
    return `${shown}${" ".repeat(Math.max(COLUMN - text.length, 1))}${comment}\n`;
  }).join("");
}

/** Formats an origin, such as `sidecar:204:15 from values global.hub=docker.io/istio`. */
function provenanceText({ stage, note, spot, sources }: Provenance): string {
  const made = sources.filter(({ isSet, value }) => isSet && value !== "").map(sourceText);
  const from = made.length === 0 ? "" : ` from ${made.join(", ")}`;
  if (spot === undefined) {
    return `${stage.replaceAll("_", " ")}${from || `: ${note ?? "a template"}`}`;
  }
  const name = spot.template || "template";
  return `${name}:${spot.line}:${spot.column}${from}`;
}

function sourceText({ kind, name, value }: NamedSource): string {
  const what = [KIND_WORDS[kind], name].filter((part) => part !== "").join(" ");
  return value === undefined ? what : `${what}=${value}`;
}
