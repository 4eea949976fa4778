/**
 * The arithmetic of shopspring/decimal, which `addf`, `subf`, `mulf` and `divf` use. Sums and
 * products are exact. Quotients are rounded to 16 places, halves away from zero.
 */

import { formatFloatShortest } from "../strconv.ts";
import { FunctionError } from "../value.ts";

/** The number `coefficient × 10^exponent`. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** The decimal places of a quotient: the library's `DivisionPrecision`. */
const DIVISION_PLACES = 16;

/**
 * The maximum size of a coefficient in bits. The exponents of two floats are at most 632 apart, so
 * sums need less than 2,200 bits; products and quotients grow with each operand.
 */
const MAX_BITS = 1 << 20;

/** Returns the decimal with the fewest digits that converts back to the same float. */
export function decimalFromFloat(float: number): Decimal {
  if (!Number.isFinite(float)) {
    throw new FunctionError(`Cannot create a Decimal from ${formatFloatShortest(float)}`);
  }
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(
    String(float),
  )!;
  return {
    coefficient: BigInt(sign + whole + fraction),
    exponent: Number(exponent) - fraction.length,
  };
}

/** Returns the nearest float. */
export function decimalToFloat({ coefficient, exponent }: Decimal): number {
  // JavaScript rounds a literal of any length correctly. An exact zero has no sign.
  return coefficient === 0n ? 0 : Number(`${coefficient}e${exponent}`);
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  return { coefficient: rescale(a, exponent) + rescale(b, exponent), exponent };
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { coefficient: -b.coefficient, exponent: b.exponent });
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  const coefficient = checked(a.coefficient * b.coefficient);
  return { coefficient, exponent: a.exponent + b.exponent };
}

export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (b.coefficient === 0n) throw new FunctionError("decimal division by 0");
  // a / b in units of 10^-16, as one fraction of integers.
  const shift = a.exponent - b.exponent + DIVISION_PLACES;
  const numerator = abs(a.coefficient) * (shift > 0 ? power10(shift) : 1n);
  const denominator = abs(b.coefficient) * (shift < 0 ? power10(-shift) : 1n);
  const rounded = checked((2n * numerator + denominator) / (2n * denominator));
  const negative = (a.coefficient < 0n) !== (b.coefficient < 0n);
  return { coefficient: negative ? -rounded : rounded, exponent: -DIVISION_PLACES };
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function power10(exponent: number): bigint {
  // A digit needs less than four bits.
  if (exponent * 4 > MAX_BITS) throw new FunctionError("decimal has too many digits");
  return 10n ** BigInt(exponent);
}

function rescale({ coefficient, exponent }: Decimal, to: number): bigint {
  return exponent === to ? coefficient : coefficient * power10(exponent - to);
}

function checked(coefficient: bigint): bigint {
  if (abs(coefficient) >> BigInt(MAX_BITS)) throw new FunctionError("decimal has too many digits");
  return coefficient;
}
