/** sprig's choices between values by whether they are empty. */

import { type FunctionMap, goFunction } from "../value.ts";
import { isEmpty } from "./_empty.ts";

/** `default d` without a value comes out of an empty pipeline; it is the default, too. */
function defaultTo(fallback: unknown, ...given: unknown[]): unknown {
  return given.length === 0 || isEmpty(given[0]) ? fallback : given[0];
}

function coalesce(...values: unknown[]): unknown {
  return values.find((value) => !isEmpty(value)) ?? null;
}

export const defaultFunctions: FunctionMap = {
  all: goFunction("...any", (...values: unknown[]) => !values.some(isEmpty)),
  any: goFunction("...any", (...values: unknown[]) => !values.every(isEmpty)),
  coalesce: goFunction("...any", coalesce),
  default: goFunction("any, ...any", defaultTo),
  empty: goFunction("any", isEmpty),
  ternary: goFunction(
    "any, any, bool",
    (yes: unknown, no: unknown, condition: boolean) => condition ? yes : no,
  ),
};
