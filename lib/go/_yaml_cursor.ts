/**
 * A place in a YAML text, as Go's YAML library moves through it: line and column, kinds of characters,
 * and its complaint about what may not stand in a text at all.
 */

/** Where and why reading ends. */
export class YamlProblem extends Error {
  override name = "YamlProblem";
  /** As the library counts for its messages; 0 is not shown. */
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

// deno-lint-ignore no-control-regex -- what YAML forbids
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;
const BREAK = /[\r\n\x85\u2028\u2029]/;

/** The library reads that much at once, and complains about a character as soon as it is read. */
const CHUNK = 512;

/** Characters are strings; the end of the text is "". */
export function isBreak(char: string): boolean {
  return char !== "" && BREAK.test(char);
}

export function isBlank(char: string): boolean {
  return char === " " || char === "\t";
}

/** Blank, break or end. */
export function isGap(char: string): boolean {
  return char === "" || isBlank(char) || BREAK.test(char);
}

export class YamlCursor {
  readonly text: string;
  index = 0;
  /** From 0, as columns are. */
  line = 0;
  column = 0;
  readonly #forbiddenFrom: number;

  constructor(text: string) {
    this.text = text.startsWith("\ufeff") ? text.slice(1) : text;
    const forbidden = FORBIDDEN.exec(this.text)?.index ?? Infinity;
    this.#forbiddenFrom = Math.floor(forbidden / CHUNK) * CHUNK;
  }

  at(ahead = 0): string {
    const index = this.index + ahead;
    if (index >= this.#forbiddenFrom) {
      throw new YamlProblem("control characters are not allowed", 0);
    }
    return this.text[index] ?? "";
  }

  skip(count = 1): void {
    this.index += count;
    this.column += count;
  }

  skipBreak(): void {
    this.index += this.at() === "\r" && this.at(1) === "\n" ? 2 : 1;
    this.line++;
    this.column = 0;
  }

  skipWhile(wanted: (char: string) => boolean): void {
    while (wanted(this.at())) this.skip();
  }

  /** To the end of the line, if a comment starts here. */
  skipComment(): void {
    if (this.at() === "#") this.skipWhile((char) => char !== "" && !isBreak(char));
  }

  /** Past the end of a line on which only a comment may follow. */
  endLine(): void {
    this.skipWhile(isBlank);
    this.skipComment();
    if (this.at() === "") return;
    if (!isBreak(this.at())) this.fail("did not find expected comment or line break");
    this.skipBreak();
  }

  /** Letters, digits, `_` and `-`. */
  word(): string {
    const start = this.index;
    this.skipWhile((char) => /[0-9A-Za-z_-]/.test(char));
    return this.text.slice(start, this.index);
  }

  /** Whether `---` or `...` stands here, at the start of a line. */
  isDocumentMark(mark: "-" | "."): boolean {
    return this.column === 0 && this.at() === mark && this.at(1) === mark &&
      this.at(2) === mark && isGap(this.at(3));
  }

  /** Lines of these complaints count from 1, but the first goes unmentioned. */
  fail(message: string): never {
    throw new YamlProblem(message, this.line === 0 ? 0 : this.line + 1);
  }
}
