/**
 * Quotes and unquotes Go string literals, as `strconv.Quote` and `strconv.Unquote` do.
 *
 * Strings are those of bytes.ts, so a byte that is not UTF-8 becomes `\xff` and the other way
 * round.
 */
import { canonical } from "../data/bytes.ts";
import { FunctionError } from "./value.ts";

/** What Go calls printable: letters, marks, numbers, punctuation, symbols, and the ASCII space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/**
 * The printable code points that Unicode 15.1 to 17.0 added. Go uses Unicode 15.0 and escapes them,
 * but runtimes are newer. Characters that later versions add are printed where Go escapes them.
 */
const NEWER = new RegExp(
  "^[" +
    "\\u088f\\u0897\\u0c5c\\u0cdc\\u1acf-\\u1add\\u1ae0-\\u1aeb\\u1b4e\\u1b4f\\u1b7f\\u1c89\\u1c8a" +
    "\\u20c1\\u2427-\\u2429\\u2b96\\u2ffc-\\u2fff\\u31e4\\u31e5\\u31ef\\ua7cb-\\ua7cf\\ua7d2\\ua7d4" +
    "\\ua7da-\\ua7dc\\ua7f1\\ufbc3-\\ufbd2\\ufd90\\ufd91\\ufdc8-\\ufdce" +
    [
      "105c0-105f3 10940-10959 10d40-10d65 10d69-10d85 10d8e-10d8f 10ec2-10ec7 10ed0-10ed8",
      "10efa-10efc 11380-11389 1138b 1138e 11390-113b5 113b7-113c0 113c2 113c5 113c7-113ca",
      "113cc-113d5 113d7-113d8 113e1-113e2 116d0-116e3 11b60-11b67 11bc0-11be1 11bf0-11bf9",
      "11db0-11ddb 11de0-11de9 11f5a 13460-143fa 16100-16139 16d40-16d79 16ea0-16eb8 16ebb-16ed3",
      "16ff2-16ff6 187f8-187ff 18cff 18d09-18d1e 18d80-18df2 1cc00-1ccfc 1cd00-1ceb3 1ceba-1ced0",
      "1cee0-1cef0 1e5d0-1e5fa 1e5ff 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff 1f6d8 1f777-1f77a",
      "1f8b2-1f8bb 1f8c0-1f8c1 1f8d0-1f8d8 1fa54-1fa57 1fa89-1fa8a 1fa8e-1fa8f 1fabe 1fac6 1fac8",
      "1facd 1fadc 1fadf 1fae9-1faea 1faef 1fbcb-1fbef 1fbfa 2b73a-2b73f 2cea2-2cead 2ebf0-2ee5d",
      "323b0-33479",
    ].join(" ").replace(/[0-9a-f]+/g, (hex) => `\\u{${hex}}`).replaceAll(" ", "") +
    "]$",
  "u",
);

/** Go's `strconv.IsPrint` (the same set as `unicode.IsPrint`). */
export function isPrint(codePoint: number): boolean {
  if (codePoint < 0x7f) return codePoint >= 0x20;
  if (codePoint > 0x10ffff) return false;
  const char = String.fromCodePoint(codePoint);
  return PRINTABLE.test(char) && !NEWER.test(char);
}

/** Text that needs no escapes within double quotes. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x0c, "\\f"],
  [0x0a, "\\n"],
  [0x0d, "\\r"],
  [0x09, "\\t"],
  [0x0b, "\\v"],
]);

function escape(codePoint: number, delimiter: string, asciiOnly: boolean): string {
  if (codePoint === delimiter.charCodeAt(0) || codePoint === 0x5c) {
    return "\\" + String.fromCodePoint(codePoint);
  }
  if (codePoint < 0x80 || !asciiOnly) {
    if (isPrint(codePoint)) return String.fromCodePoint(codePoint);
  }
  const short = SHORT_ESCAPES.get(codePoint);
  if (short) return short;
  const hex = codePoint.toString(16);
  if (codePoint < 0x20 || codePoint === 0x7f) return "\\x" + hex.padStart(2, "0");
  if (codePoint < 0x10000) return "\\u" + hex.padStart(4, "0");
  return "\\U" + hex.padStart(8, "0");
}

function quoteWith(text: string, asciiOnly: boolean): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) {
    let c = char.codePointAt(0)!;
    if (c >= 0xdc80 && c <= 0xdcff) out += "\\x" + (c - 0xdc00).toString(16);
    else {
      // Any other lone surrogate is not part of a Go string; encoders write it as U+FFFD.
      if (c >= 0xd800 && c <= 0xdfff) c = 0xfffd;
      out += escape(c, '"', asciiOnly);
    }
  }
  return out + '"';
}

/** Go's `strconv.Quote`: returns a double-quoted literal, as `%q` prints it. */
export function quote(text: string): string {
  return quoteWith(text, false);
}

