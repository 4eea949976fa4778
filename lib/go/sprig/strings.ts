/** Sprig's string functions. Lengths and offsets are in bytes, as in Go. */

import { byteLength, canonical, fromBinary, sliceBytes, toBinary } from "../../data/bytes.ts";
import { formatValue } from "../fmt.ts";
import { quote } from "../strconv.ts";
import { isSpace, trimSpace } from "../strings.ts";
import { FunctionError, type FunctionMap, goFunction } from "../value.ts";
import { swapCase, toConnectedCase, toPascalCase, toTitle, untitle } from "./_case.ts";
import { toStr } from "./_cast.ts";
import type { SprigHost } from "./_host.ts";
import { checkTextBytes } from "./_limits.ts";
import { randomBelow } from "./_random.ts";
import { runesOf, toLower, toUpper } from "./_runes.ts";
import {
  contains,
  hasPrefix,
  hasSuffix,
  join,
  replaceAll,
  trimPrefix,
  trimSet,
  trimSuffix,
} from "./_text.ts";

function repeat(count: number, text: string): string {
  if (count < 0) throw new FunctionError("strings: negative Repeat count");
  checkTextBytes(byteLength(text) * count);
  return canonical(text.repeat(text === "" ? 0 : count));
}

function trunc(length: number, text: string): string {
  const bytes = byteLength(text);
  if (length < 0) return bytes + length > 0 ? sliceBytes(text, bytes + length) : text;
  return bytes > length ? sliceBytes(text, 0, length) : text;
}

/** Returns `text[from:to]`. A negative `from` is the start, a `to` out of range the end. */
function substr(from: number, to: number, text: string): string {
  const bytes = byteLength(text);
  if (from < 0) {
    if (to < 0) throw outOfRange(`:${to}`);
    if (to > bytes) throw outOfRange(`:${to}`, bytes);
    return sliceBytes(text, 0, to);
  }
  const end = to < 0 || to > bytes ? bytes : to;
  if (from > end) throw outOfRange(`${from}:${end}`);
  return sliceBytes(text, from, end);
}

function outOfRange(bounds: string, length?: number): FunctionError {
  const suffix = length === undefined ? "" : ` with length ${length}`;
  return new FunctionError(`runtime error: slice bounds out of range [${bounds}]${suffix}`);
}

const ELLIPSIS = "...";

/** Cuts text to a width, with `...` at the cuts, so that the byte at `offset` stays visible. */
function abbreviate(binary: string, offset: number, width: number): string {
  if (binary.length <= width) return binary;
  const room = width - ELLIPSIS.length;
  const from = Math.min(offset, binary.length - room);
  // An ellipsis instead of four bytes or fewer saves nothing.
  if (from <= 4) return binary.slice(0, room) + ELLIPSIS;
  // goutils returns an error and "" here, and sprig ignores the error.
  if (width < 7) return "";
  if (from + room < binary.length) return ELLIPSIS + abbreviate(binary.slice(from), 0, room);
  return ELLIPSIS + binary.slice(-room);
}

function abbrev(width: number, text: string): string {
  return width < 4 ? text : fromBinary(abbreviate(toBinary(text), 0, width));
}

function abbrevboth(left: number, right: number, text: string): string {
  if (right < 4 || left > 0 && right < 7) return text;
  return fromBinary(abbreviate(toBinary(text), left, right));
}

/** Removes spaces byte by byte. If there is any, the result is read as Latin-1. */
function nospace(text: string): string {
  const binary = toBinary(text);
  let out = "";
  for (const char of binary) if (!isSpace(char.charCodeAt(0))) out += char;
  return out.length === binary.length ? text : out;
}

/** Returns the first byte of each word, read as Latin-1. */
function initials(text: string): string {
  let out = "";
  let starts = true;
  for (const char of toBinary(text)) {
    if (isSpace(char.charCodeAt(0))) starts = true;
    else if (starts) {
      out += char;
      starts = false;
    }
  }
  return out;
}

interface WrapOptions {
  readonly width: number;
  readonly newline: string;
  /** Whether to break words that are longer than a line. */
  readonly cutWords: boolean;
}

