/** Sprig's functions about types. */

import { type FunctionMap, goFunction, kindOf, typeName } from "../value.ts";
import { deepEqual } from "./_deep_equal.ts";

/** Reports whether a value is of a type or a pointer to it. */
function typeIsLike(target: string, value: unknown): boolean {
  const name = typeName(value);
  return name === target || name === `*${target}`;
}

export const reflectFunctions: FunctionMap = {
  deepEqual: goFunction("any, any", deepEqual),
  kindIs: goFunction("string, any", (target: string, value: unknown) => target === kindOf(value)),
  kindOf: goFunction("any", (value: unknown) => kindOf(value)),
  typeIs: goFunction("string, any", (target: string, value: unknown) => target === typeName(value)),
  typeIsLike: goFunction("string, any", typeIsLike),
  typeOf: goFunction("any", typeName),
};
