/**
 * The one error of the template engine: Go's own words in `message`, since users search for them,
 * and the place apart from it, so that a command line or a page can draw a caret.
 */

/** Where in the source an error stands. Lines and columns count from 1. */
export interface TemplatePlace {
  readonly line: number;
  /** In characters, for people; Go's message counts bytes from 0. */
  readonly column?: number;
  /** The whole source line. */
  readonly sourceLine: string;
}

/**
 * `parse`: the source is not a template. `exec`: it failed on this data. `limit`: it went past a
 * bound of ours that Go does not have.
 */
export type TemplateErrorCode = "parse" | "exec" | "limit";

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

  /** The source line with a caret under the place, or "" where there is none. */
  excerpt(): string {
    if (!this.place) return "";
    const { line, column, sourceLine } = this.place;
    const gutter = `${line} | `;
    const text = sourceLine.replaceAll("\t", " ");
    if (column === undefined) return gutter + text;
    return `${gutter}${text}\n${" ".repeat(gutter.length + column - 1)}^`;
  }
}

/** The place of an offset in a source. */
export function placeAt(source: string, offset: number): TemplatePlace {
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  const end = source.indexOf("\n", start);
  return {
    line: lineAt(source, offset),
    column: [...source.slice(start, offset)].length + 1,
    sourceLine: source.slice(start, end < 0 ? undefined : end),
  };
}

/** The place of a whole line, for errors that Go gives without a column. */
export function placeOfLine(source: string, line: number): TemplatePlace {
  return { line, sourceLine: source.split("\n", line)[line - 1] ?? "" };
}

/** Number of the line that holds an offset. */
export function lineAt(source: string, offset: number): number {
  let line = 1;
  for (let i = source.indexOf("\n"); i >= 0 && i < offset; i = source.indexOf("\n", i + 1)) line++;
  return line;
}
