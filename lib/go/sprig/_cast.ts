/**
 * From any value to the basic type a function wants, as sprig does it: numbers by spf13/cast, text by
 * sprig's own `strval`. Nothing here fails: what makes no number is 0.
 */

import { fromBytes } from "../bytes.ts";
import { formatValue } from "../fmt.ts";
import { parseFloat, parseInt } from "../strconv.ts";
import { BYTES, FunctionError, isIntegerKind, Typed, wrap } from "../value.ts";

const MIN_INT64 = -(2n ** 63n);
const TWO_63 = 2 ** 63;

/** The value that pointers lead to; `null` where one of them is nil. */
function indirect(value: unknown): unknown {
  while (value instanceof Typed && value.type.kind === "ptr") {
    if (value.value === null || !value.type.elem) return null;
    value = wrap(value.type.elem, value.value);
  }
  return value;
}

/** What is left of a value when its Go type is forgotten; `undefined` where that is no basic type. */
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

/** A parser's result, 0 where the text is no number. */
function orZero<T>(parse: () => T, zero: T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof FunctionError) return zero;
    throw error;
  }
}

/** Digits with a fraction lose it; whatever else has a dot (`1.5e3`) is left to fail as it is. */
function withoutFraction(text: string): string {
  const match = /^([-+]?[0-9]*)\.[0-9]*$/.exec(text);
  if (!match) return text;
  return /[0-9]$/.test(match[1]) ? match[1] : match[1] + "0";
}

/** Go's `int64(f)`, which on amd64 is the smallest integer for all that does not fit. */
export function floatToInt64(float: number): bigint {
  return float >= -TWO_63 && float < TWO_63 ? BigInt(Math.trunc(float)) : MIN_INT64;
}

/** `cast.ToInt64`, and `cast.ToInt` likewise. Text may have a prefix: `0755` is octal. */
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
      return orZero(() => parseInt(withoutFraction(basic), 0, 0), 0n);
    default:
      return 0n;
  }
}

/** `cast.ToFloat64`. */
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
      return orZero(() => parseFloat(basic), 0);
    default:
      return 0;
  }
}

/** sprig's `strval`: strings and bytes as they are, the rest as `%v` prints it. */
export function toStr(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Typed && value.type === BYTES) {
    return fromBytes(Uint8Array.from((value.value ?? []) as ArrayLike<number | bigint>, Number));
  }
  return formatValue(value);
}
