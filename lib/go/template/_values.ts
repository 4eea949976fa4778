/** What the engine asks of values: truth, own keys, what to print. */
import type { Complex } from "../fmt.ts";
import { isPlainMap, Typed, wrap } from "../value.ts";

/**
 * The value under a key of a map, or `undefined`. Names that every JavaScript object inherits
 * (`constructor`, `toString`, `__proto__`) are ordinary keys here.
 */
export function ownValue(map: Record<string, unknown>, key: string): unknown {
  const value = map[key];
  // What is inherited is a function, or the prototype itself; JSON holds neither.
  if (typeof value !== "function" && (key !== "__proto__" || Object.hasOwn(map, key))) return value;
  return undefined;
}

/** Go's truth: not the zero value of its type; structs are always true. */
export function isTrue(value: unknown): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value !== "";
    case "number":
      return value !== 0;
    case "undefined":
      return false;
  }
  if (value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (isPlainMap(value)) {
    for (const key in value) if (Object.hasOwn(value, key)) return true;
    return false;
  }
  if (!(value instanceof Typed)) return true;
  const bare = value.value;
  switch (value.type.kind) {
    case "struct":
      return true;
    case "slice":
    case "array":
      return bare !== null && (bare as ArrayLike<unknown>).length > 0;
    case "map":
      return bare !== null && Object.keys(bare as object).length > 0;
    case "complex128":
      return (bare as Complex).re !== 0 || (bare as Complex).im !== 0;
    case "ptr":
    case "func":
    case "interface":
      return bare !== null;
  }
  return bare !== "" && bare !== 0n && bare !== 0 && bare !== false;
}

/** What fmt is given to print: pointers are followed, no value has a text of its own. */
export function printable(value: unknown): unknown {
  while (value instanceof Typed && value.type.kind === "ptr" && !value.type.stringer) {
    if (value.value === null) return null;
    value = wrap(value.type.elem!, value.value);
  }
  return value === undefined ? "<no value>" : value;
}
