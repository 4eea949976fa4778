/**
 * Go's `strings` package on the strings of bytes.ts. Valid text can be searched and cut directly,
 * because in UTF-8 no character contains another. Text with escaped bytes is converted to a binary
 * string first, so that parts of a character can match.
 */

import { byteLength, canonical, fromBinary, toBinary } from "../../data/bytes.ts";
import { checkElements, checkTextBytes } from "./_limits.ts";
import { runesOf } from "./_runes.ts";

/** `strings.Join`. */
export function join(parts: readonly string[], separator: string): string {
  let bytes = byteLength(separator) * Math.max(0, parts.length - 1);
  for (const part of parts) bytes += byteLength(part);
  checkTextBytes(bytes);
  return canonical(parts.join(separator));
}

/** Calls a function with two texts, as binary strings unless both are valid. */
function withBytes<T>(a: string, b: string, act: (a: string, b: string) => T): T {
  if (a.isWellFormed() && b.isWellFormed()) return act(a, b);
  return act(toBinary(a), toBinary(b));
}

/** `strings.Contains`. */
export function contains(text: string, part: string): boolean {
  return withBytes(text, part, (t, p) => t.includes(p));
}

/** `strings.HasPrefix`. */
export function hasPrefix(text: string, prefix: string): boolean {
  return withBytes(text, prefix, (t, p) => t.startsWith(p));
}

/** `strings.HasSuffix`. */
export function hasSuffix(text: string, suffix: string): boolean {
  return withBytes(text, suffix, (t, s) => t.endsWith(s));
}

/** `strings.TrimPrefix`. */
export function trimPrefix(text: string, prefix: string): string {
  if (!hasPrefix(text, prefix)) return text;
  if (text.startsWith(prefix)) return canonical(text.slice(prefix.length));
  return fromBinary(toBinary(text).slice(toBinary(prefix).length));
}

/** `strings.TrimSuffix`. */
export function trimSuffix(text: string, suffix: string): string {
  if (suffix === "" || !hasSuffix(text, suffix)) return text;
  if (text.endsWith(suffix)) return canonical(text.slice(0, -suffix.length));
  return fromBinary(toBinary(text).slice(0, -toBinary(suffix).length));
}

/** `strings.SplitN`. Returns all parts if `limit` is negative, and `null` if it is 0. */
export function split(text: string, separator: string, limit = -1): string[] | null {
  if (limit === 0) return null;
  const parts = separator === "" ? [...text] : splitAt(text, separator);
  if (limit > 0 && parts.length > limit) {
    const rest = canonical(parts.slice(limit - 1).join(separator));
    parts.length = limit - 1;
    parts.push(rest);
  }
  checkElements(parts.length);
  return parts;
}

function splitAt(text: string, separator: string): string[] {
  if (text.isWellFormed() && separator.isWellFormed()) return text.split(separator);
  return toBinary(text).split(toBinary(separator)).map(fromBinary);
}

/** `strings.ReplaceAll`. An empty `old` matches before each rune and at the end. */
export function replaceAll(
  text: string,
  { old, replacement }: { readonly old: string; readonly replacement: string },
): string {
  const parts = old === "" ? ["", ...text, ""] : splitAt(text, old);
  checkTextBytes(byteLength(text) + (parts.length - 1) * byteLength(replacement));
  return canonical(parts.join(replacement));
}

/** `strings.Trim`. */
export function trimSet(text: string, cutset: string): string {
  const set = new Set(runesOf(cutset));
  const chars = [...text];
  let from = 0;
  let to = chars.length;
  while (from < to && set.has(runesOf(chars[from])[0])) from++;
  while (to > from && set.has(runesOf(chars[to - 1])[0])) to--;
  return from === 0 && to === chars.length ? text : canonical(chars.slice(from, to).join(""));
}
