/**
 * The parts of Go's `unicode` that sprig needs: classes of runes, and simple case mapping, which
 * maps one rune to one rune. JavaScript has the full mapping instead, where `ß` becomes `SS`.
 */

import { isAscii } from "../../data/bytes.ts";

/** Go's `utf8.RuneError`, which stands for invalid bytes. */
export const RUNE_ERROR = 0xfffd;

/**
 * Letters with case that were added after Unicode 15.0, up to 17.0. Go uses 15.0 and does not know
 * them; runtimes use various versions.
 */
const YOUNGER: readonly (readonly [first: number, last: number])[] = [
  [0x1c89, 0x1c8a],
  [0xa7cb, 0xa7cf],
  [0xa7d2, 0xa7d2],
  [0xa7d4, 0xa7d4],
  [0xa7da, 0xa7dc],
  [0x10d50, 0x10d85],
  [0x16ea0, 0x16ed3],
];

function isYounger(rune: number): boolean {
  return rune >= YOUNGER[0][0] && YOUNGER.some(([first, last]) => rune >= first && rune <= last);
}

/** Returns the mapped rune if it is a single rune that Go knows, otherwise the rune itself. */
function simple(rune: number, mapped: string): number {
  const to = mapped.codePointAt(0)!;
  if (mapped.length > (to > 0xffff ? 2 : 1)) return rune;
  return to === rune || isYounger(rune) || isYounger(to) ? rune : to;
}

/** `unicode.ToUpper`. */
export function toUpperRune(rune: number): number {
  if (rune < 0x80) return rune >= 0x61 && rune <= 0x7a ? rune - 32 : rune;
  // Greek letters with iota subscript. The full mapping writes the iota as a letter.
  if (rune >= 0x1f80 && rune <= 0x1faf) return rune | 8;
  if (rune === 0x1fb3 || rune === 0x1fc3 || rune === 0x1ff3) return rune + 9;
  return simple(rune, String.fromCodePoint(rune).toUpperCase());
}

/** `unicode.ToLower`. */
export function toLowerRune(rune: number): number {
  if (rune < 0x80) return rune >= 0x41 && rune <= 0x5a ? rune + 32 : rune;
  if (rune === 0x130) return 0x69; // İ: the full mapping keeps its dot as a combining mark
  return simple(rune, String.fromCodePoint(rune).toLowerCase());
}

/** `unicode.ToTitle`: upper case, except for digraphs with a title case of their own. */
export function toTitleRune(rune: number): number {
  if (rune >= 0x1c4 && rune <= 0x1cc) return rune - (rune - 0x1c4) % 3 + 1;
  if (rune >= 0x1f1 && rune <= 0x1f3) return 0x1f2;
  // Georgian uses capitals only for whole words.
  if (rune >= 0x10d0 && rune <= 0x10ff) return rune;
  return toUpperRune(rune);
}

/** Reports whether a rune matches a regular expression. */
function has(pattern: RegExp, rune: number): boolean {
  return pattern.test(String.fromCodePoint(rune));
}

/** `unicode.IsUpper`. */
export function isUpper(rune: number): boolean {
  if (rune < 0x80) return rune >= 0x41 && rune <= 0x5a;
  return has(/\p{Lu}/u, rune) && !isYounger(rune);
}

/** `unicode.IsLower`. After Unicode 15.0, U+0295 is no longer lower case. */
export function isLower(rune: number): boolean {
  if (rune < 0x80) return rune >= 0x61 && rune <= 0x7a;
  return rune === 0x295 || has(/\p{Ll}/u, rune) && !isYounger(rune);
}

/** `unicode.IsTitle`. */
export function isTitle(rune: number): boolean {
  return rune >= 0x80 && has(/\p{Lt}/u, rune);
}

/** `unicode.IsLetter`. */
export function isLetter(rune: number): boolean {
  if (rune < 0x80) return (rune | 32) >= 0x61 && (rune | 32) <= 0x7a;
  return has(/\p{L}/u, rune) && !isYounger(rune);
}

/** `unicode.IsDigit`, true for the decimal digits of every script. */
export function isDigit(rune: number): boolean {
  return rune < 0x80 ? rune >= 0x30 && rune <= 0x39 : has(/\p{Nd}/u, rune);
}

/** `unicode.IsNumber`, true for digits, Roman numerals, fractions and so on. */
export function isNumber(rune: number): boolean {
  return rune < 0x80 ? rune >= 0x30 && rune <= 0x39 : has(/\p{N}/u, rune);
}

/** `unicode.IsPunct`. */
export function isPunct(rune: number): boolean {
  return has(/\p{P}/u, rune);
}

/** `strings.ToUpper`. */
export function toUpper(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapRunes(text, toUpperRune);
}

/** `strings.ToLower`. */
export function toLower(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapRunes(text, toLowerRune);
}

/** Returns the runes of a text, as Go's `[]rune(text)` does. Invalid bytes become U+FFFD. */
export function runesOf(text: string): number[] {
  const runes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const rune = text.codePointAt(i)!;
    if (rune > 0xffff) i++;
    runes.push(rune >= 0xd800 && rune <= 0xdfff ? RUNE_ERROR : rune);
  }
  return runes;
}

/** `strings.Map`: returns the text with each rune replaced. */
export function mapRunes(text: string, map: (rune: number) => number): string {
  let out = "";
  for (const rune of runesOf(text)) out += String.fromCodePoint(map(rune));
  return out;
}
