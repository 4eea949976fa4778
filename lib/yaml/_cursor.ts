/**
 * A place in a YAML text that only moves forward, and the errors that end its way.
 *
 * The oracle reads its input in chunks of 512 bytes and refuses a character that YAML forbids as soon as
 * it has read the chunk, so such a text ends for us where that chunk begins.
 * @module
 */

import { isBreak } from "./_characters.ts";
import { YamlFailure } from "./_error.ts";

// deno-lint-ignore no-control-regex -- what YAML forbids
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

const CHUNK_BYTES = 512;

export class Cursor {
  /** The text, and a 0 at its end. */
  readonly text: string;
  /** Where the 0 is. */
  readonly end: number;
  pos: number;
  /** Where the line of `pos` begins: columns are counted from here. */
  lineStart: number;
  /** The character that the text was cut off for, and its place. */
  readonly #forbidden: { readonly at: number; readonly problem: string } | undefined;

  constructor(text: string) {
    this.pos = this.lineStart = text.charCodeAt(0) === 0xfeff ? 1 : 0;
    const at = text.isWellFormed() ? text.search(FORBIDDEN) : findForbidden(text);
    if (at < 0) {
      this.end = text.length;
      this.text = text + "\0";
    } else {
      const code = text.charCodeAt(at);
      const isHalf = code >= 0xd800 && code <= 0xdfff;
      const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
      this.#forbidden = isHalf
        ? { at, problem: "half of a surrogate pair is no character" }
        : { at, problem: `${name} is not allowed in YAML` };
      this.end = Math.max(chunkStart(text, at), this.pos);
      this.text = text.slice(0, this.end) + "\0";
    }
  }

  /** Refuses a text that was cut off before the next `count` characters. */
  need(count: number): void {
    if (this.#forbidden === undefined || this.pos + count <= this.end) return;
    const { at: offset, problem: message } = this.#forbidden;
    const original = "yaml: control characters are not allowed";
    throw new YamlFailure("control-character", { offset, message, original });
  }

  /** Steps past the line break at `pos`. */
  skipBreak(): void {
    const isPair = this.text.charCodeAt(this.pos) === 0x0d &&
      this.text.charCodeAt(this.pos + 1) === 0x0a;
    this.pos += isPair ? 2 : 1;
    this.lineStart = this.pos;
  }

  skipBlanks(): void {
    let code = this.text.charCodeAt(this.pos);
    while (code === 0x20 || code === 0x09) code = this.text.charCodeAt(++this.pos);
  }

  /** Moves to the end of the line if a comment starts here. */
  skipComment(): void {
    let code = this.text.charCodeAt(this.pos);
    if (code !== 0x23) return;
    while (code !== 0 && !isBreak(code)) code = this.text.charCodeAt(++this.pos);
    if (code === 0) this.need(1);
  }

  /** Moves past the end of a line on which only a comment may follow. */
  endLine(): void {
    this.skipBlanks();
    this.skipComment();
    const code = this.text.charCodeAt(this.pos);
    if (code === 0) this.need(1);
    else if (isBreak(code)) this.skipBreak();
    else this.fail("did not find expected comment or line break");
  }

  /** Whether `---` or `...` stands at `pos`, which is the start of a line. */
  isDocumentMark(): boolean {
    const { text, pos } = this;
    const code = text.charCodeAt(pos);
    if (code !== 0x2d && code !== 0x2e) return false;
    if (text.charCodeAt(pos + 1) !== code || text.charCodeAt(pos + 2) !== code) return false;
    const next = text.charCodeAt(pos + 3);
    return next === 0x20 || next === 0x09 || next === 0 || isBreak(next);
  }

  /** Ends with an error of the scanner at `pos`, or where `offset` says. */
  fail(problem: string, offset = this.pos): never {
    this.need(1);
    const line = this.#line(this.pos);
    this.#fail(problem, { offset, line: line === 0 ? 0 : line + 1 });
  }

  /** Ends with an error of the parser; the oracle counts their lines from 0. */
  failToken(problem: string, offset: number): never {
    this.#fail(problem, { offset, line: this.#line(offset) });
  }

  #fail(problem: string, { offset, line }: { offset: number; line: number }): never {
    throw new YamlFailure("syntax", {
      offset: Math.min(offset, this.end),
      message: problem,
      // The oracle does not mention the first line.
      original: `yaml: ${line === 0 ? "" : `line ${line}: `}${problem}`,
    });
  }

  /** The line of an offset, counted from 0; the scanner ends the last line, and goes one past the end. */
  #line(offset: number): number {
    const before = this.text.slice(0, Math.min(offset, this.end));
    const breaks = before.match(/\r\n|[\r\n\x85\u2028\u2029]/g)?.length ?? 0;
    return offset > this.end ? breaks + 1 : breaks;
  }
}

function findForbidden(text: string): number {
  const half = text.search(/\p{Surrogate}/u);
  const other = text.search(FORBIDDEN);
  return other < 0 ? half : Math.min(half, other);
}

/** Where the chunk begins that holds the character at `at`. */
function chunkStart(text: string, at: number): number {
  let start = 0;
  let bytes = 0;
  for (let i = 0; i <= at; i++) {
    const code = text.charCodeAt(i);
    const isPair = (code & 0xfc00) === 0xd800 && i < at;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : isPair ? 4 : 3;
    if (bytes + size > CHUNK_BYTES) {
      start = i;
      bytes = 0;
    }
    bytes += size;
    if (isPair) i++;
  }
  return start;
}
