/**
 * A position in a YAML text that only moves forward, and the errors that stop it.
 *
 * go-yaml reads its input in chunks of 512 bytes and rejects a forbidden character as soon as it has read
 * its chunk, so such a text ends where that chunk begins.
 */

import { isBreak } from "./_characters.ts";
import { YamlFailure } from "./_error.ts";

// deno-lint-ignore no-control-regex -- the characters that YAML forbids
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

const CHUNK_BYTES = 512;

export class Cursor {
  /** The text, followed by a 0. */
  readonly text: string;
  /** The offset of that 0. */
  readonly end: number;
  pos: number;
  /** The start of the line that holds `pos`; columns count from here. */
  lineStart: number;
  /** The forbidden character at which the text was cut off, and its offset. */
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
        ? { at, problem: "a lone surrogate is not allowed in YAML" }
        : { at, problem: `${name} is not allowed in YAML` };
      this.end = Math.max(chunkStart(text, at), this.pos);
      this.text = text.slice(0, this.end) + "\0";
    }
  }

  /** Fails if the text was cut off within the next `count` characters. */
  need(count: number): void {
    if (this.#forbidden === undefined || this.pos + count <= this.end) return;
    const { at: offset, problem: message } = this.#forbidden;
    const original = "yaml: control characters are not allowed";
    throw new YamlFailure("control-character", { offset, message, original });
  }

  /** Skips the line break at `pos`. */
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

  /** Skips to the end of the line if a comment starts here. */
  skipComment(): void {
    let code = this.text.charCodeAt(this.pos);
    if (code !== 0x23) return;
    while (code !== 0 && !isBreak(code)) code = this.text.charCodeAt(++this.pos);
    if (code === 0) this.need(1);
  }

  /** Skips the rest of a line, which may only hold a comment. */
  endLine(): void {
    this.skipBlanks();
    this.skipComment();
    const code = this.text.charCodeAt(this.pos);
    if (code === 0) this.need(1);
    else if (isBreak(code)) this.skipBreak();
    else this.fail("did not find expected comment or line break");
  }

  /** Reports whether `---` or `...` is at `pos`, the start of a line. */
  isDocumentMark(): boolean {
    const { text, pos } = this;
    const code = text.charCodeAt(pos);
    if (code !== 0x2d && code !== 0x2e) return false;
    if (text.charCodeAt(pos + 1) !== code || text.charCodeAt(pos + 2) !== code) return false;
    const next = text.charCodeAt(pos + 3);
    return next === 0x20 || next === 0x09 || next === 0 || isBreak(next);
  }

  /** Throws a scanner error at `pos` or `offset`. */
  fail(problem: string, offset = this.pos): never {
    this.need(1);
    const line = this.#line(this.pos);
    this.#fail(problem, { offset, line: line === 0 ? 0 : line + 1 });
  }

  /** Throws a parser error, for which go-yaml counts lines from 0. */
  failToken(problem: string, offset: number): never {
    this.#fail(problem, { offset, line: this.#line(offset) });
  }

  #fail(problem: string, { offset, line }: { offset: number; line: number }): never {
    throw new YamlFailure("syntax", {
      offset: Math.min(offset, this.end),
      message: problem,
      // go-yaml omits the number of the first line.
      original: `yaml: ${line === 0 ? "" : `line ${line}: `}${problem}`,
    });
  }

  /**
   * Returns the line of an offset, counting from 0. At the end of the text the last line counts as ended.
   */
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

/** Returns the start of the chunk that holds the character at `at`. */
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
