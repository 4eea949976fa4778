/**
 * Maps provenance entries to lines of the result, with links to the places in the input that they
 * came from.
 */
import { lineChanges } from "../data/text_diff.ts";
import { type YamlPlace, yamlPlaces } from "../yaml/mod.ts";
import { KIND_WORDS, type NamedSource, type Provenance } from "../explain/mod.ts";
import type { Document } from "../inject/mod.ts";
import type { ConfigText } from "./config_text.ts";
import type { Origin, OriginInput, PlayRequest, Source } from "./protocol.ts";

export interface OriginOptions {
  /** The whole object as YAML, before and after injection. */
  readonly before: string;
  readonly after: string;
  /** The path from the object to the pod. */
  readonly path: readonly string[];
  readonly config: ConfigText;
  readonly request: PlayRequest;
  /** The manifest, and the offset of the object's document in it. */
  readonly document: Document;
}

/** Returns the origins in the order of the result's lines. */
export function originsOf(
  provenance: readonly Provenance[],
  options: OriginOptions,
): Origin[] {
  const { after, path, config } = options;
  const lineOf = lineFinder(after);
  const places = byPath(yamlPlaces(after));
  const inputs = inputFinder(options);
  const origins = provenance.flatMap((entry): Origin[] => {
    const place = places.get([...path, ...entry.path].join("\0"));
    if (place === undefined || entry.change === "removed") return [];
    const { spot } = entry;
    const start = spot && config.placeOf(spot.template);
    return [{
      firstLine: lineOf(place.keyStart),
      lastLine: lineOf(Math.max(place.end - 1, place.start)),
      maker: makerOf(entry),
      ...(spot && start ? { line: start.line + spot.line - 1 } : {}),
      ...(spot?.action === undefined ? {} : { action: spot.action }),
      branches: spot === undefined || start === undefined
        ? []
        : spot.branches.map(({ text, line }) => ({ text, line: start.line + line - 1 })),
      inputs: entry.sources.map(inputs),
    }];
  });
  return withHolders(origins.sort((a, b) => a.firstLine - b.firstLine), options);
}

function makerOf({ stage, spot, note }: Provenance): string {
  if (stage !== "template") return note ?? stage;
  return spot === undefined || spot.template === "" ? "the template" : `template ${spot.template}`;
}

/**
 * Adds origins for lines such as `env:`, which only contain other lines: they get those of their
 * children.
 */
function withHolders(
  origins: readonly Origin[],
  { before, after }: Pick<OriginOptions, "before" | "after">,
): Origin[] {
  const all: Origin[] = [];
  let next = 0;
  for (const { newStart, newEnd } of lineChanges(before, after)) {
    for (let line = newStart + 1; line <= newEnd; line++) {
      while (next < origins.length && origins[next].lastLine < line) all.push(origins[next++]);
      const following = origins[next];
      if (following === undefined || following.firstLine <= line) continue;
      const { action: _, ...rest } = following;
      all.push({ ...rest, firstLine: line, lastLine: line, inputs: [] });
    }
  }
  return [...all, ...origins.slice(next)];
}

function byPath(places: readonly YamlPlace[]): ReadonlyMap<string, YamlPlace> {
  return new Map(places.map((place) => [place.path.join("\0"), place]));
}

/** Returns a function that locates a source in the input, if it is part of it. */
function inputFinder(
  { request, document, path }: Pick<OriginOptions, "request" | "document" | "path">,
): (source: NamedSource) => OriginInput {
  const lines = { values: linesOf(request.values), mesh: linesOf(request.mesh) };
  const inDocument = linesOf(document.text);
  const at = (source: Source, line: number | undefined) =>
    line === undefined ? undefined : { source, line };
  const placeOf = ({ kind, name }: NamedSource): OriginInput["place"] => {
    const keys = name.split(".");
    switch (kind) {
      case "values":
        return at("values", lines.values.get(keys.join("\0")));
      case "mesh":
        return at("mesh", lines.mesh.get(keys.join("\0")));
      case "proxy":
        return at("mesh", lines.mesh.get(["defaultConfig", ...keys].join("\0")));
      case "annotation":
      case "label": {
        const line = inDocument.get([...path, "metadata", `${kind}s`, name].join("\0"));
        return at("manifest", line && document.line + line - 1);
      }
      default:
        return undefined;
    }
  };
  return (source) => {
    const { kind, name, value, isSet } = source;
    const place = isSet ? placeOf(source) : undefined;
    return {
      name: `${KIND_WORDS[kind]} ${name}`,
      value: value ?? (isSet ? "" : "not set"),
      ...(place === undefined ? {} : { place }),
    };
  };
}

/** Indexes the line of each key, by its path. */
function linesOf(text: string): ReadonlyMap<string, number> {
  const lineOf = lineFinder(text);
  return new Map(
    yamlPlaces(text).map(({ path, keyStart }) => [path.join("\0"), lineOf(keyStart)]),
  );
}

/** Like `lineAt`, for many offsets of one text. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (const { index } of text.matchAll(/\n/g)) starts.push(index + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
