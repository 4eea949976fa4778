/** How templates look up keys and print values. */
import { Typed, wrap } from "../value.ts";

/**
 * Returns the value of a key in a map, or `undefined`. Names that every JavaScript object inherits
 * (`constructor`, `toString`, `__proto__`) are ordinary keys.
 */
export function ownValue(map: Record<string, unknown>, key: string): unknown {
  const value = map[key];
  // Inherited values are functions or the prototype, and JSON contains neither.
  if (typeof value !== "function" && (key !== "__proto__" || Object.hasOwn(map, key))) return value;
  return undefined;
}

/** Returns the value that fmt prints: a dereferenced pointer, or a text for no value. */
export function printable(value: unknown): unknown {
  while (value instanceof Typed && value.type.kind === "ptr" && !value.type.stringer) {
    if (value.value === null) return null;
    value = wrap(value.type.elem!, value.value);
  }
  return value === undefined ? "<no value>" : value;
}
