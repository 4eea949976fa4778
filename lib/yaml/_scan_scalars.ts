/**
 * Scans scalars. The cursor is at the first character of a scalar and moves past its last, resolving
 * escapes and folding lines on the way.
 */

import {
  ENDS_FLOW_PLAIN,
  ENDS_PLAIN,
  isBlank,
  isBreak,
  isGap,
  isWideBreak,
  KINDS,
} from "./_characters.ts";
import type { Cursor } from "./_cursor.ts";
import { EVENT, STYLE, YamlEvent } from "./_events.ts";

export interface PlainContext {
  /** The columns by which continuation lines must be indented. */
  readonly indent: number;
  readonly inFlow: boolean;
}

/** Scans a plain scalar. */
export function scanPlain(cursor: Cursor, { indent, inFlow }: PlainContext): YamlEvent {
  const { text } = cursor;
  const ends = inFlow ? ENDS_PLAIN | ENDS_FLOW_PLAIN : ENDS_PLAIN;
  const at = cursor.pos;
  let { pos } = cursor;
  // The text is `folded` plus the range from `from` to `end`.
  let folded = "";
  let from = at;
  let end = at;
  for (;;) {
    const run = pos;
    let code = text.charCodeAt(pos);
    for (;;) {
      if (code < 128 ? (KINDS[code] & ends) !== 0 : isWideBreak(code)) {
        if (code !== 0x3a || isGap(text.charCodeAt(pos + 1))) break;
      }
      code = text.charCodeAt(++pos);
    }
    if (pos > run) end = pos;
    // The character after a colon decides whether the scalar ends.
    if (code === 0 || code === 0x3a) {
      cursor.pos = pos;
      cursor.need(2);
    }
    if (!isBlank(code) && !isBreak(code)) break;
    while (code === 0x20 || code === 0x09) code = text.charCodeAt(++pos);
    if (isBreak(code)) {
      cursor.pos = pos;
      const fold = foldBreaks(cursor, indent);
      pos = cursor.pos;
      code = text.charCodeAt(pos);
      if (!inFlow && pos - cursor.lineStart < indent) break;
      if (pos === cursor.lineStart && cursor.isDocumentMark()) break;
      if (code === 0x23 || endsPlain(text, pos, ends)) break;
      folded += text.slice(from, end) + fold;
      from = pos;
    } else if (code === 0x23) {
      break;
    }
  }
  cursor.pos = pos;
  const value = from === at ? text.slice(at, end) : folded + text.slice(from, end);
  return new YamlEvent(EVENT.scalar, STYLE.plain, { at, start: at, end, value });
}

function endsPlain(text: string, pos: number, ends: number): boolean {
  const code = text.charCodeAt(pos);
  if (code >= 128) return isWideBreak(code);
  if ((KINDS[code] & ends) === 0) return false;
  return code !== 0x3a || isGap(text.charCodeAt(pos + 1));
}

/**
 * Skips line breaks and blanks, and returns what they fold to: a single break becomes a space, several
 * become all but the first. U+2028 and U+2029 are kept. `indent` is the first column that may hold a tab.
 */
function foldBreaks(cursor: Cursor, indent: number): string {
  const { text } = cursor;
  const first = breakText(text.charCodeAt(cursor.pos));
  cursor.skipBreak();
  let rest = "";
  for (;;) {
    const code = text.charCodeAt(cursor.pos);
    if (code === 0x09 && cursor.pos - cursor.lineStart < indent) {
      cursor.fail("found a tab character that violates indentation");
    }
    if (isBlank(code)) {
      cursor.pos++;
    } else if (isBreak(code)) {
      rest += breakText(code);
      cursor.skipBreak();
    } else {
      if (code === 0) cursor.need(1);
      break;
    }
  }
  if (first !== "\n") return first + rest;
  return rest === "" ? " " : rest;
}

/** Returns the text of a line break in a scalar. */
function breakText(code: number): string {
  return code >= 0x2028 ? String.fromCharCode(code) : "\n";
}

/** Scans a scalar in the given kind of quotes. */
export function scanQuoted(cursor: Cursor, quote: number): YamlEvent {
  const { text } = cursor;
  const at = cursor.pos++;
  const start = cursor.pos;
  let value = "";
  let from = start;
  let { pos } = cursor;
  for (;;) {
    let code = text.charCodeAt(pos);
    while (code !== quote && code !== 0x5c && code !== 0 && !isBreak(code)) {
      code = text.charCodeAt(++pos);
    }
    cursor.pos = pos;
    if (code === quote) {
      if (quote !== 0x27 || text.charCodeAt(pos + 1) !== 0x27) break;
      value += text.slice(from, pos + 1);
      pos = from = pos + 2;
    } else if (code === 0) {
      cursor.fail("found unexpected end of stream");
    } else if (code === 0x5c) {
      if (quote === 0x27) {
        pos++;
        continue;
      }
      value += text.slice(from, pos);
      const isBroken = isBreak(text.charCodeAt(pos + 1));
      value += isBroken ? skipEscapedBreak(cursor) : scanEscape(cursor);
      pos = from = cursor.pos;
    } else {
      let end = pos;
      while (end > from && isBlank(text.charCodeAt(end - 1))) end--;
      value += text.slice(from, end) + foldBreaks(cursor, 0);
      checkDocumentMark(cursor);
      pos = from = cursor.pos;
    }
  }
  const style = quote === 0x27 ? STYLE.single : STYLE.double;
  value = from === start ? text.slice(start, pos) : value + text.slice(from, pos);
  cursor.pos = pos + 1;
  return new YamlEvent(EVENT.scalar, style, { at, start, end: pos, value });
}

