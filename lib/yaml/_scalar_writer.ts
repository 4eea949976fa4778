/**
 * Writes strings: picks plain, single-quoted, double-quoted or literal style and lays the text out, folding
 * at the first space past column 80.
 */

import { byteLength } from "../data/bytes.ts";
import { isTimestamp, resolvePlain } from "./_scalars.ts";

/** The position of a scalar: `indent` of its continuation lines, `column` of its first character. */
export interface ScalarPlace {
  indent: number;
  column: number;
  isKey: boolean;
}

/** go-yaml folds at the first space past this column. */
const BEST_WIDTH = 80;

/** Longer keys, in bytes, use the `? ` form. */
const MAX_SIMPLE_KEY_BYTES = 128;

/** Matches base-60 numbers, which other YAML 1.1 readers understand, so they are quoted. */
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

const PLAIN = 0;
const SINGLE_QUOTED = 1;
const DOUBLE_QUOTED = 2;
const LITERAL = 3;
type Style = typeof PLAIN | typeof SINGLE_QUOTED | typeof DOUBLE_QUOTED | typeof LITERAL;

/** Reports whether a key needs the `? ` form: it has line breaks, or is long. */
export function keyNeedsQuestionMark(key: string): boolean {
  for (let i = 0; i < key.length; i++) {
    if (isBreak(key.charCodeAt(i))) return true;
  }
  return key.length * 3 > MAX_SIMPLE_KEY_BYTES && byteLength(key) > MAX_SIMPLE_KEY_BYTES;
}

/** Writes a string in the style that go-yaml picks for it. */
export function writeScalarText(text: string, place: ScalarPlace): string {
  switch (pickStyle(text)) {
    case PLAIN:
      return mayFold(text, place) ? writeFlowText(text, place, false) : text;
    case SINGLE_QUOTED:
      return `'${writeFlowText(text, { ...place, column: place.column + 1 }, true)}'`;
    case DOUBLE_QUOTED:
      return writeDoubleQuoted(text, place);
    case LITERAL:
      return writeLiteral(text, place.indent);
  }
}

function mayFold(text: string, place: ScalarPlace): boolean {
  return !place.isKey && place.column + text.length > BEST_WIDTH && text.includes(" ");
}

function pickStyle(text: string): Style {
  const allowed = analyse(text);
  if (text.includes("\n")) return allowed.literal ? LITERAL : DOUBLE_QUOTED;
  if (isAmbiguous(text)) return DOUBLE_QUOTED;
  if (allowed.plain) return PLAIN;
  return allowed.singleQuoted ? SINGLE_QUOTED : DOUBLE_QUOTED;
}

/** Reports whether a plain text would not be read as a string, here or by another reader. */
function isAmbiguous(text: string): boolean {
  if (typeof resolvePlain(text) !== "string") return true;
  const first = text.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39 || first === 0x2b || first === 0x2d)) return false;
  return isTimestamp(text) || text.includes(":") && SEXAGESIMAL.test(text);
}

interface Allowed {
  plain: boolean;
  singleQuoted: boolean;
  literal: boolean;
}

const ALL: Allowed = { plain: true, singleQuoted: true, literal: true };
const ONLY_QUOTED: Allowed = { plain: false, singleQuoted: true, literal: true };
const ONLY_ESCAPED: Allowed = { plain: false, singleQuoted: false, literal: false };

/** Scans a text once and returns the styles that can represent it. */
function analyse(text: string): Allowed {
  const last = text.length - 1;
  if (last < 0) return ALL;
  let plain = !text.startsWith("---") && !text.startsWith("...");
  let breakThenSpace = false;
  let wasSpace = false;
  let wasBreak = false;
  let afterBlank = true;
  for (let i = 0; i <= last; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x60 && code < 0x7b || code > 0x40 && code < 0x5b) { // the common case: a letter
      wasSpace = wasBreak = afterBlank = false;
      continue;
    }
    if (!isPrintable(code)) return ONLY_ESCAPED;
    if (code === 0x20) {
      if (i === 0 || i === last) plain = false;
      if (wasBreak) breakThenSpace = true;
      wasSpace = true;
      wasBreak = false;
      afterBlank = true;
      continue;
    }
    if (isBreak(code)) {
      plain = false;
      if (wasSpace) return ONLY_ESCAPED;
      wasBreak = true;
      afterBlank = true;
      continue;
    }
    if (plain && isIndicator(text, i, afterBlank)) plain = false;
    wasSpace = wasBreak = afterBlank = false;
  }
  if (plain) return ALL;
  const literal = text.charCodeAt(last) !== 0x20;
  if (!breakThenSpace && literal) return ONLY_QUOTED;
  return { plain: false, singleQuoted: !breakThenSpace, literal };
}

