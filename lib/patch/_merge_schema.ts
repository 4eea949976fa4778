/**
 * What a strategic merge asks of the schema: the type behind a key, and how its list merges. Errors
 * are those of Kubernetes, which looks fields up in Go structs by reflection.
 */
import { quote } from "../go/strconv.ts";
import { type JsonField, jsonField, type SchemaType, type StructType } from "../kube/schema.ts";
import { StrategicMergeError } from "./_merge_error.ts";

/** A list's elements and how they merge. */
export interface ListRule {
  readonly elem: SchemaType;
  readonly merge: boolean;
  readonly mergeKey: string;
}

/** The type of the value under `key` in an object of that type. */
export function memberType(type: SchemaType, key: string): SchemaType {
  return member(type, key).type;
}

/** The rule for a list under `key`. */
export function listRule(type: SchemaType, key: string): ListRule {
  const field = member(type, key);
  switch (field.type.kind) {
    case "list":
      return { elem: field.type.elem!, merge: field.merge, mergeKey: field.mergeKey };
    case "pointer":
      // A list where the API has an object: let through here, the typed decode refuses it later.
      return { elem: field.type.elem!, merge: field.merge, mergeKey: field.mergeKey };
    default:
      // Kubernetes names the kind of the struct around the field, not of the field.
      throw new StrategicMergeError(
        "wrong-type",
        `expected slice or array type, but got: ${reflectKind(type)}`,
      );
  }
}

function member(type: SchemaType, key: string): Pick<JsonField, "type" | "merge" | "mergeKey"> {
  const target = type.kind === "pointer" ? type.elem! : type;
  const opaque = OPAQUE.get(target.name);
  if (target.struct === undefined && opaque === undefined) {
    throw new StrategicMergeError(
      "wrong-type",
      `merging an object in json but data type is not struct, instead is: ${reflectKind(target)}`,
    );
  }
  const field = target.struct === undefined
    ? opaqueField(opaque!, key)
    : jsonField(target.struct, key);
  if (field !== undefined) return field;
  const name = target.struct?.name ?? target.name.slice(target.name.indexOf(".") + 1);
  throw new StrategicMergeError(
    "unknown-field",
    `unable to find api field in struct ${name} for the json field ${quote(key)}`,
  );
}

type OpaqueFields = ReadonlyMap<string, SchemaType>;

/** Structs with a JSON form of their own: these are the fields reflection still sees in them. */
const OPAQUE: ReadonlyMap<string, OpaqueFields> = new Map<string, OpaqueFields>([
  ["v1.Time", new Map()],
  ["v1.FieldsV1", new Map()],
  ["runtime.RawExtension", new Map()],
  ["resource.Quantity", new Map([["format", { kind: "string", name: "resource.Format" }]])],
  [
    "intstr.IntOrString",
    new Map<string, SchemaType>([
      ["type", { kind: "int64", name: "intstr.Type" }],
      ["intval", { kind: "int32", name: "int32" }],
      ["strval", { kind: "string", name: "string" }],
    ]),
  ],
]);

function opaqueField(fields: OpaqueFields, key: string) {
  const type = fields.get(key.toLowerCase());
  return type === undefined ? undefined : { type, merge: false, mergeKey: "" };
}

/** reflect.Kind's word for the type. */
export function reflectKind(type: SchemaType): string {
  switch (type.kind) {
    case "pointer":
      return "ptr";
    case "list":
      return "slice";
    case "quantity":
    case "intOrString":
    case "time":
    case "raw":
      return "struct";
    default:
      return type.kind;
  }
}

/** For the top of a merge. */
export function rootType(struct: StructType): SchemaType {
  return { kind: "struct", name: `v1.${struct.name}`, struct };
}
