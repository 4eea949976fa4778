/**
 * Go's `unicode` package, as far as sprig needs it: classes of runes, and case mapping that takes one
 * rune to one rune. JavaScript's `toUpperCase` is the full mapping (`ß` → `SS`), so what it expands
 * needs the simple mapping from here.
 */

import { isAscii } from "../bytes.ts";

/** What Go reads where bytes are not UTF-8. */
export const RUNE_ERROR = 0xfffd;

/**
 * Letters with case that are younger than Go's tables (Unicode 15.0): to Go they have none. Runtimes
 * differ in their own version, so the list holds everything up to Unicode 17.
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

/** A character's mapped form where that is one rune that Go knows, else the rune itself. */
function simple(rune: number, mapped: string): number {
  const to = mapped.codePointAt(0)!;
  if (mapped.length > (to > 0xffff ? 2 : 1)) return rune;
  return to === rune || isYounger(rune) || isYounger(to) ? rune : to;
}

/** `unicode.ToUpper`. */
export function toUpperRune(rune: number): number {
  if (rune < 0x80) return rune >= 0x61 && rune <= 0x7a ? rune - 32 : rune;
  // Greek letters with iota subscript: the full mapping writes the iota out as a letter.
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

/** `unicode.ToTitle`: upper case, but for the digraphs that have a form of their own. */
export function toTitleRune(rune: number): number {
  if (rune >= 0x1c4 && rune <= 0x1cc) return rune - (rune - 0x1c4) % 3 + 1;
  if (rune >= 0x1f1 && rune <= 0x1f3) return 0x1f2;
  // Georgian has capitals for whole words only.
  if (rune >= 0x10d0 && rune <= 0x10ff) return rune;
  return toUpperRune(rune);
}

/** Tests a rune against a class of JavaScript's regular expressions. */
function has(pattern: RegExp, rune: number): boolean {
  return pattern.test(String.fromCodePoint(rune));
}

/** `unicode.IsUpper`. */
export function isUpper(rune: number): boolean {
  if (rune < 0x80) return rune >= 0x41 && rune <= 0x5a;
  return has(/\p{Lu}/u, rune) && !isYounger(rune);
}

/** `unicode.IsLower`. U+0295 turned from lower case to a letter without case after Unicode 15. */
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

/** `unicode.IsDigit`: decimal digits of any script. */
export function isDigit(rune: number): boolean {
  return rune < 0x80 ? rune >= 0x30 && rune <= 0x39 : has(/\p{Nd}/u, rune);
}

/** `unicode.IsNumber`: digits, Roman numerals, fractions… */
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

/** The runes of a text, as Go's `[]rune(text)`: bytes that are not UTF-8 read as U+FFFD. */
export function runesOf(text: string): number[] {
  const runes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const rune = text.codePointAt(i)!;
    if (rune > 0xffff) i++;
    runes.push(rune >= 0xd800 && rune <= 0xdfff ? RUNE_ERROR : rune);
  }
  return runes;
}

/** `strings.Map`: the text with each rune replaced. */
export function mapRunes(text: string, map: (rune: number) => number): string {
  let out = "";
  for (const rune of runesOf(text)) out += String.fromCodePoint(map(rune));
  return out;
}
