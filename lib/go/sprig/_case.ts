/**
 * Case conversions: snake, kebab and Pascal case from huandu/xstrings, swapped case from goutils,
 * and title case from the standard library.
 */

import {
  isDigit,
  isLetter,
  isLower,
  isNumber,
  isPunct,
  isTitle,
  isUpper,
  mapRunes,
  RUNE_ERROR,
  runesOf,
  toLowerRune,
  toTitleRune,
  toUpperRune,
} from "./_runes.ts";
import { isSpace } from "../strings.ts";

/** Go's `strings.Title`: raises every letter that does not follow a letter, digit or underscore. */
export function toTitle(text: string): string {
  let previous = 0x20;
  return mapRunes(text, (rune) => {
    const starts = separates(previous);
    previous = rune;
    return starts ? toTitleRune(rune) : rune;
  });
}

function separates(rune: number): boolean {
  if (rune === 0x5f || isLetter(rune) || isDigit(rune)) return false;
  return rune < 0x80 || isSpace(rune);
}

/** Lowers the first rune of each word. */
export function untitle(text: string): string {
  let starts = true;
  return mapRunes(text, (rune) => {
    if (isSpace(rune)) starts = true;
    else if (starts) {
      starts = false;
      return toLowerRune(rune);
    }
    return rune;
  });
}

/** Swaps upper and lower case. A lower case letter at the start of a word becomes title case. */
export function swapCase(text: string): string {
  let starts = true;
  return mapRunes(text, (rune) => {
    if (isUpper(rune) || isTitle(rune)) {
      starts = false;
      return toLowerRune(rune);
    }
    if (isLower(rune)) {
      const swapped = starts ? toTitleRune(rune) : toUpperRune(rune);
      starts = false;
      return swapped;
    }
    starts = isSpace(rune);
    return rune;
  });
}

function isConnector(rune: number): boolean {
  return rune === 0x2d || rune === 0x5f || isSpace(rune);
}

/**
 * Converts to Pascal case: removes connectors and raises the letter after each. Connectors at the
 * start or after another one stay. In a run of capitals at the start of a word, only the first
 * stays a capital (`HTTP_get` → `HttpGet`).
 */
export function toPascalCase(text: string): string {
  const runes = runesOf(text);
  let out = "";
  let start = 0;
  while (start < runes.length && isConnector(runes[start])) {
    out += String.fromCodePoint(runes[start++]);
  }
  // If there are only connectors, xstrings writes the last one twice.
  if (start === runes.length) return out + out.slice(-1);
  let inCapitals = isUpper(runes[start]);
  let pending = toUpperRune(runes[start]);
  for (let i = start + 1; i < runes.length; i++) {
    let rune = runes[i];
    if (isConnector(pending)) {
      if (isConnector(rune)) out += String.fromCodePoint(pending);
      else {
        inCapitals = isUpper(rune);
        rune = toUpperRune(rune);
      }
    } else {
      out += String.fromCodePoint(pending);
      if (inCapitals && isUpper(rune)) rune = toLowerRune(rune);
      else inCapitals = false;
    }
    pending = rune;
  }
  return out + String.fromCodePoint(pending);
}

/** The kind of runes that make up a word. */
type WordKind = "number" | "upper" | "letters" | "connector" | "punct" | "other" | "invalid";

interface Word {
  readonly kind: WordKind;
  readonly text: string;
}

/** A rune with the invalid bytes before it. */
interface Unit {
  readonly text: string;
  readonly rune: number;
}

/** Returns the runes of a text with the invalid bytes before each, and after the last. */
function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  let invalid = "";
  for (const char of text) {
    const rune = runesOf(char)[0];
    if (rune === RUNE_ERROR) invalid += char;
    else {
      units.push({ text: invalid + char, rune });
      invalid = "";
    }
  }
  if (invalid) units.push({ text: invalid, rune: units.at(-1)?.rune ?? RUNE_ERROR });
  return units;
}

