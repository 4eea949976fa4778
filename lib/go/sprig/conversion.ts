/** Sprig's conversions between numbers and text. None of them fails; invalid numbers are 0. */

import { formatValue } from "../fmt.ts";
import { atoi, ignoringError, parseInt } from "../strconv.ts";
import { type FunctionMap, goFunction, int, int64, recover, type Typed } from "../value.ts";
import { toFloat64, toInt64, toStr } from "./_cast.ts";

/** Parses octal digits. It prints its argument first, so the number 755 works as well. */
function toDecimal(value: unknown): Typed {
  return int64(recover(() => parseInt(formatValue(value), 8, 64), () => 0n));
}

export const conversionFunctions: FunctionMap = {
  atoi: goFunction("string", (text: string) => int(ignoringError(() => atoi(text)))),
  float64: goFunction("any", toFloat64),
  int: goFunction("any", (value: unknown) => int(toInt64(value))),
  int64: goFunction("any", (value: unknown) => int64(toInt64(value))),
  toDecimal: goFunction("any", toDecimal),
  toString: goFunction("any", toStr),
};
