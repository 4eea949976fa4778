/** Scalars as text, for fields whose type is string. */
import { formatFloat } from "../go/strconv.ts";

/**
 * Returns the text that `sigs.k8s.io/yaml` makes of a number or boolean in the place of a string,
 * or undefined for maps, lists and null. Whether a whole number was written as a float is not known
 * here, so `1e6` gives 1000000. Other floats have the precision of 32 bits, surprisingly.
 */
export function scalarText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return String(BigInt(value));
      return formatFloat(Math.fround(value), "g", -1, 32);
    default:
      return undefined;
  }
}
