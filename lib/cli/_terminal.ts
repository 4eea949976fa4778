/**
 * What goes to a person's terminal: colour where there is one, columns that line up, and no power for
 * texts that come from elsewhere. For programs there is `_output.ts`.
 */

import type { DiffPart } from "../data/text_diff.ts";
import { visible } from "../data/visible.ts";
import type { Host } from "../host/mod.ts";

const COLOURS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

export type Colour = keyof typeof COLOURS;

/** Gives the text in a colour, or, where nobody wants any, as it is. */
export type Paint = (colour: Colour | undefined, text: string) => string;

type Screen = Pick<Host, "env" | "stdout" | "stderr">;

/**
 * Colour for a terminal only, and never against the user's will: see no-color.org, which asks that an
 * empty variable count as none.
 */
export function painter(host: Screen, stream: "stdout" | "stderr" = "stdout"): Paint {
  const isPlain = !host[stream].isTerminal || host.env("NO_COLOR") || host.env("TERM") === "dumb";
  return isPlain
    ? (_, text) => text
    : (colour, text) => colour === undefined ? text : `\x1b[${COLOURS[colour]}m${text}\x1b[0m`;
}

const DIFF_COLOURS = { file: "bold", place: "cyan", removed: "red", added: "green" } as const;

/** For `unifiedDiff`: the colours that git has for it. */
export function diffPaint(host: Screen): (part: DiffPart, line: string) => string {
  const paint = painter(host);
  return (part, line) => paint(DIFF_COLOURS[part], line);
}

/** A text, or one in a colour. */
export type Cell = string | { readonly text: string; readonly colour: Colour | undefined };

export interface TableOptions {
  readonly header?: readonly string[];
  /** Spaces before each line. */
  readonly indent?: number;
  /** Needed only where cells have a colour or there is a header. */
  readonly paint?: Paint;
}

/**
 * Rows in columns, two spaces apart, each line with its line break; "" for no rows. Control characters
 * in cells are shown, line breaks too, so that a row is a line.
 *
 * @example
 * ```ts
 * table([["web", "2"], ["checkout", "11"]], { header: ["NAME", "PODS"] });
 * ```
 */
export function table(rows: readonly (readonly Cell[])[], options: TableOptions = {}): string {
  const { header, indent = 0, paint = (_, text) => text } = options;
  if (rows.length === 0) return "";
  const titles = header?.map((text): Cell => ({ text, colour: "bold" }));
  const cells = (titles === undefined ? rows : [titles, ...rows]).map((row) =>
    row.map((cell) => {
      const { text, colour } = typeof cell === "string" ? { text: cell, colour: undefined } : cell;
      const shown = visible(text).replaceAll("\n", "\\n");
      return { width: [...shown].length, shown: paint(colour, shown) };
    })
  );
  const widths: number[] = [];
  for (const row of cells) {
    // The last one of a row has nothing to its right to make room for.
    for (const [column, { width }] of row.slice(0, -1).entries()) {
      widths[column] = Math.max(widths[column] ?? 0, width);
    }
  }
  return cells.map((row) => {
    const line = row.map(({ width, shown }, column) =>
      column === row.length - 1 ? shown : shown + " ".repeat(widths[column] - width + 2)
    );
    return `${" ".repeat(indent)}${line.join("")}`.trimEnd() + "\n";
  }).join("");
}
