/**
 * The Kubernetes API types behind Pod and the workload kinds, as Go declares them: names in Go and in
 * JSON, types, what is omitted when empty, what is embedded, how lists merge.
 *
 * Read once from a compact table into linked descriptors. Three readers use them, each from its own
 * side: decoding walks fields by JSON name and writes them in API order (`normalise`), the strategic
 * merge asks for a JSON field's merge key, and Go templates ask for fields by Go name.
 *
 * All look-ups go through Maps, so a key such as `__proto__` or `constructor` is simply not found.
 * Nothing here knows about values.
 */
import { NAMED_TYPES, OPENSHIFT_TABLE } from "./_schema_extra.ts";
import { SCHEMA_TABLE } from "./_schema_table.ts";

/** `raw` is JSON kept as it came (RawExtension, FieldsV1). */
export type GoKind =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "struct"
  | "pointer"
  | "list"
  | "map"
  | "quantity"
  | "intOrString"
  | "time"
  | "raw";

export interface GoType {
  readonly kind: GoKind;
  /** As Go prints it: `string`, `v1.PullPolicy`, `*v1.Probe`, `[]v1.Container`. */
  readonly name: string;
  /** What a pointer points to, a list or a map holds. */
  readonly elem?: GoType;
  /** For kind `struct`. */
  readonly struct?: StructType;
}

export interface Field {
  readonly go: string;
  /** Empty for an inline field: its own fields sit directly in the JSON object. */
  readonly json: string;
  readonly type: GoType;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly inline: boolean;
  /** Anonymous in Go: its fields are promoted, inline or not (`pod.Name` is `pod.ObjectMeta.Name`). */
  readonly embedded: boolean;
  /** Strategic merge merges this list item by item, by `mergeKey` (empty: a union of scalars). */
  readonly merge: boolean;
  readonly mergeKey: string;
  readonly retainKeys: boolean;
}

/** A field as JSON has it, inline structs flattened. */
export interface JsonField extends Field {
  /** Its place in the type's `encoded`. */
  readonly index: number;
  /** Go names of the inline structs it comes through; Go's decode errors spell them. */
  readonly through: readonly string[];
  /** Go name of the type whose JSON object holds the field: `Volume` for `hostPath`. */
  readonly owner: string;
  /** Encoded even when unset. Go calls no struct empty, so omitempty does nothing to `resources {}`. */
  readonly always: boolean;
}

/** Where a Go field is to be found in JSON. */
export interface GoField {
  readonly type: GoType;
  /** JSON keys from the struct's object to the value; empty for an inline struct, which is that object. */
  readonly path: readonly string[];
}

export interface StructType {
  /** Go's bare name, `PodSpec`. */
  readonly name: string;
  /** As declared. */
  readonly fields: readonly Field[];
  /** As encoded to JSON, in that order. */
  readonly encoded: readonly JsonField[];
  /** How many of those are always encoded. */
  readonly required: number;
  readonly byJson: ReadonlyMap<string, JsonField>;
  /** By `foldName`; see `jsonField`. */
  readonly byFold: ReadonlyMap<string, JsonField>;
  /** By Go name, promoted fields included. */
  readonly byGo: ReadonlyMap<string, GoField>;
}

/** The kinds that can be read as whole objects. */
export const WORKLOAD_KINDS: readonly string[] = [
  "Pod",
  "ReplicationController",
  "Deployment",
  "DaemonSet",
  "ReplicaSet",
  "StatefulSet",
  "Job",
  "CronJob",
  "DeploymentConfig",
  "List",
];

/**
 * The named API type (`Pod`, `PodSpec`, `Container`, …), or undefined if there is none.
 *
 * @example
 * ```ts
 * structType("Probe")?.byGo.get("HTTPGet")?.path; // ["httpGet"], through ProbeHandler
 * ```
 */
export function structType(name: string): StructType | undefined {
  return resolve(name)?.struct;
}

/**
 * The field that Go's encoding/json decodes `key` into: the exact name, else one that differs only in
 * letter case. Go folds U+017F and U+212A to `s` and `k` too.
 */
export function jsonField(type: StructType, key: string): JsonField | undefined {
  return type.byJson.get(key) ?? type.byFold.get(foldName(key));
}

function foldName(name: string): string {
  return name.toLowerCase().replaceAll("\u017f", "s");
}

const SCALARS: ReadonlyMap<string, GoType> = new Map<string, GoType>([
  ["s", { kind: "string", name: "string" }],
  ["b", { kind: "bool", name: "bool" }],
  ["i32", { kind: "int32", name: "int32" }],
  ["i64", { kind: "int64", name: "int64" }],
  ["Quantity", { kind: "quantity", name: "resource.Quantity" }],
  ["IntOrString", { kind: "intOrString", name: "intstr.IntOrString" }],
  ["Time", { kind: "time", name: "v1.Time" }],
  ["RawExtension", { kind: "raw", name: "runtime.RawExtension" }],
  ["FieldsV1", { kind: "raw", name: "v1.FieldsV1" }],
]);

/** Entries start at the margin, their further lines don't: one array of words an entry. */
function entries(table: string): string[][] {
  return table.trim().replaceAll("\n ", " ").split("\n").map((line) => line.split(" "));
}

/** `Type.jsonName` to the Go name of its type, for the types the table shows as bare strings. */
function readNames(): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, ...fields] of entries(NAMED_TYPES)) {
    for (const field of fields) names.set(field, name);
  }
  return names;
}

