/**
 * YAML as Kubernetes reads and writes it (`sigs.k8s.io/yaml`: YAML 1.1 by way of JSON). Text in, JSON
 * values out, and back. The stages: `_scanner.ts` cuts tokens, `_parser.ts` makes events of
 * them, `_reader.ts` composes values, `_writer.ts` writes.
 *
 * `sigs.k8s.io/yaml` v1.6.0 is "the oracle" in the comments of those stages: where YAML and it disagree,
 * it is followed.
 *
 * Results are plain trees: no shared parts, no cycles, every key an own property (`__proto__` too).
 * @module
 */

import { YamlError, YamlFailure } from "./_error.ts";
import { Parser } from "./_parser.ts";
import { composeDocument } from "./_reader.ts";
import { writeYaml } from "./_writer.ts";

export { YamlError, type YamlErrorCode } from "./_error.ts";

/**
 * The longest text that is read, in UTF-16 units. The API server takes bodies of 3 MiB and etcd objects
 * of 1.5, so this leaves room for a bundle of several of the largest.
 */
export const MAX_YAML_LENGTH = 16 * 1024 * 1024;

/** How to read. */
export interface ParseYamlOptions {
  /** Named in error messages: a file's path, for example. */
  name?: string;
  /**
   * Gives integers past 2^53 as `bigint`, exactly as far as 64 bits go. Without it they are the nearest
   * number, which is what Go code has too once it decodes into untyped maps.
   */
  bigints?: boolean;
}

/**
 * Reads the first document of a text; nothing there is `null`. What follows it is ignored.
 *
 * @example
 * ```ts
 * import { parseYaml } from "./yaml.ts";
 *
 * parseYaml("on: yes\nmode: 0644\n"); // { true: true, mode: 420 }
 * ```
 */
export function parseYaml(text: string, options: ParseYamlOptions = {}): unknown {
  return withPlace(text, options, (documents) => {
    for (const document of documents) return document;
    return null;
  });
}

/** Reads every document of a text; one without content is `null`, a text without documents `[]`. */
export function parseAllYaml(text: string, options: ParseYamlOptions = {}): unknown[] {
  return withPlace(text, options, (documents) => [...documents]);
}

/**
 * Writes a JSON value as one document, byte for byte as `sigs.k8s.io/yaml` marshals it. Properties that
 * are `undefined` are left out, as in JSON.
 *
 * @example
 * ```ts
 * import { stringifyYaml } from "./yaml.ts";
 *
 * stringifyYaml({ ports: [80], on: "yes" }); // '"on": "yes"\nports:\n- 80\n'
 * ```
 */
export function stringifyYaml(value: unknown): string {
  return writeYaml(value);
}

function* readDocuments(text: string, { bigints = false }: ParseYamlOptions): Generator<unknown> {
  const parser = new Parser(text);
  const options = { length: text.length, bigints };
  for (let events = parser.document(); events !== undefined; events = parser.document()) {
    yield composeDocument(events, options);
  }
}

/** Runs a reader and turns its failure into the error that callers see, with line and column. */
function withPlace<T>(
  text: string,
  options: ParseYamlOptions,
  read: (documents: Generator<unknown>) => T,
): T {
  const what = options.name === undefined ? "YAML" : JSON.stringify(options.name);
  if (text.length > MAX_YAML_LENGTH) {
    const message =
      `Cannot read ${what}: it has ${text.length} characters, the most is ${MAX_YAML_LENGTH}`;
    throw new YamlError("too-large", message, { line: 1, column: 1 });
  }
  try {
    return read(readDocuments(text, options));
  } catch (error) {
    if (!(error instanceof YamlFailure)) throw error;
    const { line, column } = placeOf(text, error.offset);
    const message = `Cannot read ${what} at line ${line}, column ${column}: ${error.message}`;
    throw new YamlError(error.code, message, { line, column, cause: error });
  }
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lines = before.split(/\r\n|[\r\n\u0085]/);
  return { line: lines.length, column: lines[lines.length - 1].length + 1 };
}
