/**
 * Splits a YAML stream into documents and joins them, like Kubernetes' tools: by lines, before parsing.
 * Documents without workloads therefore pass through unchanged, including comments, except that `\r\n`
 * becomes `\n` and the last line is terminated.
 */

import { trimSpace } from "../go/strings.ts";

/** Reports a line that starts like a separator but is not one. Earlier documents remain valid. */
export class SeparatorError extends Error {
  override readonly name = "SeparatorError";
  readonly code = "bad_separator";
  /** The line in the stream, starting at 1. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Terminates each document of the output. */
const SEPARATOR = "---\n";

export interface Document {
  readonly text: string;
  /** The first line in the stream, starting at 1. */
  readonly line: number;
}

/**
 * Yields the documents of a stream. A separator with nothing before it belongs to the next document, so a
 * stream that starts with `---` keeps it.
 *
 * @example
 * ```ts
 * [...splitDocuments("a: 1\n---\nb: 2")]; // "a: 1\n" at line 1, "b: 2\n" at line 3
 * ```
 */
export function* splitDocuments(stream: string): Generator<Document> {
  let text = "";
  let line = 1;
  let current = 0;
  for (const content of linesOf(stream)) {
    current++;
    if (isSeparator(content, current) && text !== "") {
      yield { text, line };
      text = "";
      line = current + 1;
    } else {
      text += `${content}\n`;
    }
  }
  if (text !== "") yield { text, line };
}

/** Joins documents of whole lines into a stream; each is followed by a separator. */
export function joinDocuments(documents: Iterable<string>): string {
  let text = "";
  for (const document of documents) text += document + SEPARATOR;
  return text;
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    yield end >= 0 && line.endsWith("\r") ? line.slice(0, -1) : line;
    start = end < 0 ? text.length : end + 1;
  }
}

function isSeparator(content: string, line: number): boolean {
  if (!content.startsWith("---")) return false;
  const rest = trimSpace(content.slice(3));
  if (rest === "" || rest[0] === "#") return true;
  throw new SeparatorError(`invalid Yaml document separator: ${rest}`, line);
}
