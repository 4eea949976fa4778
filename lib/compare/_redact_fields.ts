/**
 * Redacts Kubernetes objects by the schema of their types. A string is kept only if it is in the
 * table of what injection reads. Other strings become placeholders of the same kind, so that the
 * object decodes, merges and compares as before. Fields not in the schema are omitted, because
 * injection ignores them.
 */

import { isMap } from "../data/map.ts";
import { PROBERS_VARIABLE, SECURE_METRICS_VARIABLE } from "../inject/mod.ts";
import { jsonField, type SchemaType, type StructType, structType } from "../kube/schema.ts";

export const REDACTED = "redacted";

/** The strings to keep, by type and field. The README lists them, with reasons. */
const KEPT: ReadonlySet<string> = new Set(
  ("Pod.apiVersion Pod.kind ObjectMeta.name ObjectMeta.generateName ObjectMeta.namespace " +
    "ObjectMeta.labels OwnerReference.apiVersion OwnerReference.kind OwnerReference.name " +
    "PodSpec.nodeName PodSpec.serviceAccountName PodSpec.dnsPolicy Container.name Container.image " +
    "Container.restartPolicy ContainerPort.name ContainerPort.protocol EnvVar.name Volume.name " +
    "VolumeMount.name VolumeMount.mountPath HTTPGetAction.scheme").split(" "),
);

/** Lists of references by name to which templates add. */
const KEPT_REFERENCES: ReadonlySet<string> = new Set(["PodSpec.imagePullSecrets"]);

/** The maximum depth: no valid pod is deeper. */
const MAX_DEPTH = 64;

const QUANTITY = /^[+-]?[\d.]{1,24}(?:[eE][+-]?\d{1,3}|[numkKMGTPE]i?)?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const PORT_NAME = /^[A-Za-z0-9-]{1,15}$/;
/** The paths to which an earlier injection redirected probes and hooks. */
const AGENT_PATH =
  /^\/app-(?:health|lifecycle)\/[a-z0-9-]{1,63}\/(?:ready|live|startup|prestop|poststart)z$/;

/**
 * The placeholders of merge keys, one per distinct string of a pod: keys that differ must stay
 * different.
 */
export type Numbers = Map<string, string>;

interface Place {
  /** The type and field that hold the value, for example `Container.image`. */
  readonly field: string;
  readonly isMerged?: boolean;
  readonly mergeKey?: string;
  readonly depth: number;
  readonly numbers: Numbers;
}

/** Returns a redacted copy of a value of this type. Never changes its input, and never throws. */
export function redactAs(typeName: string, value: unknown, numbers: Numbers = new Map()): unknown {
  return redactStruct(structType(typeName)!, value, { field: typeName, depth: 0, numbers });
}

function redactValue(type: SchemaType, value: unknown, place: Place): unknown {
  if (value === null || value === undefined) return value;
  if (place.depth > MAX_DEPTH) return blank(value);
  switch (type.kind) {
    case "pointer":
      return redactValue(type.elem!, value, place);
    case "struct":
      return redactStruct(type.struct!, value, place);
    case "list":
      return redactList(type.elem!, value, place);
    case "map": {
      if (!isMap(value)) return blank(value);
      const inner = { ...place, depth: place.depth + 1 };
      return mapValues(value, (item) => redactValue(type.elem!, item, inner));
    }
    case "string":
      return typeof value === "string" ? redactString(value, place) : blank(value);
    case "quantity":
      return isLike(value, QUANTITY);
    case "time":
      return isLike(value, TIME);
    case "intOrString":
      return isLike(value, PORT_NAME);
    case "bool":
    case "int32":
    case "int64":
      return typeof value === "number" ? value : blank(value);
    case "raw":
      return blank(value);
  }
}

function redactStruct(type: StructType, value: unknown, { depth, numbers }: Place): unknown {
  if (!isMap(value)) return blank(value);
  const redacted = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    const field = jsonField(type, key);
    if (field === undefined) return [];
    const name = `${type.name}.${field.json}`;
    const { merge: isMerged, mergeKey } = field;
    const place = { field: name, isMerged, mergeKey, depth: depth + 1, numbers };
    // A volume claim template has metadata of its own, which injection ignores.
    if (name === "Volume.ephemeral") return [[key, blank(item)]];
    if (name === "EnvVar.value") return [[key, redactVariable(value, item)]];
    return [[key, redactValue(field.type, item, place)]];
  });
  return Object.fromEntries(redacted);
}

/** Keeps the merge keys of a list, or replaces them with distinct placeholders. */
function redactList(elem: SchemaType, value: unknown, place: Place): unknown {
  if (!Array.isArray(value)) return blank(value);
  const { field, isMerged, mergeKey = "", numbers } = place;
  const inner = { ...place, isMerged: false, depth: place.depth + 1 };
  return value.map((item) => {
    if (isMerged && typeof item === "string") return numbered(item, numbers);
    const redacted = redactValue(elem, item, inner);
    if (!isMerged || !isMap(item) || !isMap(redacted)) return redacted;
    const key = item[mergeKey];
    if (typeof key !== "string" || redacted[mergeKey] === key) return redacted;
    return { ...redacted, [mergeKey]: KEPT_REFERENCES.has(field) ? key : numbered(key, numbers) };
  });
}

function redactString(text: string, { field }: Place): string {
  if (KEPT.has(field) || text === "") return text;
  if (field === "HTTPGetAction.path") {
    if (AGENT_PATH.test(text)) return text;
    return text.startsWith("/") ? `/${REDACTED}` : REDACTED;
  }
  // Keep -u: the init container's user is the next argument.
  return field === "Container.args" && text === "-u" ? text : REDACTED;
}

/** Redacts a variable's value. In a pod that was injected before, injection reads two variables. */
function redactVariable({ name }: Json, value: unknown): unknown {
  if (typeof value !== "string") return blank(value);
  if (name === SECURE_METRICS_VARIABLE && /^\d{1,5}$/.test(value)) return value;
  if (name === PROBERS_VARIABLE) {
    try {
      const probers: unknown = JSON.parse(value);
      if (!isMap(probers)) return REDACTED;
      return JSON.stringify(mapValues(probers, (prober) => redactAs("Probe", prober)));
    } catch {
      return REDACTED;
    }
  }
  return blank(value);
}

function numbered(text: string, numbers: Numbers): string {
  if (text === "") return "";
  const known = numbers.get(text) ?? `${REDACTED}-${numbers.size + 1}`;
  numbers.set(text, known);
  return known;
}

function isLike(value: unknown, form: RegExp): unknown {
  if (typeof value === "number") return value;
  return typeof value === "string" && form.test(value) ? value : blank(value);
}

/**
 * Redacts a value of unknown type, keeping its shape so that it decodes or fails to decode as
 * before.
 */
export function blank(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value === "" ? "" : REDACTED;
  if (typeof value === "number") return 0;
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => blank(item, depth + 1));
  return mapValues(value as Json, (item) => blank(item, depth + 1));
}

export type Json = Readonly<Record<string, unknown>>;

export function mapValues(map: Json, change: (item: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, change(item, key)]));
}
