/**
 * Traces each injected part of a pod to its origin: the template position, the data it reads and
 * the branches around it, or the injector's stage if no template wrote it. It observes a real
 * injection, and compares the pod before and after each stage.
 */
import { isMap } from "../data/map.ts";
import { parseYaml, type YamlPlace, yamlPlaces } from "../yaml/mod.ts";
import { placeAt, printNode } from "../go/template/mod.ts";
import { type NamedSource, namedSources } from "./named_source.ts";
import { parentId, type Path, type PodNode, podNodes, specNodes } from "./_pod_nodes.ts";
import type { PodRecord, Recording, Rendering, Segment } from "./_recording.ts";
import { legacyStage, type ProvenanceStage, STAGE_NOTES, stageSources } from "./_stages.ts";

/** A position in a template; lines and columns start at 1. */
export interface TemplateSpot {
  /** The template's name; "" for the template of a legacy config. */
  readonly template: string;
  readonly line: number;
  readonly column: number;
  /** The action that wrote the value; absent for literal text. */
  readonly action?: string;
  /** The branches around it, outermost first. */
  readonly branches: readonly { readonly text: string; readonly line: number }[];
}

export interface Provenance {
  /** The location in the pod after injection; for removed parts, before. */
  readonly path: Path;
  readonly change: "added" | "changed" | "removed";
  readonly stage: ProvenanceStage;
  /** What the stage does, if it is not a template. */
  readonly note?: string;
  readonly spot?: TemplateSpot;
  /** The data that the value was made from. */
  readonly sources: readonly NamedSource[];
}

export interface ProvenanceOptions {
  readonly recording: Recording;
  readonly record: PodRecord;
  /** Template texts by name. */
  readonly texts: Readonly<Record<string, string>>;
  readonly isLegacy: boolean;
}

/**
 * Returns an entry for each leaf that injection added, changed or removed, in the order of the pod.
 */
export function provenanceOf(
  { before, after }: { before: unknown; after: unknown },
  options: ProvenanceOptions,
): Provenance[] {
  const { record, isLegacy } = options;
  const old = podNodes(before);
  const now = podNodes(after);
  const overlays = record.renderings.map((rendering) => overlayOf(rendering, isLegacy));
  const stages = isLegacy ? [] : snapshotsOf(record);
  const found: Provenance[] = [];
  const tell = (node: PodNode, change: Provenance["change"]) => {
    const stage = isLegacy
      ? { stage: legacyStage(node, { isRendered: overlays[0]?.has(node.id) ?? false }), index: 0 }
      : stageOf(node.id, stages);
    found.push({ path: node.path, change, ...describe(node, { ...stage, overlays }, options) });
  };
  for (const node of now.values()) {
    if (!node.isLeaf) continue;
    const was = old.get(node.id);
    if (was === undefined || !was.isLeaf) tell(node, "added");
    else if (!isSame(was.value, node.value)) tell(node, "changed");
  }
  for (const node of old.values()) {
    if (node.isLeaf && !now.has(node.id)) tell(node, "removed");
  }
  return found;
}

interface Snapshot {
  readonly stage: ProvenanceStage;
  /** The template of a template stage. */
  readonly index: number;
  readonly nodes: ReadonlyMap<string, PodNode>;
}

function snapshotsOf({ stages }: PodRecord): Snapshot[] {
  let templates = 0;
  const snapshots: Snapshot[] = [];
  for (const { stage, pod } of stages) {
    const index = stage === "template" ? templates++ : 0;
    snapshots.push({ stage, index, nodes: podNodes(pod) });
  }
  return snapshots;
}