const FIELD = /^(\w+)(?:=(\w+))?:([^?!+&]+)(\?)?(!)?(?:(\+)(\w*))?(&)?$/;

interface Tables {
  /** The text of each type's fields. */
  readonly rows: ReadonlyMap<string, string[]>;
  readonly names: ReadonlyMap<string, string>;
  readonly types: Map<string, GoType>;
}

let tables: Tables | undefined;

/** Read at the first question: most commands never ask one. */
function readTables(): Tables {
  const rows = [...entries(SCHEMA_TABLE), ...entries(OPENSHIFT_TABLE)];
  return {
    rows: new Map(rows.map(([name, ...fields]) => [name, fields])),
    names: readNames(),
    types: new Map(SCALARS),
  };
}

/** A type, and with it all the types that it holds. */
function resolve(name: string): GoType | undefined {
  tables ??= readTables();
  const known = tables.types.get(name);
  if (known !== undefined) return known;
  const row = tables.rows.get(name);
  if (row === undefined) return undefined;
  const bare = name.slice(name.lastIndexOf(".") + 1);
  const fields = row.map((text) => readField(name, text, tables!.names));
  const type: GoType = { kind: "struct", name: `v1.${bare}`, struct: linkFields(bare, fields) };
  tables.types.set(name, type);
  return type;
}

function mustResolve(name: string): GoType {
  const type = resolve(name);
  if (type === undefined) throw new Error(`Cannot read the schema table: no type "${name}"`);
  return type;
}

function readField(owner: string, text: string, names: Tables["names"]): Field {
  if (text.startsWith("@")) {
    const type = mustResolve(text.slice(1));
    return {
      go: type.struct!.name,
      json: "",
      type,
      omitEmpty: false,
      omitZero: false,
      inline: true,
      embedded: true,
      merge: false,
      mergeKey: "",
      retainKeys: false,
    };
  }
  const match = FIELD.exec(text);
  if (match === null) throw new Error(`Cannot read the schema table: field "${text}" of ${owner}`);
  const [, json, go, type, omitEmpty, omitZero, merge, mergeKey, retainKeys] = match;
  return {
    go: go ?? json[0].toUpperCase() + json.slice(1),
    json,
    type: readType(type, names.get(`${owner}.${json}`)),
    omitEmpty: omitEmpty !== undefined,
    omitZero: omitZero !== undefined,
    inline: false,
    // Of the types with a JSON name of their own, Kubernetes embeds just these two.
    embedded: go === "ObjectMeta" || go === "ListMeta",
    merge: merge !== undefined,
    mergeKey: mergeKey ?? "",
    retainKeys: retainKeys !== undefined,
  };
}

function readType(text: string, named?: string): GoType {
  if (text.startsWith("*")) {
    const elem = readType(text.slice(1), named);
    return { kind: "pointer", name: `*${elem.name}`, elem };
  }
  if (text.startsWith("[]")) {
    const inner = named?.startsWith("[]") ? named.slice(2) : undefined;
    const elem = readType(text.slice(2), inner);
    return { kind: "list", name: named ?? `[]${elem.name}`, elem };
  }
  if (text.startsWith("{}")) {
    const inner = named?.startsWith("map[") ? named.slice(named.indexOf("]") + 1) : undefined;
    const elem = readType(text.slice(2), inner);
    return { kind: "map", name: named ?? `map[string]${elem.name}`, elem };
  }
  const type = mustResolve(text);
  return named === undefined || named === type.name ? type : { ...type, name: named };
}

function linkFields(name: string, fields: readonly Field[]): StructType {
  const encoded: JsonField[] = [];
  for (const field of fields) {
    if (!field.inline) {
      const always = isAlwaysEncoded(field);
      encoded.push({ ...field, index: encoded.length, through: [], owner: name, always });
      continue;
    }
    for (const inner of field.type.struct!.encoded) {
      const through = [field.go, ...inner.through];
      encoded.push({ ...inner, index: encoded.length, through, owner: name });
    }
  }
  const byFold = new Map<string, JsonField>();
  for (const field of encoded) {
    const fold = foldName(field.json);
    if (!byFold.has(fold)) byFold.set(fold, field);
  }
  const byJson = new Map(encoded.map((field) => [field.json, field]));
  const required = encoded.filter(({ always }) => always).length;
  return { name, fields, encoded, required, byJson, byFold, byGo: promote(fields) };
}

function isAlwaysEncoded({ type, omitEmpty, omitZero }: Field): boolean {
  switch (type.kind) {
    case "struct":
    case "quantity":
    case "intOrString":
    case "raw":
      return true;
    case "time":
      return !omitZero;
    default:
      return !omitEmpty;
  }
}

/** Own fields, then those of embedded structs: the shallower wins, as Go has it. */
function promote(fields: readonly Field[]): Map<string, GoField> {
  const byGo = new Map<string, GoField>();
  for (const { go, json, type, inline } of fields) {
    byGo.set(go, { type, path: inline ? [] : [json] });
  }
  for (const { json, type, inline, embedded } of fields) {
    if (!embedded) continue;
    for (const [go, inner] of type.struct!.byGo) {
      if (byGo.has(go)) continue;
      byGo.set(go, { type: inner.type, path: inline ? inner.path : [json, ...inner.path] });
    }
  }
  return byGo;
}
