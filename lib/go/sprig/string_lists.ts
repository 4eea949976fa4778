/** Sprig's functions that split strings, join them, and sort lists of them. */

import { compareStrings } from "../../data/bytes.ts";
import {
  type FunctionMap,
  goFunction,
  kindOf,
  STRING,
  stringMap,
  STRINGS,
  strings,
  Typed,
} from "../value.ts";
import { capacityOf, wasMade, withCapacity } from "./_capacity.ts";
import { toStr } from "./_cast.ts";
import { elementsOf, viewList } from "./_lists.ts";
import { join, split } from "./_text.ts";

/** Sprig's `strslice`: converts elements to strings, without nil. A single value is a list of one. */
function toStringList(value: unknown): readonly string[] | null {
  if (value instanceof Typed && value.type === STRINGS) {
    return value.value as readonly string[] | null;
  }
  const view = viewList(value);
  if (view) {
    const items = elementsOf(view).filter((item) => item !== null).map(toStr);
    return withCapacity(items, view.items.length);
  }
  return withCapacity(value === null ? [] : [toStr(value)]);
}

/**
 * Sorts a list by bytes. Sprig sorts a `[]string` in place, and so does this for lists that
 * templates make. A list in the data, such as the arguments of a container, is copied first.
 */
function sortAlpha(list: unknown): Typed {
  const kind = kindOf(list);
  if (kind !== "slice" && kind !== "array") return strings(withCapacity([toStr(list)]));
  const parts = toStringList(list);
  if (parts === null) return strings(null);
  if (wasMade(parts)) return strings((parts as string[]).sort(compareStrings));
  return strings(withCapacity(parts.toSorted(compareStrings), capacityOf(parts, STRING)));
}

/** Returns a map from `_0`, `_1` and so on to the parts, which templates access as fields. */
function numbered(parts: readonly string[] | null): Typed {
  return stringMap(Object.fromEntries((parts ?? []).map((part, i) => [`_${i}`, part])));
}

function splitList(separator: string, text: string): Typed {
  return strings(withCapacity(split(text, separator) ?? []));
}

export const stringListFunctions: FunctionMap = {
  join: goFunction(
    "string, any",
    (separator: string, list: unknown) => join(toStringList(list) ?? [], separator),
  ),
  sortAlpha: goFunction("any", sortAlpha),
  split: goFunction("string, string", (sep: string, text: string) => numbered(split(text, sep))),
  splitList: goFunction("string, string", splitList),
  splitn: goFunction(
    "string, int, string",
    (separator: string, limit: number, text: string) => numbered(split(text, separator, limit)),
  ),
  toStrings: goFunction("any", (value: unknown) => strings(toStringList(value))),
};
