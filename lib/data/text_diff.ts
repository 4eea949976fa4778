/** Line diffs of two texts: in the unified format of `diff -u` and `git diff`, or as ranges. */

/** Unchanged lines shown around a change, as usual. */
const CONTEXT = 3;

/**
 * The maximum number of changes to search for; the search's memory grows with its square. An
 * injection makes a few hundred. Beyond the limit, everything that differs is shown as replaced.
 */
const MAX_CHANGES = 2000;

export interface DiffOptions {
  readonly from: string;
  readonly to: string;
  /** Formats each changed line, for example with color. */
  readonly paint?: (part: DiffPart, line: string) => string;
}

export type DiffPart = "file" | "place" | "removed" | "added";

/** Returns a unified diff; "" if the texts are equal. Every line ends with a line break. */
export function unifiedDiff(before: string, after: string, options: DiffOptions): string {
  if (before === after) return "";
  const edits = numbered(slid(diffLines(linesOf(before), linesOf(after))));
  const { paint = (_, line) => line } = options;
  const text = [paint("file", `--- ${options.from}`), paint("file", `+++ ${options.to}`)];
  for (const { start, end } of hunks(edits)) {
    const lines = edits.slice(start, end);
    const count = (sign: Edit["sign"]) => lines.filter((line) => line.sign !== sign).length;
    const range = (first: number, length: number) =>
      `${length === 0 ? first - 1 : first},${length}`;
    const { oldLine, newLine } = lines[0];
    const [old, now] = [range(oldLine, count("+")), range(newLine, count("-"))];
    text.push(paint("place", `@@ -${old} +${now} @@`));
    for (const { sign, line } of lines) {
      const whole = sign + line;
      text.push(sign === " " ? whole : paint(sign === "+" ? "added" : "removed", whole));
    }
  }
  return text.map((line) => `${line}\n`).join("");
}

/** Lines of one text that replace lines of another. Lines count from 0 and ends are exclusive. */
export interface LineChange {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/**
 * Returns the changes from one text to another, in order.
 *
 * @example
 * ```ts
 * lineChanges("a\nc\n", "a\nb\nc\n"); // line 1 of the new text, between lines 0 and 1 of the old
 * ```
 */
export function lineChanges(before: string, after: string): LineChange[] {
  const changes: LineChange[] = [];
  let [oldEnd, newEnd] = [0, 0];
  let isOpen = false;
  for (const { sign } of slid(diffLines(linesOf(before), linesOf(after)))) {
    if (sign !== " " && !isOpen) {
      changes.push({ oldStart: oldEnd, oldEnd, newStart: newEnd, newEnd });
    }
    isOpen = sign !== " ";
    if (sign !== "+") oldEnd++;
    if (sign !== "-") newEnd++;
    if (isOpen) changes[changes.length - 1] = { ...changes[changes.length - 1], oldEnd, newEnd };
  }
  return changes;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

interface Line {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

interface Edit extends Line {
  /** The positions in both texts, starting at 1, of the line or of the one that follows. */
  readonly oldLine: number;
  readonly newLine: number;
}

/** Returns every line of both texts, in order; removed lines come before added ones. */
function diffLines(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && before[head] === after[head]) head++;
  let [oldEnd, newEnd] = [before.length, after.length];
  while (oldEnd > head && newEnd > head && before[oldEnd - 1] === after[newEnd - 1]) {
    oldEnd--;
    newEnd--;
  }
  const kept = commonLines(before.slice(head, oldEnd), after.slice(head, newEnd));
  const lines: Line[] = [];
  let [i, j] = [head, head];
  const replaceUpTo = (oldStop: number, newStop: number) => {
    while (i < oldStop) lines.push({ sign: "-", line: before[i++] });
    while (j < newStop) lines.push({ sign: "+", line: after[j++] });
  };
  for (const [x, y] of kept) {
    replaceUpTo(head + x, head + y);
    lines.push({ sign: " ", line: before[i++] });
    j++;
  }
  replaceUpTo(oldEnd, newEnd);
  const same = (line: string): Line => ({ sign: " ", line });
  return [...before.slice(0, head).map(same), ...lines, ...before.slice(oldEnd).map(same)];
}

/**
 * Moves each block of added or removed lines down as far as possible, so that a shown block starts
 * where its content starts, not with the end of the previous block.
 */
function slid(lines: Line[]): Line[] {
  const sign = (index: number) => lines[index]?.sign ?? " ";
  for (let end = lines.length - 1; end >= 0; end--) {
    if (sign(end) === " ") continue;
    let start = end;
    while (start > 0 && sign(start - 1) === sign(end)) start--;
    // Removed and added lines in the same place belong together.
    const isAlone = sign(start - 1) === " " && sign(end + 1) === " ";
    let [first, next] = [start, end + 1];
    while (isAlone && next < lines.length && lines[next].line === lines[first].line) {
      if (sign(next) !== " ") break;
      [lines[first], lines[next]] = [lines[next], lines[first]];
      first++;
      next++;
    }
    end = start;
  }
  return lines;
}

function numbered(lines: readonly Line[]): Edit[] {
  let [oldLine, newLine] = [1, 1];
  return lines.map((line) => {
    const edit = { ...line, oldLine, newLine };
    if (line.sign !== "+") oldLine++;
    if (line.sign !== "-") newLine++;
    return edit;
  });
}

/**
 * Returns the longest list of index pairs of equal lines, after E. Myers, "An O(ND) Difference
 * Algorithm and Its Variations" (1986): for each number of changes d, it finds the furthest point
 * on each diagonal.
 */
function commonLines(before: readonly string[], after: readonly string[]): [number, number][] {
  const limit = Math.min(before.length + after.length, MAX_CHANGES);
  const middle = limit + 1;
  const reach = new Int32Array(2 * limit + 3);
  const history: Int32Array[] = [];
  for (let d = 0; d <= limit; d++) {
    history.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[middle + k - 1] < reach[middle + k + 1]);
      let x = down ? reach[middle + k + 1] : reach[middle + k - 1] + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      reach[middle + k] = x;
      if (x >= before.length && x - k >= after.length) return walkBack(history, before, after);
    }
  }
  return [];
}

function walkBack(
  history: readonly Int32Array[],
  before: readonly string[],
  after: readonly string[],
): [number, number][] {
  const kept: [number, number][] = [];
  let [x, y] = [before.length, after.length];
  for (let d = history.length - 1; d >= 0; d--) {
    // The row holds the diagonals -d-1 to d+1.
    const at = (k: number) => history[d][k + d + 1];
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const startX = d === 0 ? 0 : down ? at(k + 1) : at(k - 1) + 1;
    while (x > startX) kept.push([--x, --y]);
    if (d === 0) break;
    if (down) y--;
    else x--;
  }
  return kept.reverse();
}

/** Returns the ranges of edits to show: changes with their context, merged where they touch. */
function hunks(edits: readonly Edit[]): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const [index, { sign }] of edits.entries()) {
    if (sign === " ") continue;
    const start = Math.max(0, index - CONTEXT);
    const end = Math.min(edits.length, index + 1 + CONTEXT);
    const last = found.at(-1);
    if (last !== undefined && start <= last.end) last.end = end;
    else found.push({ start, end });
  }
  return found;
}
