/** Changes of pods for people: a line each, in colour, and who has them. */

import { type Change, type ChangeGroup, changeLine } from "../compare/mod.ts";
import { visible } from "../data/visible.ts";
import { type Colour, type Paint } from "./_terminal.ts";

/** A config's change touches a dozen places; past this, data is for programs. */
const MAX_LINES = 30;
const MAX_NAMES = 3;

const COLOURS: Readonly<Record<string, Colour>> = { "+": "green", "-": "red", "~": "yellow" };

export function changeLines(changes: readonly Change[], paint: Paint): string {
  const lines = changes.slice(0, MAX_LINES).map((change) => {
    const line = visible(changeLine(change)).replaceAll("\n", "\\n");
    return `  ${paint(COLOURS[line[0]], line)}\n`;
  });
  const more = changes.length - lines.length;
  return lines.join("") + (more > 0 ? `  … and ${more} more; -o json has all\n` : "");
}

/** A group's title: how many, and the first of them. */
export function groupTitle({ members }: ChangeGroup<string>, what: string): string {
  const names = visible(members.slice(0, MAX_NAMES).join(", "));
  const more = members.length - MAX_NAMES;
  return `${members.length} ${members.length === 1 ? what : `${what}s`}: ${names}` +
    (more > 0 ? `, and ${more} more` : "");
}
