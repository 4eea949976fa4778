/**
 * Go's `strings` package over our strings. Valid text can be searched and cut as it is, since UTF-8
 * never hides one character in another; text with escaped bytes (see bytes.ts) goes through a binary
 * string, one character a byte, so that half a character can be found and two halves make a whole.
 */

import { byteLength, fromBytes, isAscii, toBytes } from "../bytes.ts";
import { checkElements, checkTextBytes } from "./_limits.ts";
import { runesOf } from "./_runes.ts";

/** One character (U+0000…U+00FF) a byte. */
export function toBinary(text: string): string {
  if (isAscii(text)) return text;
  const bytes = toBytes(text);
  let out = "";
  // Arguments of one call sit on the stack, so not all bytes at once.
  for (let i = 0; i < bytes.length; i += 8192) {
    out += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return out;
}

/** The text that a binary string stands for. */
export function fromBinary(binary: string): string {
  if (isAscii(binary)) return binary;
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return fromBytes(bytes);
}

/** Text put together of parts: bytes that were escaped may have met their other half. */
export function canonical(text: string): string {
  return text.isWellFormed() ? text : fromBytes(toBytes(text));
}

/** `strings.Join`. */
export function join(parts: readonly string[], separator: string): string {
  let bytes = byteLength(separator) * Math.max(0, parts.length - 1);
  for (const part of parts) bytes += byteLength(part);
  checkTextBytes(bytes);
  return canonical(parts.join(separator));
}

/** Does something to two texts as they are where that is exact, as binary strings elsewhere. */
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

/** `strings.SplitN`; all parts where `limit` is negative, and `null` (a nil slice) where it is 0. */
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

/** `strings.ReplaceAll`. An empty `old` is found before each rune and at the end. */
export function replaceAll(
  text: string,
  { old, replacement }: { readonly old: string; readonly replacement: string },
): string {
  const parts = old === "" ? ["", ...text, ""] : splitAt(text, old);
  checkTextBytes(byteLength(text) + (parts.length - 1) * byteLength(replacement));
  return canonical(parts.join(replacement));
}

/** `strings.Trim`: without the runes of a set at both ends. */
export function trimSet(text: string, cutset: string): string {
  const set = new Set(runesOf(cutset));
  const chars = [...text];
  let from = 0;
  let to = chars.length;
  while (from < to && set.has(runesOf(chars[from])[0])) from++;
  while (to > from && set.has(runesOf(chars[to - 1])[0])) to--;
  return from === 0 && to === chars.length ? text : canonical(chars.slice(from, to).join(""));
}
