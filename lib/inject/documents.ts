/**
 * A YAML stream, cut into documents and put together again, as Kubernetes' own tools cut it: by
 * lines, before any of it is read as YAML. So what is in no workload comes out as it went in, comments
 * and all; only `\r\n` becomes `\n`, and the last line gets its end.
 */

import { trimSpace } from "../go/strings.ts";

/** A line that starts like a separator and goes on like none; documents before it stand. */
export class SeparatorError extends Error {
  override readonly name = "SeparatorError";
  readonly code = "bad_separator";
  /** Where it stands in the stream, from 1. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** What ends each document of the output. */
const SEPARATOR = "---\n";

export interface Document {
  readonly text: string;
  /** Where it starts in the stream; lines count from 1. */
  readonly line: number;
}

/**
 * The documents, one after the other. A separator with nothing before it belongs to the document
 * that follows, so a stream that starts with `---` keeps it.
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

/** Documents as one stream; each is whole lines, and is followed by a separator. */
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
