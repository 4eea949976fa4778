/**
 * Reads and writes YAML like `sigs.k8s.io/yaml`, that is, YAML 1.1 converted to JSON. The stages:
 * `_scanner.ts` produces tokens, `_parser.ts` events, `_reader.ts` values; `_writer.ts` writes.
 *
 * In comments, "go-yaml" is the library inside `sigs.k8s.io/yaml` v1.6.0. Where it deviates from the YAML
 * specification, this room follows it.
 *
 * Results are plain trees: no shared parts, no cycles, and every key is an own property, even `__proto__`.
 */

import { YamlError, YamlFailure } from "./_error.ts";
import { Parser } from "./_parser.ts";
import { composeDocument } from "./_reader.ts";
import { writeYaml } from "./_writer.ts";

export { YamlError, type YamlErrorCode } from "./_error.ts";

/**
 * The maximum length of a text, in UTF-16 units. The API server accepts bodies of 3 MiB, and etcd objects
 * of 1.5 MiB, so this leaves room for a bundle of several of the largest.
 */
export const MAX_YAML_LENGTH = 16 * 1024 * 1024;

/** Options for reading. */
export interface ParseYamlOptions {
  /** A name for error messages, such as a file's path. */
  name?: string;
  /**
   * Returns integers above 2^53 as `bigint`, exact up to 64 bits. By default they become the nearest
   * number, as in Go code that decodes into untyped maps.
   */
  bigints?: boolean;
}

/**
 * Parses the first document of a text; an empty one is `null`. Later documents are ignored.
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

/** Parses every document of a text. One without content is `null`; a text without documents gives `[]`. */
export function parseAllYaml(text: string, options: ParseYamlOptions = {}): unknown[] {
  return withPlace(text, options, (documents) => [...documents]);
}

/**
 * Writes a JSON value as one document, byte for byte as `sigs.k8s.io/yaml` marshals it. Omits `undefined`
 * properties, as JSON does.
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

/** Runs a reader and converts its failure to a YamlError with line and column. */
function withPlace<T>(
  text: string,
  options: ParseYamlOptions,
  read: (documents: Generator<unknown>) => T,
): T {
  const what = options.name === undefined ? "YAML" : JSON.stringify(options.name);
  if (text.length > MAX_YAML_LENGTH) {
    const message =
      `Cannot read ${what}: it has ${text.length} characters, the limit is ${MAX_YAML_LENGTH}`;
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
