/** Errors of the YAML stages: one class, a closed set of codes, and a position in the text. */

/** The reasons why reading or writing YAML can fail. */
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

/**
 * A position and its reason. `line` and `column` start at 1; both are 0 for an error in a value to write.
 */
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
   * Returns the message of `sigs.k8s.io/yaml` for the same text, such as `yaml: line 2: …`, for responses
   * that users know. It may quote a value. For a text that only our limits reject, returns our own message.
   */
  get original(): string {
    return this.cause instanceof YamlFailure ? this.cause.original : `yaml: ${this.message}`;
  }
}

interface FailureDetails {
  readonly offset: number;
  readonly message: string;
  /** go-yaml's message, if it rejects the text too. A function if the message quotes a value. */
  readonly original?: string | (() => string);
}

/** Thrown inside the stages, with an offset. The public functions convert it to a `YamlError`. */
export class YamlFailure extends Error {
  readonly code: YamlErrorCode;
  readonly offset: number;
  /** Private, so that logging the error does not reveal quoted values. */
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

/** Returns the failure of a document that nests too deep. */
export function tooDeep(offset: number, maxDepth: number): YamlFailure {
  const message = `lists and maps nest deeper than ${maxDepth} levels`;
  return new YamlFailure("too-deep", { offset, message });
}

/** Returns the start of the line that holds `offset`. */
export function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== "\n" && text[start - 1] !== "\r") start--;
  return start;
}