/** Reports whether a rune is a letter but not Chinese, by the ranges of xstrings. */
function isAlphabet(rune: number): boolean {
  const isChinese = (rune >= 0x3400 && rune <= 0x4d85) || (rune >= 0x4e00 && rune <= 0x9fcc) ||
    (rune >= 0x20000 && rune <= 0x2b81d);
  return !isChinese && isLetter(rune);
}

function isSmallLetter(rune: number): boolean {
  return isAlphabet(rune) && !isUpper(rune);
}

/** Splits text into words as xstrings does. */
function wordsOf(text: string): Word[] {
  const units = unitsOf(text);
  const words: Word[] = [];
  for (let at = 0; at < units.length;) {
    const kind = kindOfWord(units[at].rune);
    const end = endOfWord(units, at, kind);
    words.push({ kind, text: units.slice(at, end).map((unit) => unit.text).join("") });
    at = end;
  }
  return words;
}

function kindOfWord(rune: number): WordKind {
  if (rune === RUNE_ERROR) return "invalid";
  if (isConnector(rune)) return "connector";
  if (isPunct(rune)) return "punct";
  if (isUpper(rune)) return "upper";
  if (isAlphabet(rune)) return "letters";
  return isNumber(rune) ? "number" : "other";
}

function endOfWord(units: readonly Unit[], at: number, kind: WordKind): number {
  const runFrom = (from: number, belongs: (rune: number) => boolean) => {
    let end = from;
    while (end < units.length && belongs(units[end].rune)) end++;
    return end;
  };
  switch (kind) {
    case "connector":
      return runFrom(at + 1, isConnector);
    case "punct":
      return runFrom(at + 1, isPunct);
    case "letters":
      return runFrom(at + 1, isSmallLetter);
    case "number":
      return runFrom(at + 1, isNumber);
    case "upper": {
      const capitals = runFrom(at + 1, isUpper);
      if (capitals === at + 1) return runFrom(capitals, isSmallLetter);
      // The last capital of `HTTPStatus` starts the next word.
      return capitals < units.length && isAlphabet(units[capitals].rune) ? capitals - 1 : capitals;
    }
    case "other":
      return runFrom(
        at + 1,
        (rune) => !isConnector(rune) && !isAlphabet(rune) && !isNumber(rune) && !isPunct(rune),
      );
    case "invalid":
      return at + 1;
  }
}

/**
 * Converts to snake or kebab case, depending on the connector. A number belongs to the word before
 * it (`Bld4Floor` → `bld4_floor`) unless small letters follow (`http2xx` → `http_2xx`).
 */
export function toConnectedCase(text: string, connector: "_" | "-"): string {
  const words = wordsOf(text);
  const is = (index: number, ...kinds: WordKind[]) => kinds.includes(words[index]?.kind);
  let out = "";
  let at = 0;
  const write = () => out += lowered(words[at++], connector);
  while (at < words.length - 1) {
    const afterNumber = is(at, "number");
    const separated = is(at, "connector", "punct");
    write();
    if (separated) continue;
    if (!afterNumber && is(at, "number")) {
      if (at === words.length - 1) break;
      if (is(at + 1, "letters")) out += connector;
      else {
        write();
        if (!is(at, "connector", "punct")) out += connector;
        continue;
      }
    }
    const isRun = afterNumber || is(at, "number");
    while (isRun && is(at, "letters", "number")) write();
    if (at < words.length && !is(at, "connector", "punct")) out += connector;
  }
  if (at < words.length) write();
  return out;
}

/** Returns a word in lower case, with its connectors replaced. */
function lowered({ kind, text }: Word, connector: string): string {
  if (kind !== "upper" && kind !== "connector") return text;
  let out = "";
  for (const rune of runesOf(text)) {
    if (isConnector(rune)) out += connector;
    else out += String.fromCodePoint(isUpper(rune) ? toLowerRune(rune) : rune);
  }
  return out;
}
