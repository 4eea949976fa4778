/** Reads untrusted JSON values without assuming their shape. */

import { isMap } from "../data/map.ts";

export type Json = Readonly<Record<string, unknown>>;

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value at a path; `undefined` if there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** Returns the string members of a map, ignoring all others. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isMap(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] =>
      typeof entry[1] === "string"
    ),
  );
}
