/**
 * Rejects keys and numbers that JSON cannot represent, in a complete value: go-yaml decodes them, and
 * rejects them only if no later key has replaced them.
 */

import { compareStrings } from "../data/bytes.ts";
import { YamlFailure } from "./_error.ts";
import type { YamlEvent } from "./_events.ts";

export interface NoJson {
  /** Maps with a key that JSON cannot represent, each with the failure of the first such key. */
  readonly badKeys: ReadonlyMap<object, () => YamlFailure> | undefined;
  /** Numbers that JSON cannot represent, each with its first event. */
  readonly badNumbers: ReadonlyMap<number, YamlEvent> | undefined;
}

/** Throws for the first bad key, or else the first bad number, in JSON output order. */
export function checkJson(value: unknown, { badKeys, badNumbers }: NoJson): void {
  if (badKeys !== undefined) {
    walk(value, (part) => {
      if (typeof part === "object" && badKeys.has(part!)) throw badKeys.get(part!)!();
    });
  }
  if (badNumbers === undefined) return;
  walk(value, (part) => {
    if (typeof part !== "number" || Number.isFinite(part)) return;
    const offset = badNumbers.get(part)?.at ?? 0;
    const sign = part > 0 ? "" : "-";
    const message = `${Number.isNaN(part) ? ".nan" : `${sign}.inf`} is not a JSON number`;
    const name = Number.isNaN(part) ? "NaN" : `${sign === "" ? "+" : sign}Inf`;
    const original = `json: unsupported value: ${name}`;
    throw new YamlFailure("not-json", { offset, message, original });
  });
}

function walk(value: unknown, visit: (part: unknown) => void): void {
  if (value === null) return;
  visit(value);
  if (typeof value !== "object") return;
  if (Array.isArray(value)) { for (const item of value) walk(item, visit); }
  else {
    const map = value as Record<string, unknown>;
    for (const key of Object.keys(map).sort(compareStrings)) walk(map[key], visit);
  }
}