/** Reports whether the character at `i` would end or change a plain scalar. */
function isIndicator(text: string, i: number, afterBlank: boolean): boolean {
  const code = text.charCodeAt(i);
  switch (code) {
    case 0x3a: // :
      return isBlankOrEnd(text, i + 1);
    case 0x23: // #
      return afterBlank;
    case 0x3f: // ?
    case 0x2d: // -
      return i === 0 && isBlankOrEnd(text, 1);
    case 0x2c: // ,
    case 0x5b: // [
    case 0x5d: // ]
    case 0x7b: // {
    case 0x7d: // }
    case 0x26: // &
    case 0x2a: // *
    case 0x21: // !
    case 0x7c: // |
    case 0x3e: // >
    case 0x27: // '
    case 0x22: // "
    case 0x25: // %
    case 0x40: // @
    case 0x60: // `
      return i === 0;
    default:
      return false;
  }
}

function isBlankOrEnd(text: string, i: number): boolean {
  if (i >= text.length) return true;
  const code = text.charCodeAt(i);
  return code === 0x20 || code === 0x09;
}

/**
 * Reports whether a character is a line feed or another line break of YAML 1.1. CR and U+0085 are never
 * printable.
 */
function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x2028 || code === 0x2029 || code === 0x0d || code === 0x85;
}

/**
 * Reports whether go-yaml considers a character printable: no tab, and nothing past the basic plane, so
 * emoji are escaped.
 */
function isPrintable(code: number): boolean {
  if (code < 0x7f) return code >= 0x20 || code === 0x0a;
  return code >= 0xa0 && (code < 0xd800 || code > 0xdfff) && code !== 0xfeff && code < 0xfffe;
}

/**
 * Writes plain or single-quoted text. A space past the width becomes a line break; `'` is doubled in
 * quotes.
 */
function writeFlowText(text: string, place: ScalarPlace, quoted: boolean): string {
  const pad = `\n${" ".repeat(place.indent)}`;
  let out = "";
  let column = place.column;
  let wasSpace = false;
  let wasBreak = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x20) {
      const folds = !place.isKey && !wasSpace && column > BEST_WIDTH &&
        text.charCodeAt(i + 1) !== 0x20 && (!quoted || i > 0 && i < text.length - 1);
      if (folds) {
        out += pad;
        column = place.indent;
      } else {
        out += " ";
        column++;
      }
      wasSpace = true;
      continue;
    }
    if (isBreak(code)) { // only U+2028 and U+2029 get here: they stay, and the next line is indented
      out += text[i];
      column = 0;
      wasBreak = true;
      continue;
    }
    if (wasBreak) {
      out += " ".repeat(place.indent);
      column = place.indent;
    }
    if (quoted && code === 0x27) {
      out += "'";
      column++;
    }
    out += text[i];
    column++;
    wasSpace = wasBreak = false;
  }
  return out;
}

const SHORT_ESCAPES = new Map<number, string>([
  [0x00, "0"],
  [0x07, "a"],
  [0x08, "b"],
  [0x09, "t"],
  [0x0a, "n"],
  [0x0b, "v"],
  [0x0c, "f"],
  [0x0d, "r"],
  [0x1b, "e"],
  [0x22, '"'],
  [0x5c, "\\"],
  [0x85, "N"],
  [0xa0, "_"],
  [0x2028, "L"],
  [0x2029, "P"],
]);

function writeDoubleQuoted(text: string, place: ScalarPlace): string {
  const pad = `\n${" ".repeat(place.indent)}`;
  // If the text starts with a byte order mark, go-yaml escapes every character past ASCII.
  const escapeAll = text.charCodeAt(0) === 0xfeff;
  let out = '"';
  let column = place.column + 1;
  let wasSpace = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (escapeAll || !isPrintable(code) || isBreak(code) || code === 0x22 || code === 0x5c) {
      const point = text.codePointAt(i)!;
      if (point > 0xffff) i++;
      const escaped = escapeOf(point);
      out += escaped;
      column += escaped.length;
      wasSpace = false;
    } else if (code === 0x20) {
      if (!place.isKey && !wasSpace && column > BEST_WIDTH && i > 0 && i < text.length - 1) {
        out += pad;
        column = place.indent;
        if (text.charCodeAt(i + 1) === 0x20) {
          out += "\\";
          column++;
        }
      } else {
        out += " ";
        column++;
      }
      wasSpace = true;
    } else {
      out += text[i];
      column++;
      wasSpace = false;
    }
  }
  return `${out}"`;
}

function escapeOf(point: number): string {
  const short = SHORT_ESCAPES.get(point);
  if (short !== undefined) return `\\${short}`;
  const hex = point.toString(16).toUpperCase();
  if (point <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return point <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

function writeLiteral(text: string, indent: number): string {
  const first = text.charCodeAt(0);
  const end = text.length - 1;
  const hint = first === 0x20 || isBreak(first) ? "2" : "";
  const endsInBreak = isBreak(text.charCodeAt(end));
  const keeps = endsInBreak && (end === 0 || isBreak(text.charCodeAt(end - 1)));
  const pad = " ".repeat(indent);
  // Indent every non-empty line. U+2028 and U+2029 end a line too.
  const body = text.replace(/[^\n\u2028\u2029]+/g, (line) => pad + line);
  return `|${hint}${keeps ? "+" : endsInBreak ? "" : "-"}\n${body}`;
}
