/** Sprig's `deepCopy`, which copies like mitchellh/copystructure. */

import {
  ANY,
  bare as bareValue,
  FunctionError,
  type GoType,
  isPlainMap,
  Typed,
  wrap,
} from "../value.ts";
import { capacityOf, withCapacity } from "./_capacity.ts";
import { MAX_ELEMENTS, Walk } from "./_limits.ts";
import { setKey } from "../../data/map.ts";

/** Returns a copy that shares no map or list with the original. */
export function deepCopy(value: unknown): unknown {
  if (value === null) {
    throw new FunctionError("reflect: call of reflect.Value.Type on zero Value");
  }
  return copyValue(value, { walk: new Walk(), depth: 0 });
}

interface Place {
  readonly walk: Walk;
  readonly depth: number;
}

function copyValue(value: unknown, place: Place): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { walk, depth } = place;
  walk.step(depth);
  if (walk.steps > MAX_ELEMENTS) {
    throw new FunctionError(`copy is larger than the limit of ${MAX_ELEMENTS} parts`);
  }
  const inner = { walk, depth: depth + 1 };
  if (value instanceof Typed) return copyTyped(value, inner);
  if (Array.isArray(value)) {
    return withCapacity(value.map((item) => copyValue(item, inner)), capacityOf(value, ANY));
  }
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    setKey(out, key, copyValue((value as Record<string, unknown>)[key], inner));
  }
  return out;
}

function copyTyped(typed: Typed, place: Place): unknown {
  const { type, value } = typed;
  if (value === null) return typed;
  switch (type.kind) {
    case "slice":
    case "array":
    case "map":
      return new Typed(type, copyElements(type, value, place));
    case "struct":
    case "ptr":
      if ((type.elem ?? type).fields) return new Typed(type, copyValue(value, place));
      return new Typed(type, copyOpaque(value));
    default:
      return typed;
  }
}

/**
 * Copies a struct without exported fields. The library leaves unexported fields zero, so a copy of
 * a version is `0.0.0`, but it can copy a time, which is an instance of a class here.
 */
function copyOpaque(value: unknown): unknown {
  if (!isPlainMap(value)) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).map(([key, field]) => [
    key,
    typeof field === "bigint" ? 0n : typeof field === "string" ? "" : field,
  ]);
  return Object.fromEntries(entries);
}

/** Copies the bare elements of a typed container. */
function copyElements(type: GoType, value: unknown, place: Place): unknown {
  const copyBare = (bare: unknown) => {
    const copy = copyValue(wrap(type.elem!, bare), place);
    return type.elem!.kind === "interface" ? copy : bareValue(copy);
  };
  if (type.kind !== "map") {
    const items = value as readonly unknown[];
    return withCapacity(Array.from(items, copyBare), capacityOf(items, type.elem!));
  }
  const out: Record<string, unknown> = {};
  for (const [key, bare] of Object.entries(value as object)) setKey(out, key, copyBare(bare));
  return out;
}