/** Returns the stage that set a node's final value. */
function stageOf(
  id: string,
  snapshots: readonly Snapshot[],
): { stage: ProvenanceStage; index: number } {
  for (let i = snapshots.length - 1; i > 0; i--) {
    const [was, is] = [snapshots[i - 1].nodes.get(id), snapshots[i].nodes.get(id)];
    if ((was === undefined) !== (is === undefined)) return snapshots[i];
    if (was !== undefined && is !== undefined && !isSame(was.value, is.value)) return snapshots[i];
  }
  // A difference that no stage made comes from decoding and encoding the pod.
  return { stage: "typed", index: 0 };
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Locates the parts of a pod in a rendered text, by their stable names. */
type Overlay = ReadonlyMap<string, YamlPlace>;

function overlayOf({ text }: Rendering, isLegacy: boolean): Overlay {
  let overlay: unknown;
  try {
    overlay = parseYaml(text);
  } catch {
    return new Map();
  }
  if (!isMap(overlay)) return new Map();
  const places = new Map(yamlPlaces(text).map((place) => [place.path.join("\0"), place]));
  const found = new Map<string, YamlPlace>();
  const nodes = isLegacy ? specNodes(overlay) : podNodes(overlay);
  for (const { id, path } of nodes.values()) {
    const place = places.get(path.join("\0"));
    if (place !== undefined) found.set(id, place);
  }
  if (isLegacy) {
    const redirect = places.get("podRedirectAnnot");
    if (redirect !== undefined) found.set("metadata\0annotations", redirect);
  }
  return found;
}

/** Returns the place of a node, or of its nearest located parent. */
function placeIn(overlay: Overlay, id: string): YamlPlace | undefined {
  for (let at = id; at !== ""; at = parentId(at)) {
    const place = overlay.get(at);
    if (place !== undefined) return place;
  }
  return undefined;
}

function describe(
  node: PodNode,
  { stage, index, overlays }: {
    stage: ProvenanceStage;
    index: number;
    overlays: readonly Overlay[];
  },
  options: ProvenanceOptions,
): Pick<Provenance, "stage" | "note" | "spot" | "sources"> {
  const { record } = options;
  if (stage !== "template") {
    return { stage, note: STAGE_NOTES[stage], sources: stageSources(stage, record.data) };
  }
  const rendering = record.renderings[index];
  const place = overlays[index] && placeIn(overlays[index], node.id);
  if (rendering === undefined || place === undefined) return { stage, sources: [] };
  return { stage, ...spotOf(place, rendering, options) };
}

function spotOf(
  { start, end, keyStart, kind }: YamlPlace,
  { template, segments }: Rendering,
  { recording, texts, record }: ProvenanceOptions,
): Pick<Provenance, "spot" | "sources"> {
  const facts = recording.facts(template);
  const source = texts[template] ?? "";
  // A map or list exists because of its first line.
  const to = kind === "scalar" ? Math.max(end, start + 1) : start + 1;
  const written = within(segments, { start, end: to });
  const actions = [...within(segments, { start: keyStart, end: keyStart + 1 }), ...written]
    .filter(({ node }) => node.type === "action");
  const [first] = written.filter(({ node }) => node.type === "action");
  const origin = first ?? written[0] ?? segments.at(-1);
  if (origin === undefined) return { sources: [] };
  const { node } = origin;
  // An action's position is inside its delimiters; a text's is its start.
  const offset = node.type === "text" ? node.pos + Math.max(start - origin.start, 0) : node.pos;
  const { line, column = 1 } = placeAt(source, offset);
  const own = facts?.statements.get(node);
  const branches = (own?.branches ?? []).map(({ node, isElse }) => ({
    text: `${isElse ? "else of " : ""}${node.type} ${printNode(node.pipe)}`,
    line: placeAt(source, node.pos).line,
  }));
  const paths = actions.flatMap(({ node }) => facts?.statements.get(node)?.paths ?? []);
  const functions = actions.flatMap(({ node }) => facts?.statements.get(node)?.functions ?? []);
  return {
    spot: {
      template,
      line,
      column,
      ...(node.type === "action" ? { action: printNode(node.pipe) } : {}),
      branches,
    },
    sources: [...namedSources(paths, record.data), ...ambient(functions)],
  };
}

/** Functions whose result depends on more than their arguments. */
const AMBIENT = /^(?:env|expandenv|now|rand\w*|uuidv4|gen\w*|getHostByName)$/;

function ambient(functions: readonly string[]): NamedSource[] {
  return [...new Set(functions)].filter((name) => AMBIENT.test(name))
    .map((name) => ({ kind: "function", name, isSet: true }));
}

/** Returns the segments that overlap a range, by binary search. */
function within(
  segments: readonly Segment[],
  { start, end }: { start: number; end: number },
): Segment[] {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (segments[middle].end <= start) low = middle + 1;
    else high = middle;
  }
  const found: Segment[] = [];
  for (let i = low; i < segments.length && segments[i].start < end; i++) found.push(segments[i]);
  return found;
}
