/** sprig's notion of an empty value, on which defaults and `compact` turn. */

import type { Complex } from "../fmt.ts";
import { isIntegerKind, Typed } from "../value.ts";

/** Whether an object has no key of its own. */
export function hasNoKeys(object: object): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return false;
  return true;
}

/** nil, zero, false and what has no elements. A struct never is, a pointer only where it is nil. */
export function isEmpty(value: unknown): boolean {
  switch (typeof value) {
    case "string":
      return value === "";
    case "boolean":
      return !value;
    case "number":
      return value === 0;
    case "object":
      if (value === null) return true;
      if (value instanceof Typed) return isEmptyTyped(value);
      return Array.isArray(value) ? value.length === 0 : hasNoKeys(value);
    default:
      return true;
  }
}

function isEmptyTyped({ type: { kind }, value }: Typed): boolean {
  if (isIntegerKind(kind)) return value === 0n;
  switch (kind) {
    case "bool":
      return value === false;
    case "string":
      return value === "";
    case "float32":
    case "float64":
      return value === 0;
    case "complex128":
      return (value as Complex).re === 0 && (value as Complex).im === 0;
    case "slice":
    case "array":
      return value === null || (value as ArrayLike<unknown>).length === 0;
    case "map":
      return value === null || hasNoKeys(value as object);
    case "struct":
      return false;
    default:
      return value === null;
  }
}
