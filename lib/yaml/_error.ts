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
 * import { parseYaml, YamlError } from "./yaml.ts";
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
}

/** Thrown inside the stages, with an offset; the public door turns it into a `YamlError`. */
export class YamlFailure extends Error {
  readonly code: YamlErrorCode;
  readonly offset: number;

  constructor(code: YamlErrorCode, offset: number, message: string) {
    super(message);
    this.code = code;
    this.offset = offset;
  }
}

/** The failure of a document that nests too deep. */
export function tooDeep(offset: number, maxDepth: number): YamlFailure {
  const message = `lists and maps nest deeper than ${maxDepth} levels`;
  return new YamlFailure("too-deep", offset, message);
}

/** Where the line that holds `offset` starts. */
export function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== "\n" && text[start - 1] !== "\r") start--;
  return start;
}
