/**
 * Casts any value to a basic type as sprig does: to numbers with spf13/cast, to text with its own
 * `strval`. Nothing here fails; a value that is not a number becomes 0.
 */

import { fromBytes } from "../../data/bytes.ts";
import { formatValue } from "../fmt.ts";
import { parseFloat, parseInt } from "../strconv.ts";
import { BYTES, isIntegerKind, recover, Typed, wrap } from "../value.ts";

const MIN_INT64 = -(2n ** 63n);
const TWO_63 = 2 ** 63;

/** Dereferences pointers. Returns `null` if one of them is nil. */
function indirect(value: unknown): unknown {
  while (value instanceof Typed && value.type.kind === "ptr") {
    if (value.value === null || !value.type.elem) return null;
    value = wrap(value.type.elem, value.value);
  }
  return value;
}

/** Returns a value of a basic type as a JavaScript value; `undefined` for other types. */
function basicValue(value: unknown): bigint | number | string | boolean | null | undefined {
  value = indirect(value);
  if (value instanceof Typed) {
    const { kind } = value.type;
    if (isIntegerKind(kind)) return value.value as bigint;
    if (kind === "float32" || kind === "float64") return value.value as number;
    if (kind === "string") return value.value as string;
    return kind === "bool" ? value.value as boolean : undefined;
  }
  switch (typeof value) {
    case "number":
    case "string":
    case "boolean":
      return value;
    default:
      return value === null ? null : undefined;
  }
}

/** Removes a fraction from plain digits. Other text, such as `1.5e3`, stays and fails. */
function withoutFraction(text: string): string {
  const match = /^([-+]?[0-9]*)\.[0-9]*$/.exec(text);
  if (!match) return text;
  return /[0-9]$/.test(match[1]) ? match[1] : match[1] + "0";
}

/** Go's `int64(f)`, which on amd64 is the smallest integer if the float does not fit. */
export function floatToInt64(float: number): bigint {
  return float >= -TWO_63 && float < TWO_63 ? BigInt(Math.trunc(float)) : MIN_INT64;
}

/** Implements `cast.ToInt64` and `cast.ToInt`. Text can have a prefix, so `0755` is octal. */
export function toInt64(value: unknown): bigint {
  if (value instanceof Typed && value.type.kind === "int") return value.value as bigint;
  const basic = basicValue(value);
  switch (typeof basic) {
    case "bigint":
      return BigInt.asIntN(64, basic);
    case "number":
      return floatToInt64(basic);
    case "boolean":
      return basic ? 1n : 0n;
    case "string":
      return recover(() => parseInt(withoutFraction(basic), 0, 0), () => 0n);
    default:
      return 0n;
  }
}

/** Implements `cast.ToFloat64`. */
export function toFloat64(value: unknown): number {
  const basic = basicValue(value);
  switch (typeof basic) {
    case "bigint":
      return Number(basic);
    case "number":
      return basic;
    case "boolean":
      return basic ? 1 : 0;
    case "string":
      return recover(() => parseFloat(basic), () => 0);
    default:
      return 0;
  }
}

/** Implements sprig's `strval`: returns strings and bytes unchanged, all else as with `%v`. */
export function toStr(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Typed && value.type === BYTES) {
    return fromBytes(Uint8Array.from((value.value ?? []) as ArrayLike<number | bigint>, Number));
  }
  return formatValue(value);
}
