/** Sprig's functions that depend on whether values are empty, which is the opposite of true. */

import { type FunctionMap, goFunction, isTrue } from "../value.ts";

/** Returns the given value, or the fallback if it is empty or missing. */
function defaultTo(fallback: unknown, ...given: unknown[]): unknown {
  return isTrue(given[0]) ? given[0] : fallback;
}

function coalesce(...values: unknown[]): unknown {
  return values.find(isTrue) ?? null;
}

export const defaultFunctions: FunctionMap = {
  all: goFunction("...any", (...values: unknown[]) => values.every(isTrue)),
  any: goFunction("...any", (...values: unknown[]) => values.some(isTrue)),
  coalesce: goFunction("...any", coalesce),
  default: goFunction("any, ...any", defaultTo),
  empty: goFunction("any", (value: unknown) => !isTrue(value)),
  ternary: goFunction(
    "any, any, bool",
    (yes: unknown, no: unknown, condition: boolean) => condition ? yes : no,
  ),
};
