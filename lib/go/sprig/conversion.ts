/** sprig's conversions between numbers and text. None of them fails: what is no number is 0. */

import { formatValue } from "../fmt.ts";
import { atoi, NumberError, parseInt } from "../strconv.ts";
import { type FunctionMap, goFunction, int, int64, type Typed } from "../value.ts";
import { toFloat64, toInt64, toStr } from "./_cast.ts";

/** `strconv.Atoi` with its error dropped: past the range of an integer that leaves the nearest one. */
function atoiOrNearest(text: string): Typed {
  try {
    return int(atoi(text));
  } catch (error) {
    if (error instanceof NumberError) return int(error.value as bigint);
    throw error;
  }
}

/** Octal digits to a number. Anything is printed first, so that the number 755 is good, too. */
function toDecimal(value: unknown): Typed {
  try {
    return int64(parseInt(formatValue(value), 8, 64));
  } catch (error) {
    if (error instanceof NumberError) return int64(0);
    throw error;
  }
}

export const conversionFunctions: FunctionMap = {
  atoi: goFunction("string", atoiOrNearest),
  float64: goFunction("any", toFloat64),
  int: goFunction("any", (value: unknown) => int(toInt64(value))),
  int64: goFunction("any", (value: unknown) => int64(toInt64(value))),
  toDecimal: goFunction("any", toDecimal),
  toString: goFunction("any", toStr),
};
