/**
 * Sprig's arithmetic. Plain functions cast their arguments to `int64` and wrap around. Functions
 * with an `f` compute with decimals (see _decimal.ts) and return a float.
 */

import {
  FunctionError,
  type FunctionMap,
  type GoFunction,
  goFunction,
  int64,
  INTS,
  Typed,
} from "../value.ts";
import { toFloat64, toInt64 } from "./_cast.ts";
import {
  addDecimals,
  type Decimal,
  decimalFromFloat,
  decimalToFloat,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
} from "./_decimal.ts";
import { checkElements } from "./_limits.ts";

function divide(a: unknown, b: unknown): Typed {
  return int64(toInt64(a) / divisor(b));
}

function modulo(a: unknown, b: unknown): Typed {
  return int64(toInt64(a) % divisor(b));
}

function divisor(value: unknown): bigint {
  const divisor = toInt64(value);
  if (divisor === 0n) throw new FunctionError("runtime error: integer divide by zero");
  return divisor;
}

/** Returns a function that folds one or more values as integers. */
function foldInt64(fold: (a: bigint, b: bigint) => bigint): GoFunction {
  return goFunction("any, ...any", (first: unknown, ...rest: unknown[]) => {
    let result = toInt64(first);
    for (const value of rest) result = BigInt.asIntN(64, fold(result, toInt64(value)));
    return int64(result);
  });
}

/** Returns a function that folds one or more values as floats. */
function foldFloat64(fold: (a: number, b: number) => number): GoFunction {
  return goFunction(
    "any, ...any",
    (first: unknown, ...rest: unknown[]) =>
      rest.reduce<number>((result, value) => fold(result, toFloat64(value)), toFloat64(first)),
  );
}

type DecimalOperation = (a: Decimal, b: Decimal) => Decimal;

function calculate(operation: DecimalOperation, first: unknown, rest: unknown[]): number {
  let result = decimalFromFloat(toFloat64(first));
  for (const value of rest) result = operation(result, decimalFromFloat(toFloat64(value)));
  return decimalToFloat(result);
}

/** Returns a function that folds one or more values as decimals. */
function foldDecimal(operation: DecimalOperation): GoFunction {
  return goFunction(
    "any, ...any",
    (first: unknown, ...rest: unknown[]) => calculate(operation, first, rest),
  );
}

/** Go's `math.Max`, where +Inf wins even over NaN. */
function maxFloat(a: number, b: number): number {
  return a === Infinity || b === Infinity ? Infinity : Math.max(a, b);
}

/** Go's `math.Min`, where -Inf wins even over NaN. */
function minFloat(a: number, b: number): number {
  return a === -Infinity || b === -Infinity ? -Infinity : Math.min(a, b);
}

/** Returns 10^exponent by repeated squaring, with the same rounding as Go's `math.Pow`. */
function power10(exponent: number): number {
  // Beyond these limits the result is infinite or zero anyway.
  if (exponent > 400) return Infinity;
  if (exponent < -400) return 0;
  // Keep the fraction and the binary exponent apart: 10 = 0.625 × 2⁴.
  let [square, squareExponent] = [0.625, 4];
  let [fraction, binary] = [1, 0];
  for (let bits = Math.abs(exponent); bits > 0; bits >>= 1) {
    if (bits & 1) {
      fraction *= square;
      binary += squareExponent;
    }
    square *= square;
    squareExponent *= 2;
    if (square < 0.5) {
      square *= 2;
      squareExponent--;
    }
  }
  if (exponent < 0) [fraction, binary] = [1 / fraction, -binary];
  // In two steps, because 2^binary alone may be out of range.
  const half = Math.trunc(binary / 2);
  return fraction * 2 ** half * 2 ** (binary - half);
}

/**
 * Rounds up to the given places if the remaining fraction is at least `roundOn`, otherwise down.
 * The fraction of a negative number is negative, so negative numbers are always rounded down.
 */
function round(value: unknown, places: number, ...options: number[]): number {
  const roundOn = options.length > 0 ? options[0] : 0.5;
  const power = power10(places);
  const scaled = power * toFloat64(value);
  const fraction = scaled - Math.trunc(scaled);
  return (fraction >= roundOn ? Math.ceil(scaled) : Math.floor(scaled)) / power;
}

/** Returns the integers from `start` to before `stop`, none if the step leads away. */
function untilStep(start: number, stop: number, step: number): number[] {
  if (stop < start ? step >= 0 : step <= 0) return [];
  checkElements(Math.ceil((stop - start) / step));
  const out: number[] = [];
  for (let i = start; stop < start ? i > stop : i < stop; i += step) out.push(i);
  return out;
}

function ints(values: readonly number[]): Typed {
  return new Typed(INTS, values.map(BigInt));
}

/** Works like `seq`: takes `end`, `start end` or `start step end`, and includes the end. */
function seq(...params: number[]): string {
  if (params.length === 0 || params.length > 3) return "";
  const start = params.length === 1 ? 1 : params[0];
  const end = params[params.length - 1];
  const direction = end < start ? -1 : 1;
  const step = params.length === 3 ? params[1] : direction;
  return untilStep(start, end + direction, step).join(" ");
}

export const mathFunctions: FunctionMap = {
  add: goFunction(
    "...any",
    (...values: unknown[]) => int64(values.reduce<bigint>((sum, v) => sum + toInt64(v), 0n)),
  ),
  add1: goFunction("any", (value: unknown) => int64(toInt64(value) + 1n)),
  add1f: goFunction("any", (value: unknown) => calculate(addDecimals, value, [1])),
  addf: goFunction("...any", (...values: unknown[]) => calculate(addDecimals, 0, values)),
  biggest: foldInt64((a, b) => b > a ? b : a),
  ceil: goFunction("any", (value: unknown) => Math.ceil(toFloat64(value))),
  div: goFunction("any, any", divide),
  divf: foldDecimal(divideDecimals),
  floor: goFunction("any", (value: unknown) => Math.floor(toFloat64(value))),
  max: foldInt64((a, b) => b > a ? b : a),
  maxf: foldFloat64(maxFloat),
  min: foldInt64((a, b) => b < a ? b : a),
  minf: foldFloat64(minFloat),
  mod: goFunction("any, any", modulo),
  mul: foldInt64((a, b) => a * b),
  mulf: foldDecimal(multiplyDecimals),
  round: goFunction("any, int, ...float64", round),
  seq: goFunction("...int", seq),
  sub: goFunction("any, any", (a: unknown, b: unknown) => int64(toInt64(a) - toInt64(b))),
  subf: foldDecimal(subtractDecimals),
  until: goFunction("int", (count: number) => ints(untilStep(0, count, count < 0 ? -1 : 1))),
  untilStep: goFunction(
    "int, int, int",
    (start: number, stop: number, step: number) => ints(untilStep(start, stop, step)),
  ),
};
