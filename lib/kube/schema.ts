/**
 * The Kubernetes API types of Pod and the workload kinds, as Go declares them: Go and JSON names, types,
 * omitempty, embedding and merge keys.
 *
 * A compact table is read once into linked descriptors. They have three users: the typed decode looks up
 * fields by JSON name and writes them in API order (`normalise`), the strategic merge looks up merge
 * keys, and Go templates look up fields by Go name.
 *
 * All lookups use Maps, so that keys such as `__proto__` or `constructor` are not found.
 */
import { NAMED_TYPES, OPENSHIFT_TABLE } from "./_schema_extra.ts";
import { SCHEMA_TABLE } from "./_schema_table.ts";

/** The kind of a Go type; `raw` is JSON that is kept unchanged (RawExtension, FieldsV1). */
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

export interface SchemaType {
  readonly kind: GoKind;
  /** The name as Go prints it: `string`, `v1.PullPolicy`, `*v1.Probe`, `[]v1.Container`. */
  readonly name: string;
  /** The element type of a pointer, list or map. */
  readonly elem?: SchemaType;
  /** Set if `kind` is `struct`. */
  readonly struct?: StructType;
}

export interface Field {
  readonly go: string;
  /** Empty for an inline field, whose own fields are fields of the enclosing JSON object. */
  readonly json: string;
  readonly type: SchemaType;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly inline: boolean;
  /** Embedded in Go: its fields are promoted, inline or not (`pod.Name` is `pod.ObjectMeta.Name`). */
  readonly embedded: boolean;
  /** Strategic merge merges this list by `mergeKey`; an empty key means a union of scalars. */
  readonly merge: boolean;
  readonly mergeKey: string;
  readonly retainKeys: boolean;
}

/** A field of the JSON object, with inline structs flattened. */
export interface JsonField extends Field {
  /** The index in the type's `encoded`. */
  readonly index: number;
  /** Go names of the inline structs that contain the field; Go's decode errors mention them. */
  readonly through: readonly string[];
  /** Go name of the type whose JSON object contains the field: `Volume` for `hostPath`. */
  readonly owner: string;
  /** Encoded even if unset. omitempty has no effect on structs: `resources: {}` is always written. */
  readonly always: boolean;
}

/** The place of a Go field in JSON. */
export interface GoField {
  readonly type: SchemaType;
  /** The JSON keys from the struct to the value; empty for an inline struct. */
  readonly path: readonly string[];
}

export interface StructType {
  /** The Go name without its package: `PodSpec`. */
  readonly name: string;
  /** The fields as declared. */
  readonly fields: readonly Field[];
  /** The fields as encoded to JSON, in order. */
  readonly encoded: readonly JsonField[];
  /** The number of fields in `encoded` that are always encoded. */
  readonly required: number;
  readonly byJson: ReadonlyMap<string, JsonField>;
  /** Fields by `foldName`; see `jsonField`. */
  readonly byFold: ReadonlyMap<string, JsonField>;
  /** Fields by Go name, including promoted fields. */
  readonly byGo: ReadonlyMap<string, GoField>;
}

/**
 * Returns the API type of that name (`Pod`, `PodSpec`, `Container`), or undefined if there is none.
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
 * Returns the field that Go's encoding/json decodes `key` into: the exact name, else one that differs
 * only in case. Like Go, it folds U+017F and U+212A to `s` and `k`.
 */
export function jsonField(type: StructType, key: string): JsonField | undefined {
  return type.byJson.get(key) ?? type.byFold.get(foldName(key));
}

function foldName(name: string): string {
  return name.toLowerCase().replaceAll("\u017f", "s");
}

const SCALARS: ReadonlyMap<string, SchemaType> = new Map<string, SchemaType>([
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

/** Splits a table into entries, one array of words each. Continuation lines are indented. */
function entries(table: string): string[][] {
  return table.trim().replaceAll("\n ", " ").split("\n").map((line) => line.split(" "));
}

/** Maps `Type.jsonName` to the Go name of the field's type, for types that the table does not name. */
function readNames(): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, ...fields] of entries(NAMED_TYPES)) {
    for (const field of fields) names.set(field, name);
  }
  return names;
}

const FIELD = /^(\w+)(?:=(\w+))?:([^?!+&]+)(\?)?(!)?(?:(\+)(\w*))?(&)?$/;

interface Tables {
  /** The field definitions of each type. */
  readonly rows: ReadonlyMap<string, string[]>;
  readonly names: ReadonlyMap<string, string>;
  readonly types: Map<string, SchemaType>;
}

let tables: Tables | undefined;

/** Parses the tables; called on first use, because most commands never need them. */
function readTables(): Tables {
  const rows = [...entries(SCHEMA_TABLE), ...entries(OPENSHIFT_TABLE)];
  return {
    rows: new Map(rows.map(([name, ...fields]) => [name, fields])),
    names: readNames(),
    types: new Map(SCALARS),
  };
}

/** Resolves a type and, recursively, the types of its fields. */
function resolve(name: string): SchemaType | undefined {
  tables ??= readTables();
  const known = tables.types.get(name);
  if (known !== undefined) return known;
  const row = tables.rows.get(name);
  if (row === undefined) return undefined;
  const bare = name.slice(name.lastIndexOf(".") + 1);
  const fields = row.map((text) => readField(name, text, tables!.names));
  const type: SchemaType = { kind: "struct", name: `v1.${bare}`, struct: linkFields(bare, fields) };
  tables.types.set(name, type);
  return type;
}

function mustResolve(name: string): SchemaType {
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
    // The only two embedded types with a JSON name of their own.
    embedded: go === "ObjectMeta" || go === "ListMeta",
    merge: merge !== undefined,
    mergeKey: mergeKey ?? "",
    retainKeys: retainKeys !== undefined,
  };
}

function readType(text: string, named?: string): SchemaType {
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

/** Returns a struct's own fields and those of embedded structs; as in Go, the shallowest one wins. */
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
