/**
 * What the YAML stages throw. One class, a closed set of codes, and a place in the text.
 * @module
 */

/** Every way reading or writing YAML can fail. */
export type YamlErrorCode =
  | "syntax"
  | "control-character"
  | "unknown-anchor"
  | "recursive-anchor"
  | "too-many-aliases"
  | "bad-key"
  | "bad-merge"
  | "bad-tag"
  | "not-json"
  | "too-deep"
  | "too-large"
  | "unwritable";

/** Where and why; `line` and `column` count from 1, and are 0 when a value (not a text) is at fault. */
export interface YamlErrorPlace {
  line: number;
  column: number;
  cause?: unknown;
}

/**
 * Thrown by `parseYaml`, `parseAllYaml` and `stringifyYaml`.
 *
 * @example
 * ```ts
 * import { parseYaml, YamlError } from "./mod.ts";
 *
 * try {
 *   parseYaml("a: [1");
 * } catch (error) {
 *   if (error instanceof YamlError) console.log(error.code, error.line, error.column);
 * }
 * ```
 */
export class YamlError extends Error {
  readonly code: YamlErrorCode;
  readonly line: number;
  readonly column: number;

  constructor(code: YamlErrorCode, message: string, place: YamlErrorPlace) {
    super(message, place.cause === undefined ? undefined : { cause: place.cause });
    this.name = "YamlError";
    this.code = code;
    this.line = place.line;
    this.column = place.column;
  }

  /**
   * The words of `sigs.k8s.io/yaml` for the same text, `yaml: line 2: …`, where they are part of an answer
   * that users know. They may quote a value. What only our own limits refuse has our own words.
   */
  get original(): string {
    return this.cause instanceof YamlFailure ? this.cause.original : `yaml: ${this.message}`;
  }
}

interface FailureDetails {
  readonly offset: number;
  readonly message: string;
  /** The words of the oracle, if it refuses the text too; made when asked for where they quote a value. */
  readonly original?: string | (() => string);
}

/** Thrown inside the stages, with an offset; the public door turns it into a `YamlError`. */
export class YamlFailure extends Error {
  readonly code: YamlErrorCode;
  readonly offset: number;
  /** Private, so that a log of the error shows no value that the words may quote. */
  readonly #original: FailureDetails["original"];

  constructor(code: YamlErrorCode, { offset, message, original }: FailureDetails) {
    super(message);
    this.code = code;
    this.offset = offset;
    this.#original = original;
  }

  get original(): string {
    const original = this.#original ?? `yaml: ${this.message}`;
    return typeof original === "string" ? original : original();
  }
}

/** The failure of a document that nests too deep. */
export function tooDeep(offset: number, maxDepth: number): YamlFailure {
  const message = `lists and maps nest deeper than ${maxDepth} levels`;
  return new YamlFailure("too-deep", { offset, message });
}

/** Where the line that holds `offset` starts. */
export function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== "\n" && text[start - 1] !== "\r") start--;
  return start;
}
