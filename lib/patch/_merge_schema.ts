/**
 * Looks up what a strategic merge needs from the schema: the type behind a key, and how its list merges.
 * Errors are those of Kubernetes, which looks fields up by reflection.
 */
import { quote } from "../go/strconv.ts";
import { type JsonField, jsonField, type SchemaType, type StructType } from "../kube/schema.ts";
import { StrategicMergeError } from "./_merge_error.ts";

/** The element type of a list and its merge strategy. */
export interface ListRule {
  readonly elem: SchemaType;
  readonly merge: boolean;
  readonly mergeKey: string;
}

/** Returns the type of the value under `key` in an object of type `type`. */
export function memberType(type: SchemaType, key: string): SchemaType {
  return member(type, key).type;
}

/** Returns the rule for a list under `key`. */
export function listRule(type: SchemaType, key: string): ListRule {
  const field = member(type, key);
  switch (field.type.kind) {
    case "list":
      return { elem: field.type.elem!, merge: field.merge, mergeKey: field.mergeKey };
    case "pointer":
      // A list where the API has an object is accepted here; typed decoding rejects it later.
      return { elem: field.type.elem!, merge: field.merge, mergeKey: field.mergeKey };
    default:
      // Kubernetes names the kind of the enclosing struct, not of the field.
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

/** Structs with custom JSON, and the fields that reflection still sees in them. */
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

/** Returns the name of a type's reflect.Kind. */
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

/** Returns the type at the root of a merge. */
export function rootType(struct: StructType): SchemaType {
  return { kind: "struct", name: `v1.${struct.name}`, struct };
}
