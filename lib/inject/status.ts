/** The annotation that records what an injection added to the pod. */
import { isMap } from "../data/map.ts";
import { decodeJson, encodeJson } from "../go/json.ts";
import { STRINGS, Typed } from "../go/value.ts";
import { STATUS } from "./names.ts";
import { lookup, type Pod } from "./pod.ts";

export interface InjectionStatus {
  readonly initContainers: readonly string[];
  readonly containers: readonly string[];
}

/** The lists in the annotation, in all versions. */
export const STATUS_LISTS = [
  "initContainers",
  "containers",
  "volumes",
  "imagePullSecrets",
] as const;

const EMPTY: InjectionStatus = { initContainers: [], containers: [] };

/**
 * Returns what an earlier injection added. Returns `undefined` without the annotation, or if any part of it
 * has the wrong type.
 */
export function previousStatus(pod: Pod): InjectionStatus | undefined {
  const status = readStatus(pod);
  if (status === null) return EMPTY;
  if (!isMap(status)) return undefined;
  const lists: Record<string, readonly string[]> = {};
  for (const [key, value] of Object.entries(status)) {
    // Go matches field names case-insensitively.
    const field = FIELDS.get(key.toLowerCase());
    if (field === undefined || value === null) continue;
    if (field === "revision" && typeof value === "string") continue;
    if (field === "revision" || !isListOfNames(value)) return undefined;
    lists[field] = value.map((name) => name ?? "");
  }
  return { ...EMPTY, ...lists };
}

/**
 * Returns the containers named in the annotation, ignoring invalid parts; this matches the second place
 * where Istio reads it.
 */
export function previousNames(pod: Pod): InjectionStatus {
  const status = readStatus(pod);
  if (!isMap(status)) return EMPTY;
  const names = (key: string) => {
    const list = Object.hasOwn(status, key) ? status[key] : undefined;
    return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
  };
  return { initContainers: names("initContainers"), containers: names("containers") };
}

const FIELDS: ReadonlyMap<string, string> = new Map(
  [...STATUS_LISTS, "revision"]
    .map((name) => [name.toLowerCase(), name]),
);

function readStatus(pod: Pod): unknown {
  const text = lookup(pod.metadata.annotations, STATUS);
  if (text === undefined) return undefined;
  try {
    return decodeJson(text);
  } catch {
    return undefined;
  }
}

function isListOfNames(value: unknown): value is (string | null)[] {
  return Array.isArray(value) && value.every((name) => name === null || typeof name === "string");
}

/** Formats the annotation for a template's output. */
export function statusText(
  template: Pod,
  { revision }: { revision: string | undefined },
): string {
  const list = (items: readonly { name?: string }[] | null | undefined) =>
    new Typed(STRINGS, items?.length ? items.map((item) => item.name ?? "") : null);
  const parts: [string, unknown][] = [
    ["initContainers", list(template.spec.initContainers)],
    ["containers", list(template.spec.containers)],
    ["volumes", list(template.spec.volumes)],
    ["imagePullSecrets", list(template.spec.imagePullSecrets)],
  ];
  if (revision !== undefined) parts.push(["revision", revision]);
  return `{${parts.map(([key, value]) => `"${key}":${encodeJson(value)}`).join(",")}}`;
}
