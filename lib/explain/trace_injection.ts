/**
 * Injects manifests as the `inject` command does and returns, for each workload, the result, the
 * patch and the origin of every injected part.
 */
import { parseInjectionConfig } from "../config/mod.ts";
import { stringifyYaml, yamlPlaces } from "../yaml/mod.ts";
import {
  createInjector,
  type EngineSources,
  type InjectedDocument,
  type InjectorSettings,
  type KubeInjectOptions,
  placeOf,
  podOf,
  type WorkloadObject,
  type WorkloadResult,
} from "../inject/mod.ts";
import { createPatch, type Operation } from "../patch/mod.ts";
import { type Path, pointerOf } from "./_pod_nodes.ts";
import { type PodRecord, Recording } from "./_recording.ts";
import { type Provenance, provenanceOf } from "./provenance.ts";

export type { NamedSource, SourceKind } from "./named_source.ts";
export type { ProvenanceStage } from "./_stages.ts";
export type { Provenance, TemplateSpot } from "./provenance.ts";

export interface TracedWorkload extends WorkloadResult {
  /** The patch from the object as decoded to the result. */
  readonly patch: readonly TracedOperation[];
  /**
   * One entry for each scalar that was added, changed or removed; paths start at the whole object.
   */
  readonly provenance: readonly Provenance[];
}

export type TracedOperation = Operation & {
  /** The entries' indexes in the workload's `provenance`. */
  readonly provenance: readonly number[];
};

export interface TracedDocument extends Omit<InjectedDocument, "results"> {
  readonly results: readonly TracedWorkload[];
}

export interface TraceRequest extends KubeInjectOptions {
  /** A YAML stream. */
  readonly text: string;
  readonly sources: EngineSources;
}

/**
 * Injects a YAML stream, one document at a time. Throws the injector's errors: a ConfigError or
 * TemplateError for its config, a KubeInjectError for the first document that fails.
 *
 * @example
 * ```ts
 * const [{ results: [{ provenance }] }] = [...traceInjection({ text, sources }, { sprig })];
 * provenance[0].spot; // { template: "sidecar", line: 12, column: 9, … }
 * ```
 */
export function* traceInjection(
  { text, sources, ...settings }: TraceRequest,
  options: InjectorSettings,
): Generator<TracedDocument> {
  const recording = new Recording();
  const injector = createInjector(sources, { ...options, trace: recording.trace });
  const { isLegacy } = injector;
  const config = parseInjectionConfig(sources.config);
  const texts = isLegacy ? { "": config.legacyTemplate ?? "" } : config.templates;
  for (const document of injector.kubeInjectDocuments(text, settings)) {
    // Only injected workloads reach their first stage.
    const records = recording.pods.splice(0);
    const injected = document.results.filter(({ decision }) => decision.inject);
    const results = document.results.map((result) => {
      const record = records[injected.indexOf(result)];
      return traced(result, record, { recording, texts, isLegacy });
    });
    yield { ...document, results };
  }
}

function traced(
  result: WorkloadResult,
  record: PodRecord | undefined,
  options: { recording: Recording; texts: Readonly<Record<string, string>>; isLegacy: boolean },
): TracedWorkload {
  const { before, after } = result;
  if (record === undefined) return { ...result, patch: [], provenance: [] };
  const provenance = provenanceOf({ before: podOf(before), after: podOf(after) }, {
    ...options,
    record,
  }).map((entry) => ({ ...entry, path: objectPath(after, entry.path) }));
  const patch = createPatch(before, after).map((operation) => ({
    ...operation,
    provenance: entriesOf(operation, provenance),
  }));
  return { ...result, patch, provenance };
}

/** Returns the path of a pod's part in the object that contains the pod. */
function objectPath(object: WorkloadObject, [part, ...rest]: Path): Path {
  const place = placeOf(object);
  return part === "metadata" || part === "spec" ? [...place[part], ...rest] : [part, ...rest];
}

/**
 * Links entries to operations: added and replaced values by their final path, removed ones by the
 * original path.
 */
function entriesOf(operation: Operation, provenance: readonly Provenance[]): number[] {
  const found: number[] = [];
  for (const [i, { path, change }] of provenance.entries()) {
    if ((operation.op === "remove") !== (change === "removed")) continue;
    const pointer = pointerOf(path);
    if (pointer === operation.path || pointer.startsWith(`${operation.path}/`)) found.push(i);
  }
  return found;
}

export interface AnnotatedLine {
  readonly text: string;
  /** Present if the line, or the value that begins on it, was injected. */
  readonly provenance?: Provenance;
}

/** Formats the injected object as YAML lines, each with its origin. */
export function annotatedLines({ after, provenance }: TracedWorkload): AnnotatedLine[] {
  const text = stringifyYaml(after);
  const byPath = new Map(
    provenance.filter(({ change }) => change !== "removed")
      .map((entry) => [entry.path.join("\0"), entry]),
  );
  const lines = text.replace(/\n$/, "").split("\n");
  const owners: (Provenance | undefined)[] = lines.map(() => undefined);
  const lineOf = lineFinder(text);
  for (const { path, start, end, keyStart } of yamlPlaces(text)) {
    const entry = byPath.get(path.join("\0"));
    if (entry === undefined) continue;
    const last = lineOf(Math.max(end - 1, start));
    for (let line = lineOf(keyStart); line <= last; line++) owners[line] = entry;
  }
  return lines.map((line, i) => {
    const entry = owners[i];
    return entry === undefined ? { text: line } : { text: line, provenance: entry };
  });
}

/** Returns a function from an offset to its line number, counted from 0. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low;
  };
}
