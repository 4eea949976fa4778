/**
 * The error of the template engine. `message` is Go's text, because users search for it. The place
 * is a property of its own, so that the command line and the page can show it with a caret.
 */

/** The place of an error in the source. Lines and columns count from 1. */
export interface TemplatePlace {
  readonly line: number;
  /** In characters, where Go's message has bytes from 0. */
  readonly column?: number;
  /** The text of the line. */
  readonly sourceLine: string;
}

/**
 * `parse`: the source is not a valid template. `exec`: the execution failed. `limit`: the execution
 * exceeded a limit that Go does not have.
 */
export type TemplateErrorCode = "parse" | "exec" | "limit";

/** An error in a template or its execution. */
export class TemplateError extends Error {
  override name = "TemplateError";
  readonly code: TemplateErrorCode;
  readonly place?: TemplatePlace;

  constructor(
    code: TemplateErrorCode,
    message: string,
    options: { place?: TemplatePlace; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.place = options.place;
  }

  /** Returns the source line with a caret under the place; "" if the place is unknown. */
  excerpt(): string {
    if (!this.place) return "";
    const { line, column, sourceLine } = this.place;
    const gutter = `${line} | `;
    const text = sourceLine.replaceAll("\t", " ");
    if (column === undefined) return gutter + text;
    return `${gutter}${text}\n${" ".repeat(gutter.length + column - 1)}^`;
  }
}

/** Returns the place of an offset in the source. */
export function placeAt(source: string, offset: number): TemplatePlace {
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  const end = source.indexOf("\n", start);
  return {
    line: lineAt(source, offset),
    column: [...source.slice(start, offset)].length + 1,
    sourceLine: source.slice(start, end < 0 ? undefined : end),
  };
}

/** Returns the place of a whole line, for errors that have no column in Go. */
export function placeOfLine(source: string, line: number): TemplatePlace {
  return { line, sourceLine: source.split("\n", line)[line - 1] ?? "" };
}

/** Returns the number of the line that contains an offset. */
export function lineAt(source: string, offset: number): number {
  let line = 1;
  for (let i = source.indexOf("\n"); i >= 0 && i < offset; i = source.indexOf("\n", i + 1)) line++;
  return line;
}
