/**
 * Translates a path in the template's data into the user's terms: an annotation, a key of the
 * values or a field of the mesh config, with its value for a pod.
 */
import { isMap } from "../data/map.ts";
import { formatValue } from "../go/fmt.ts";
import { type GoType, Typed } from "../go/value.ts";
import type { DataPath } from "../inject/mod.ts";

export type SourceKind =
  | "annotation"
  | "label"
  | "values"
  | "mesh"
  | "proxy"
  | "pod"
  | "owner"
  | "setting"
  | "function";

export interface NamedSource {
  readonly kind: SourceKind;
  /** A key, or a dotted path. */
  readonly name: string;
  /** Whether the value exists. */
  readonly isSet: boolean;
  /** The value on one short line, if it is a scalar. */
  readonly value?: string;
}

/** The words before a source's name. */
export const KIND_WORDS: Readonly<Record<SourceKind, string>> = {
  annotation: "annotation",
  label: "label",
  values: "values",
  mesh: "mesh config",
  proxy: "proxy config",
  pod: "pod",
  owner: "owner",
  setting: "setting",
  function: "function",
};

/** Data that the injector computes from other data before templates run. */
const MADE_OF: ReadonlyMap<string, readonly DataPath[]> = new Map([
  ["ProxyImage", [
    ["Values", "global", "hub"],
    ["Values", "global", "tag"],
    ["Values", "global", "proxy", "image"],
  ]],
  ["ProxyInitImage", [
    ["Values", "global", "hub"],
    ["Values", "global", "tag"],
    ["Values", "global", "proxy_init", "image"],
  ]],
]);

/** Returns the distinct sources of paths. */
export function namedSources(paths: readonly DataPath[], data: Typed | undefined): NamedSource[] {
  const all = paths.flatMap((path) => {
    const parts = path.length === 1 ? MADE_OF.get(path[0]) : undefined;
    return parts === undefined ? [path] : [path, ...parts];
  });
  const found = new Map<string, NamedSource>();
  for (const path of all) {
    const source = namedSource(path, data);
    if (source !== undefined) found.set(`${source.kind} ${source.name}`, source);
  }
  return [...found.values()];
}

function namedSource(path: DataPath, data: Typed | undefined): NamedSource | undefined {
  if (path.length === 0) return undefined;
  const { names, value } = lookUp(path, data);
  const [root, ...rest] = names;
  const [kind, name] = kindOf(path, { root, rest });
  const isSet = value !== undefined && value !== null;
  const text = isSet && !path.includes("*") ? scalarText(value) : undefined;
  return { kind, name, isSet, ...(text === undefined ? {} : { value: text }) };
}

function kindOf(
  path: DataPath,
  { root, rest }: { root: string; rest: readonly string[] },
): [SourceKind, string] {
  const dotted = rest.join(".");
  switch (root) {
    case "Values":
      return ["values", dotted];
    case "MeshConfig":
      return ["mesh", dotted];
    case "ProxyConfig":
      return ["proxy", dotted];
    case "ObjectMeta":
      if (path[1] === "Annotations" && path.length > 2) return ["annotation", path[2]];
      if (path[1] === "Labels" && path.length > 2) return ["label", path[2]];
      return ["pod", ["metadata", ...rest].join(".")];
    case "Spec":
      return ["pod", ["spec", ...rest].join(".")];
    case "TypeMeta":
    case "DeploymentMeta":
      return ["owner", dotted || root];
    default:
      return ["setting", [root, ...rest].join(".")];
  }
}

/** Follows a path of Go field names; returns the JSON names and the value. */
function lookUp(path: DataPath, data: Typed | undefined): { names: string[]; value: unknown } {
  let type: GoType | undefined = data?.type;
  let value: unknown = data?.value;
  const names: string[] = [];
  for (const [i, step] of path.entries()) {
    while (type?.kind === "ptr") type = type.elem;
    if (step === "*") {
      // Any item: take the first.
      value = typeof value === "object" && value !== null ? Object.values(value)[0] : undefined;
      type = type?.elem;
      names.push(step);
      continue;
    }
    const name: string = step.replace(/^Get(?=[A-Z])/, "");
    const field = type?.fields?.get(name) ?? type?.fields?.get(step);
    const known = field?.json || undefined;
    // Fields of an unknown type have their JSON names.
    const isGo: boolean = type?.kind === "struct";
    names.push(known && i > 0 ? jsonName(known) : isGo && i > 0 ? jsonName(name) : step);
    value = isMap(value) && Object.hasOwn(value, known ?? step) ? value[known ?? step] : undefined;
    type = field?.type() ??
      (type?.kind === "map" || type?.kind === "slice" ? type.elem : undefined);
  }
  return { names, value };
}

/** Converts a Go field name: `DNSPolicy` to `dnsPolicy`. */
function jsonName(name: string): string {
  return name.replace(/^[A-Z]+(?=[A-Z][a-z]|$)|^[A-Z]/, (start) => start.toLowerCase());
}

/** The maximum length of a displayed value. */
const MAX_TEXT = 80;

function scalarText(value: unknown): string | undefined {
  if (typeof value === "object" && value !== null) return undefined;
  const text = typeof value === "string" ? value : formatValue(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
