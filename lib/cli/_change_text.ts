/** Formats changes of pods as text: one colored line per change, and the pods that have it. */

import { type Change, type ChangeGroup, changeLine } from "../compare/mod.ts";
import { visible } from "../data/visible.ts";
import { type Colour, type Paint } from "./_terminal.ts";

/** The maximum number of lines per group. A typical config change touches a dozen places. */
const MAX_LINES = 30;
const MAX_NAMES = 3;

const COLOURS: Readonly<Record<string, Colour>> = { "+": "green", "-": "red", "~": "yellow" };

export function changeLines(changes: readonly Change[], paint: Paint): string {
  const lines = changes.slice(0, MAX_LINES).map((change) => {
    const line = visible(changeLine(change)).replaceAll("\n", "\\n");
    return `  ${paint(COLOURS[line[0]], line)}\n`;
  });
  const more = changes.length - lines.length;
  return lines.join("") + (more > 0 ? `  … and ${more} more; use -o json to see all\n` : "");
}

/** Returns the title of a group: the number of its members and the first few names. */
export function groupTitle({ members }: ChangeGroup<string>, what: string): string {
  const names = visible(members.slice(0, MAX_NAMES).join(", "));
  const more = members.length - MAX_NAMES;
  return `${members.length} ${members.length === 1 ? what : `${what}s`}: ${names}` +
    (more > 0 ? `, and ${more} more` : "");
}
