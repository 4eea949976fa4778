/**
 * Output for terminals: colors, aligned columns, and escaped control characters. For machine-readable
 * output, see `_output.ts`.
 */

import type { DiffPart } from "../data/text_diff.ts";
import { visible } from "../data/visible.ts";
import type { Host } from "../host/mod.ts";

const COLOURS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

export type Colour = keyof typeof COLOURS;

/** Returns the text in a color, or unchanged if colors are off. */
export type Paint = (colour: Colour | undefined, text: string) => string;

type Screen = Pick<Host, "env" | "stdout" | "stderr">;

/**
 * Returns a painter that uses colors only on a terminal, and respects NO_COLOR (see no-color.org, where an
 * empty variable does not count).
 */
export function painter(host: Screen, stream: "stdout" | "stderr" = "stdout"): Paint {
  const isPlain = !host[stream].isTerminal || host.env("NO_COLOR") || host.env("TERM") === "dumb";
  return isPlain
    ? (_, text) => text
    : (colour, text) => colour === undefined ? text : `\x1b[${COLOURS[colour]}m${text}\x1b[0m`;
}

const DIFF_COLOURS = { file: "bold", place: "cyan", removed: "red", added: "green" } as const;

/** Returns a painter for `unifiedDiff` with git's colors. */
export function diffPaint(host: Screen): (part: DiffPart, line: string) => string {
  const paint = painter(host);
  return (part, line) => paint(DIFF_COLOURS[part], line);
}

/** A cell: a text, optionally in a color. */
export type Cell = string | { readonly text: string; readonly colour: Colour | undefined };

export interface TableOptions {
  readonly header?: readonly string[];
  /** The number of spaces before each line. */
  readonly indent?: number;
  /** The painter; required only for cells with a color and for a header. */
  readonly paint?: Paint;
}

/**
 * Formats rows in columns, two spaces apart, each with a newline; returns "" for no rows. Escapes control
 * characters in cells, including newlines.
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
    // The last cell of a row needs no padding.
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