/** Breaks text at spaces into lines of a width in bytes. Each break replaces one space. */
function wrap(text: string, { width, newline, cutWords }: WrapOptions): string {
  const binary = toBinary(text);
  const lines: string[] = [];
  const limit = Math.max(width, 1);
  let at = 0;
  const breakAt = (end: number, next: number) => {
    lines.push(binary.slice(at, end));
    at = next;
  };
  while (binary.length - at > limit) {
    if (binary[at] === " ") {
      at++;
      continue;
    }
    const space = binary.slice(at, at + limit + 1).lastIndexOf(" ");
    if (space >= 0) breakAt(at + space, at + space + 1);
    else if (cutWords) breakAt(at + limit, at + limit);
    else {
      const end = binary.indexOf(" ", at + limit);
      if (end < 0) break;
      breakAt(end, end + 1);
    }
  }
  const separator = toBinary(newline || "\n");
  checkTextBytes(binary.length + lines.length * separator.length);
  lines.push(binary.slice(at));
  return fromBinary(lines.join(separator));
}

/** Joins the texts of all values that are not nil. */
function joinTexts(values: readonly unknown[], textOf: (value: unknown) => string): string {
  return join(values.filter((value) => value !== null).map(textOf), " ");
}

function quoteAll(...values: unknown[]): string {
  return joinTexts(values, (value) => quote(toStr(value)));
}

function squoteAll(...values: unknown[]): string {
  return joinTexts(values, (value) => `'${formatValue(value)}'`);
}

function cat(...values: unknown[]): string {
  return joinTexts(values, formatValue);
}

function indent(spaces: number, text: string): string {
  if (spaces < 0) throw new FunctionError("strings: negative Repeat count");
  const lines = text.split("\n");
  checkTextBytes(byteLength(text) + lines.length * spaces);
  const padding = " ".repeat(spaces);
  return padding + lines.join(`\n${padding}`);
}

/** Shuffles the runes of a string. */
function shuffle(text: string, host: Pick<SprigHost, "randomBytes">): string {
  const runes = runesOf(text);
  for (let i = runes.length - 1; i > 0; i--) {
    const other = randomBelow(host, i + 1);
    [runes[i], runes[other]] = [runes[other], runes[i]];
  }
  return runes.map((rune) => String.fromCodePoint(rune)).join("");
}

/** Returns the string functions. `shuffle` uses the host's randomness. */
export function stringFunctions(host: Pick<SprigHost, "randomBytes">): FunctionMap {
  const trimAll = goFunction("string, string", (set: string, text: string) => trimSet(text, set));
  return {
    abbrev: goFunction("int, string", abbrev),
    abbrevboth: goFunction("int, int, string", abbrevboth),
    camelcase: goFunction("string", toPascalCase),
    cat: goFunction("...any", cat),
    contains: goFunction("string, string", (part: string, text: string) => contains(text, part)),
    hasPrefix: goFunction("string, string", (part: string, text: string) => hasPrefix(text, part)),
    hasSuffix: goFunction("string, string", (part: string, text: string) => hasSuffix(text, part)),
    hello: goFunction("", () => "Hello!"),
    indent: goFunction("int, string", indent),
    initials: goFunction("string", initials),
    kebabcase: goFunction("string", (text: string) => toConnectedCase(text, "-")),
    lower: goFunction("string", toLower),
    nindent: goFunction("int, string", (n: number, text: string) => "\n" + indent(n, text)),
    nospace: goFunction("string", nospace),
    plural: goFunction(
      "string, string, int",
      (one: string, many: string, count: number) => count === 1 ? one : many,
    ),
    quote: goFunction("...any", quoteAll),
    repeat: goFunction("int, string", repeat),
    replace: goFunction(
      "string, string, string",
      (old: string, replacement: string, text: string) => replaceAll(text, { old, replacement }),
    ),
    shuffle: goFunction("string", (text: string) => shuffle(text, host)),
    snakecase: goFunction("string", (text: string) => toConnectedCase(text, "_")),
    squote: goFunction("...any", squoteAll),
    substr: goFunction("int, int, string", substr),
    swapcase: goFunction("string", swapCase),
    title: goFunction("string", toTitle),
    trim: goFunction("string", trimSpace),
    trimAll,
    trimall: trimAll,
    trimPrefix: goFunction(
      "string, string",
      (part: string, text: string) => trimPrefix(text, part),
    ),
    trimSuffix: goFunction(
      "string, string",
      (part: string, text: string) => trimSuffix(text, part),
    ),
    trunc: goFunction("int, string", trunc),
    untitle: goFunction("string", untitle),
    upper: goFunction("string", toUpper),
    wrap: goFunction(
      "int, string",
      (width: number, text: string) => wrap(text, { width, newline: "\n", cutWords: false }),
    ),
    wrapWith: goFunction(
      "int, string, string",
      (width: number, newline: string, text: string) =>
        wrap(text, { width, newline, cutWords: true }),
    ),
  };
}
