/**
 * The long tokens of YAML, passed over by Go's YAML library's rules: scalars, tags, directives. A cursor
 * goes in at their first character and comes out behind their last. Values are of no interest here.
 */
import { isBlank, isBreak, isGap, type YamlCursor } from "./_yaml_cursor.ts";

export interface PlainContext {
  /** Columns that a further line must be indented by. */
  readonly indent: number;
  readonly inFlow: boolean;
}

/** Says whether it ended past the end of a line. */
export function skipPlain(cursor: YamlCursor, { indent, inFlow }: PlainContext): boolean {
  let brokenLine = false;
  for (;;) {
    if (cursor.isDocumentMark("-") || cursor.isDocumentMark(".")) break;
    if (cursor.at() === "#") break;
    while (!isGap(cursor.at()) && !endsPlain(cursor, inFlow)) {
      brokenLine = false;
      cursor.skip();
    }
    if (!isBlank(cursor.at()) && !isBreak(cursor.at())) break;
    while (isBlank(cursor.at()) || isBreak(cursor.at())) {
      if (isBreak(cursor.at())) {
        brokenLine = true;
        cursor.skipBreak();
        continue;
      }
      if (brokenLine && cursor.column < indent && cursor.at() === "\t") {
        cursor.fail("found a tab character that violates indentation");
      }
      cursor.skip();
    }
    if (!inFlow && cursor.column < indent) break;
  }
  return brokenLine;
}

function endsPlain(cursor: YamlCursor, inFlow: boolean): boolean {
  const char = cursor.at();
  if (char === ":") return isGap(cursor.at(1));
  return inFlow && /[,?[\]{}]/.test(char);
}

export function skipQuoted(cursor: YamlCursor, quote: "'" | '"'): void {
  cursor.skip();
  for (;;) {
    if (cursor.isDocumentMark("-") || cursor.isDocumentMark(".")) {
      cursor.fail("found unexpected document indicator");
    }
    if (cursor.at() === "") cursor.fail("found unexpected end of stream");
    skipQuotedWord(cursor, quote);
    if (cursor.at() === quote) break;
    while (isBlank(cursor.at()) || isBreak(cursor.at())) {
      if (isBlank(cursor.at())) cursor.skip();
      else cursor.skipBreak();
    }
  }
  cursor.skip();
}

/** To the next blank, break, end or closing quote. */
function skipQuotedWord(cursor: YamlCursor, quote: "'" | '"'): void {
  while (!isGap(cursor.at())) {
    if (quote === "'" && cursor.at() === "'" && cursor.at(1) === "'") {
      cursor.skip(2);
    } else if (cursor.at() === quote) {
      return;
    } else if (quote === '"' && cursor.at() === "\\") {
      if (isBreak(cursor.at(1))) {
        cursor.skip();
        cursor.skipBreak();
        return;
      }
      skipEscape(cursor);
    } else {
      cursor.skip();
    }
  }
}

/** Digits that follow. */
const ESCAPES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const SIMPLE_ESCAPES = "0abt\tnvfre \"'\\N_LP";

function skipEscape(cursor: YamlCursor): void {
  const letter = cursor.at(1);
  const length = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : 0;
  if (length === 0 && (letter === "" || !SIMPLE_ESCAPES.includes(letter))) {
    cursor.fail("found unknown escape character");
  }
  cursor.skip(2);
  if (length === 0) return;
  const digits = cursor.text.slice(cursor.index, cursor.index + length);
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits)) {
    cursor.fail("did not find expected hexdecimal number");
  }
  const value = Number.parseInt(digits, 16);
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) {
    cursor.fail("found invalid Unicode character escape code");
  }
  cursor.skip(length);
}

/** `parentIndent`: that of the collection around; -1 for none. */
export function skipBlockScalar(cursor: YamlCursor, parentIndent: number): void {
  cursor.skip();
  const increment = skipBlockHeader(cursor);
  cursor.endLine();
  const given = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  const deepest = skipBlockBreaks(cursor, given);
  const indent = given === 0 ? Math.max(deepest, parentIndent + 1, 1) : given;
  while (cursor.column === indent && cursor.at() !== "") {
    cursor.skipWhile((char) => char !== "" && !isBreak(char));
    if (cursor.at() !== "") cursor.skipBreak();
    skipBlockBreaks(cursor, indent);
  }
}

/** A sign and a digit, in any order; gives the digit, 0 for none. */
function skipBlockHeader(cursor: YamlCursor): number {
  const [header, first, last] = /^([+-]?)([0-9]?)/.exec(cursor.at() + cursor.at(1))!;
  if (last === "0") {
    cursor.skip(header.length - 1);
    cursor.fail("found an indentation indicator equal to 0");
  }
  cursor.skip(header.length);
  if (first === "" && last !== "" && /[+-]/.test(cursor.at())) cursor.skip();
  return Number(last);
}