function checkDocumentMark(cursor: Cursor): void {
  if (cursor.pos === cursor.lineStart && cursor.isDocumentMark()) {
    cursor.fail("found unexpected document indicator");
  }
}

/** Skips `\` and the end of its line; only further line breaks after it are kept. */
function skipEscapedBreak(cursor: Cursor): string {
  const { text } = cursor;
  cursor.pos++;
  cursor.skipBreak();
  let breaks = "";
  for (;;) {
    const code = text.charCodeAt(cursor.pos);
    if (isBlank(code)) {
      cursor.pos++;
    } else if (isBreak(code)) {
      breaks += breakText(code);
      cursor.skipBreak();
    } else {
      break;
    }
  }
  checkDocumentMark(cursor);
  return breaks;
}

const ESCAPES = new Map(Object.entries({
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "'": "'",
  "\\": "\\",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
}));

/** The number of hex digits after each escape character. */
const CODES = new Map(Object.entries({ x: 2, u: 4, U: 8 }));

function scanEscape(cursor: Cursor): string {
  const { text, pos } = cursor;
  cursor.need(2);
  const letter = text[pos + 1];
  const escaped = ESCAPES.get(letter);
  if (escaped !== undefined) {
    cursor.pos += 2;
    return escaped;
  }
  const length = CODES.get(letter);
  if (length === undefined) cursor.fail("found unknown escape character", pos + 1);
  cursor.pos += 2;
  cursor.need(length);
  const digits = text.slice(cursor.pos, cursor.pos + length);
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits)) {
    cursor.fail("did not find expected hexdecimal number");
  }
  const code = Number.parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    cursor.fail("found invalid Unicode character escape code");
  }
  cursor.pos += length;
  return String.fromCodePoint(code);
}

export interface BlockContext {
  readonly literal: boolean;
  /** The column of the enclosing collection, or -1. */
  readonly indent: number;
}

/** Scans a scalar that starts with `|` or `>`. */
export function scanBlockScalar(cursor: Cursor, { literal, indent }: BlockContext): YamlEvent {
  const { text } = cursor;
  const at = cursor.pos++;
  const { keep, increment } = scanBlockHeader(cursor);
  cursor.endLine();
  const start = cursor.pos;
  let end = start;
  let column = increment === 0 ? 0 : Math.max(indent, 0) + increment;
  let lineBreak = "";
  let moreBreaks = "";
  /** Skips empty lines and indentation. */
  const skipIndentation = () => {
    let deepest = 0;
    end = cursor.pos;
    for (;;) {
      let width = cursor.pos - cursor.lineStart;
      while ((column === 0 || width < column) && text.charCodeAt(cursor.pos) === 0x20) {
        cursor.pos++;
        width++;
      }
      deepest = Math.max(deepest, width);
      const code = text.charCodeAt(cursor.pos);
      if (code === 0x09 && (column === 0 || width < column)) {
        cursor.fail("found a tab character where an indentation space is expected");
      }
      if (!isBreak(code)) {
        if (code === 0) cursor.need(1);
        break;
      }
      moreBreaks += breakText(code);
      cursor.skipBreak();
      end = cursor.pos;
    }
    if (column === 0) column = Math.max(deepest, indent + 1, 1);
  };
  skipIndentation();
  let value = "";
  let wasBlank = false;
  for (;;) {
    let { pos } = cursor;
    let code = text.charCodeAt(pos);
    if (pos - cursor.lineStart !== column || code === 0) break;
    // Lines that start with a blank are not folded.
    const startsBlank = isBlank(code);
    if (!literal && !wasBlank && !startsBlank && lineBreak === "\n") {
      if (moreBreaks === "") value += " ";
    } else {
      value += lineBreak;
    }
    value += moreBreaks;
    moreBreaks = "";
    wasBlank = startsBlank;
    const line = pos;
    while (code !== 0 && code !== 0x0a && !isBreak(code)) code = text.charCodeAt(++pos);
    value += text.slice(line, pos);
    cursor.pos = pos;
    lineBreak = "";
    if (code === 0) {
      cursor.need(1);
    } else {
      lineBreak = breakText(code);
      cursor.skipBreak();
    }
    skipIndentation();
  }
  if (keep !== "-") value += lineBreak;
  if (keep === "+") value += moreBreaks;
  const style = literal ? STYLE.literal : STYLE.folded;
  return new YamlEvent(EVENT.scalar, style, { at, start, end, value });
}

/**
 * Scans the header: which trailing line breaks are kept (`+` for all, `-` for none), and the indentation.
 */
function scanBlockHeader(cursor: Cursor): { keep: string; increment: number } {
  let keep = "";
  let digit = "";
  for (let i = 0; i < 2; i++) {
    cursor.need(1);
    const char = cursor.text[cursor.pos];
    if (keep === "" && (char === "+" || char === "-")) keep = char;
    else if (digit === "" && char >= "0" && char <= "9") digit = char;
    else break;
    if (char === "0") cursor.fail("found an indentation indicator equal to 0");
    cursor.pos++;
  }
  return { keep, increment: Number(digit) };
}
