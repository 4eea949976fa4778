/**
 * The step between YAML and a typed decode. Kubernetes' YAML library turns the document into JSON with
 * sorted keys, and numbers and booleans into text where the field they are for is a string
 * (`version: 1.10` gives "1.1", `on: y` gives "true").
 *
 * It looks that field up by itself, and wrongly if the field comes from an inline struct: it takes
 * that struct for the field's type. So nothing is converted under `hostPath`, nor in
 * `configMapKeyRef.name`, and the decode then refuses those numbers. Kept, since it decides whether
 * kube-inject fails.
 */
import { compareBytes } from "./_byte_order.ts";
import { type GoType, jsonField, type StructType } from "./schema.ts";

/** A copy of the value, converted for the type, or for none where the schema knows nothing. */
export function convertStrings(type: GoType | undefined, value: unknown): unknown {
  const target = type?.kind === "pointer" ? type.elem : type;
  if (Array.isArray(value)) {
    const elem = target?.kind === "list" ? target.elem : undefined;
    return value.map((item) => convertStrings(elem, item));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => compareBytes(a, b));
    // fromEntries defines `__proto__` like any other key.
    return Object.fromEntries(
      entries.map(([key, given]) => [key, convertStrings(memberTarget(target, key), given)]),
    );
  }
  return target?.kind === "string" ? scalarText(value) : value;
}

function memberTarget(target: GoType | undefined, key: string): GoType | undefined {
  switch (target?.kind) {
    case "struct":
      return fieldTarget(target.struct!, key);
    case "map":
      return target.elem;
    default:
      return undefined;
  }
}

function fieldTarget(struct: StructType, key: string): GoType | undefined {
  const field = jsonField(struct, key);
  if (field === undefined || field.through.length === 0) return field?.type;
  return struct.byGo.get(field.through[0])!.type;
}

function scalarText(value: unknown): unknown {
  switch (typeof value) {
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return numberText(value);
    default:
      return value;
  }
}

/**
 * Go prints YAML integers in full and floats in their shortest form, with an exponent from 1e+06 up.
 * Which of the two a whole number was is no longer known: `1e6` prints as the integer it equals.
 */
function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  const [digits, exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
