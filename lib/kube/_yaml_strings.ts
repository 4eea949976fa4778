/**
 * Converts YAML scalars to strings before a typed decode, as sigs.k8s.io/yaml does. It turns a document
 * into JSON with sorted keys, and turns numbers and booleans into strings if the target field is a
 * string (`version: 1.10` gives "1.1", `on: y` gives "true").
 *
 * For fields of an inline struct the library looks up the wrong type: that of the struct. It therefore
 * converts nothing under `hostPath` or in `configMapKeyRef.name`, and the decode then refuses those
 * numbers. This code does the same, because it decides whether kube-inject fails.
 */
import { compareStrings } from "../data/bytes.ts";
import { scalarText } from "../yaml/mod.ts";
import { jsonField, type SchemaType, type StructType } from "./schema.ts";

/** Returns a converted copy of the value; `type` is undefined if the schema does not know the field. */
export function convertStrings(type: SchemaType | undefined, value: unknown): unknown {
  const target = type?.kind === "pointer" ? type.elem : type;
  if (Array.isArray(value)) {
    const elem = target?.kind === "list" ? target.elem : undefined;
    return value.map((item) => convertStrings(elem, item));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => compareStrings(a, b));
    // fromEntries defines `__proto__` like any other key.
    return Object.fromEntries(
      entries.map(([key, given]) => [key, convertStrings(memberTarget(target, key), given)]),
    );
  }
  return target?.kind === "string" ? scalarText(value) ?? value : value;
}

function memberTarget(target: SchemaType | undefined, key: string): SchemaType | undefined {
  switch (target?.kind) {
    case "struct":
      return fieldTarget(target.struct!, key);
    case "map":
      return target.elem;
    default:
      return undefined;
  }
}

function fieldTarget(struct: StructType, key: string): SchemaType | undefined {
  const field = jsonField(struct, key);
  if (field === undefined || field.through.length === 0) return field?.type;
  return struct.byGo.get(field.through[0])!.type;
}