/** Empty lines and indentation; gives the deepest column met. An indent of 0 is not known yet. */
function skipBlockBreaks(cursor: YamlCursor, indent: number): number {
  let deepest = 0;
  for (;;) {
    cursor.skipWhile((char) => char === " " && (indent === 0 || cursor.column < indent));
    deepest = Math.max(deepest, cursor.column);
    if (cursor.at() === "\t" && (indent === 0 || cursor.column < indent)) {
      cursor.fail("found a tab character where an indentation space is expected");
    }
    if (!isBreak(cursor.at())) return deepest;
    cursor.skipBreak();
  }
}

/** Gives the handle: "" where the tag is whole without one. */
export function skipTag(cursor: YamlCursor): string {
  let handle = "";
  if (cursor.at(1) === "<") {
    cursor.skip(2);
    skipUri(cursor, "");
    if (cursor.at() !== ">") cursor.fail("did not find the expected '>'");
    cursor.skip();
  } else {
    handle = skipHandle(cursor, false);
    const isNamed = handle.length > 1 && handle.endsWith("!");
    const length = skipUri(cursor, isNamed ? "" : handle);
    if (!isNamed) handle = length === 0 ? "" : "!";
  }
  if (!isGap(cursor.at())) cursor.fail("did not find expected whitespace or line break");
  return handle;
}

function skipHandle(cursor: YamlCursor, inDirective: boolean): string {
  if (cursor.at() !== "!") cursor.fail("did not find expected '!'");
  cursor.skip();
  const handle = `!${cursor.word()}`;
  if (cursor.at() === "!") {
    cursor.skip();
    return `${handle}!`;
  }
  if (inDirective && handle !== "!") cursor.fail("did not find expected '!'");
  return handle;
}

const URI = /[0-9A-Za-z_\-;/?:@&=+$,.!~*'()[\]%]/;

/** `head` is the part that was taken for a handle; gives the length. */
function skipUri(cursor: YamlCursor, head: string): number {
  let length = Math.max(head.length - 1, 0);
  let given = head !== "";
  while (URI.test(cursor.at())) {
    if (cursor.at() === "%") skipUriEscape(cursor);
    else cursor.skip();
    length++;
    given = true;
  }
  if (!given) cursor.fail("did not find expected tag URI");
  return length;
}

/** Escaped octets that make one character. */
function skipUriEscape(cursor: YamlCursor): void {
  let left = 0;
  do {
    const escape = cursor.text.slice(cursor.index, cursor.index + 3);
    if (!/^%[0-9a-fA-F]{2}$/.test(escape)) cursor.fail("did not find URI escaped octet");
    const octet = Number.parseInt(escape.slice(1), 16);
    if (left > 0) {
      if (octet >> 6 !== 2) cursor.fail("found an incorrect trailing UTF-8 octet");
      left--;
    } else {
      left = octet < 0x80 ? 0 : octet >> 5 === 6 ? 1 : octet >> 4 === 14 ? 2 : 3;
      if (left === 3 && octet >> 3 !== 30) cursor.fail("found an incorrect leading UTF-8 octet");
    }
    cursor.skip(3);
  } while (left > 0);
}

/** A `%` line: the version that it names, or the handle of a tag. */
export function skipDirective(cursor: YamlCursor): { version: string } | { handle: string } {
  cursor.skip();
  const name = cursor.word();
  if (name === "") cursor.fail("could not find expected directive name");
  if (!isGap(cursor.at())) cursor.fail("found unexpected non-alphabetical character");
  if (name !== "YAML" && name !== "TAG") cursor.fail("found unknown directive name");
  cursor.skipWhile(isBlank);
  const directive = name === "YAML"
    ? { version: skipVersion(cursor) }
    : { handle: skipTagDirective(cursor) };
  cursor.endLine();
  return directive;
}

function skipTagDirective(cursor: YamlCursor): string {
  const handle = skipHandle(cursor, true);
  if (!isBlank(cursor.at())) cursor.fail("did not find expected whitespace");
  cursor.skipWhile(isBlank);
  skipUri(cursor, "");
  if (!isGap(cursor.at())) cursor.fail("did not find expected whitespace or line break");
  return handle;
}

function skipVersion(cursor: YamlCursor): string {
  const major = skipVersionNumber(cursor);
  if (cursor.at() !== ".") cursor.fail("did not find expected digit or '.' character");
  cursor.skip();
  return `${major}.${skipVersionNumber(cursor)}`;
}

function skipVersionNumber(cursor: YamlCursor): number {
  let digits = "";
  while (/[0-9]/.test(cursor.at())) {
    if (digits.length === 2) cursor.fail("found extremely long version number");
    digits += cursor.at();
    cursor.skip();
  }
  if (digits === "") cursor.fail("did not find expected version number");
  return Number(digits);
}