/** Go's `strconv.QuoteToASCII`: returns a literal of ASCII characters only, as `%+q` prints it. */
export function quoteToAscii(text: string): string {
  return quoteWith(text, true);
}

/** Returns the single-quoted literal of a code point, as `%q` prints an integer. */
export function quoteRune(codePoint: number, asciiOnly = false): string {
  const valid = codePoint >= 0 && codePoint <= 0x10ffff &&
    !(codePoint >= 0xd800 && codePoint <= 0xdfff);
  return `'${escape(valid ? codePoint : 0xfffd, "'", asciiOnly)}'`;
}

// deno-lint-ignore no-control-regex -- it looks for control characters
const NOT_BACKQUOTABLE = /[\x00-\x08\x0a-\x1f`\x7f\ufeff]/;

/** Go's `strconv.CanBackquote`: reports whether text can be put between backquotes unchanged. */
export function canBackquote(text: string): boolean {
  return !NOT_BACKQUOTABLE.test(text) && text.isWellFormed();
}

function syntaxError(): FunctionError {
  return new FunctionError("invalid syntax");
}

const LETTER_ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

/** The number of hexadecimal digits after each letter. */
const HEX_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** A character of a literal: its code point, or byte if `isByte`, and its end. */
interface Piece {
  readonly value: number;
  readonly isByte: boolean;
  readonly end: number;
}

function readPiece(text: string, at: number, delimiter: string): Piece {
  const c = text.codePointAt(at)!;
  const char = text[at];
  if (char === delimiter) throw syntaxError();
  if (char !== "\\") {
    // An invalid byte in the source becomes U+FFFD. Only escapes produce bytes.
    if (c >= 0xd800 && c <= 0xdfff) return { value: 0xfffd, isByte: false, end: at + 1 };
    return { value: c, isByte: false, end: at + (c > 0xffff ? 2 : 1) };
  }
  const letter = text[at + 1] ?? "";
  if (letter !== "" && Object.hasOwn(LETTER_ESCAPES, letter)) {
    return { value: LETTER_ESCAPES[letter].charCodeAt(0), isByte: false, end: at + 2 };
  }
  if ((letter === '"' || letter === "'") && letter === delimiter) {
    return { value: letter.charCodeAt(0), isByte: false, end: at + 2 };
  }
  if (letter !== "" && Object.hasOwn(HEX_LENGTHS, letter)) {
    const end = at + 2 + HEX_LENGTHS[letter];
    const digits = text.slice(at + 2, end);
    if (end > text.length || !/^[0-9a-fA-F]+$/.test(digits)) throw syntaxError();
    const value = Number.parseInt(digits, 16);
    if (letter === "x") return { value, isByte: true, end };
    if (value > 0x10ffff || value >= 0xd800 && value <= 0xdfff) throw syntaxError();
    return { value, isByte: false, end };
  }
  const octal = /^[0-7]{3}/.exec(text.slice(at + 1, at + 4));
  if (!octal) throw syntaxError();
  const value = Number.parseInt(octal[0], 8);
  if (value > 255) throw syntaxError();
  return { value, isByte: true, end: at + 4 };
}

/** Go's `strconv.Unquote`: returns the string of a literal `"…"`, `` `…` `` or `'…'`. */
export function unquote(literal: string): string {
  const delimiter = literal[0];
  const body = literal.slice(1, -1);
  if (literal.length < 2 || delimiter !== literal[literal.length - 1]) throw syntaxError();
  if (delimiter === "`") {
    if (body.includes("`")) throw syntaxError();
    return body.replaceAll("\r", "");
  }
  if (delimiter !== '"' && delimiter !== "'" || body.includes("\n")) throw syntaxError();
  if (delimiter === '"' && !/[\\"]/.test(body) && body.isWellFormed()) return body;
  let out = "";
  let count = 0;
  for (let i = 0; i < body.length; count++) {
    const piece = readPiece(body, i, delimiter);
    out += piece.isByte && piece.value >= 0x80
      ? String.fromCharCode(0xdc00 + piece.value)
      : String.fromCodePoint(piece.value);
    i = piece.end;
  }
  // Go accepts '' here, as the empty string.
  if (delimiter === "'" && count > 1) throw syntaxError();
  // Escaped bytes may form valid UTF-8 together.
  return canonical(out);
}

/**
 * Returns the code point of a character literal such as `'x'`, with the template parser's error if
 * it has several characters.
 */
export function unquoteChar(literal: string): number {
  const delimiter = literal[0];
  if (literal.length < 2) throw syntaxError();
  const piece = readPiece(literal, 1, delimiter);
  if (literal.slice(piece.end) !== "'") {
    throw new FunctionError(`malformed character constant: ${literal}`);
  }
  return piece.value;
}
