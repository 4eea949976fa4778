/** The annotation in which an injection says what it put into the pod. */
import { isMap } from "../data/map.ts";
import { decodeJson, encodeJson } from "../go/json.ts";
import { STRINGS, Typed } from "../go/value.ts";
import { STATUS } from "./names.ts";
import { lookup, type Pod } from "./pod.ts";

export interface InjectionStatus {
  readonly initContainers: readonly string[];
  readonly containers: readonly string[];
}

/** The lists that the annotation has, in both eras. */
export const STATUS_LISTS = [
  "initContainers",
  "containers",
  "volumes",
  "imagePullSecrets",
] as const;

const EMPTY: InjectionStatus = { initContainers: [], containers: [] };

/**
 * What an earlier injection left in the pod. `undefined` without the annotation, and where it is not
 * of the right type throughout: then nothing is known, whatever parts of it could be read.
 */
export function previousStatus(pod: Pod): InjectionStatus | undefined {
  const status = readStatus(pod);
  if (status === null) return EMPTY;
  if (!isMap(status)) return undefined;
  const lists: Record<string, readonly string[]> = {};
  for (const [key, value] of Object.entries(status)) {
    // Go finds its fields in any case.
    const field = FIELDS.get(key.toLowerCase());
    if (field === undefined || value === null) continue;
    if (field === "revision" && typeof value === "string") continue;
    if (field === "revision" || !isListOfNames(value)) return undefined;
    lists[field] = value.map((name) => name ?? "");
  }
  return { ...EMPTY, ...lists };
}

/** The containers that are named there, as far as there are any: the other reader of the annotation. */
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

/** The annotation's text for what a template put in. */
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
