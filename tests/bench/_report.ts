/** What a run found, as rows of one table: how they are compared, which goals they meet, and how they print. */

export interface Row {
  /** What the rows around it share, as in `replicas of one workload`. */
  readonly group: string;
  readonly what: string;
  readonly unit: string;
  /** Whether more of it is better, as of requests a second, or less. */
  readonly better: "more" | "less";
  readonly peer?: number;
  readonly ours?: number;
  readonly floor?: number;
  /** How many times better than the peer we want to be. */
  readonly goal?: number;
  /** Said beside the goal. */
  readonly aim?: string;
}

export function median(numbers: readonly number[]): number {
  if (numbers.length === 0) return NaN;
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The exponent of growth: 1 where twice as much takes twice as long, 2 where it takes four times as
 * long. Least squares through the logarithms.
 */
export function exponentOf(points: readonly (readonly [size: number, cost: number])[]): number {
  const logs = points.map(([size, cost]) => [Math.log(size), Math.log(cost)]);
  const mean = (at: 0 | 1) => logs.reduce((sum, log) => sum + log[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return above / logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}

/** How many times better ours is than the peer's; below 1 it is worse. */
export function timesBetter({ better, peer, ours }: Row): number | undefined {
  if (!peer || !ours) return undefined;
  return better === "more" ? ours / peer : peer / ours;
}

/** `undefined` where the row has no goal, or was not measured. */
export function isMet(row: Row): boolean | undefined {
  const times = timesBetter(row);
  return times === undefined || row.goal === undefined ? undefined : times >= row.goal;
}

const HEADINGS = [
  "measured",
  "unit",
  "Istio's injector",
  "Outrigger",
  "floor",
  "ours against Istio's",
  "goal",
];

/** The table as Markdown, in columns that line up. */
export function tableText(rows: readonly Row[]): string {
  const cells: string[][] = [HEADINGS];
  let group = "";
  for (const row of rows) {
    if (row.group !== group) cells.push([`**${row.group}**`, "", "", "", "", "", ""]);
    group = row.group;
    cells.push([
      row.what,
      row.unit,
      ...[row.peer, row.ours, row.floor].map(numberText),
      timesText(row),
      goalText(row),
    ]);
  }
  const widths = HEADINGS.map((_, i) => Math.max(...cells.map((row) => [...row[i]].length)));
  const isNumber = (column: number) => column >= 2 && column <= 5;
  const line = (row: readonly string[]) => {
    const padded = row.map((cell, i) => {
      const space = " ".repeat(widths[i] - [...cell].length);
      return isNumber(i) ? space + cell : cell + space;
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = widths.map((width, i) =>
    isNumber(i) ? `${"-".repeat(width - 1)}:` : "-".repeat(width)
  );
  return [line(cells[0]), line(rule), ...cells.slice(1).map(line)].join("\n");
}

/** Three digits that count. */
export function numberText(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "";
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const [whole, part] = value.toFixed(Math.min(digits, 3)).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}

function timesText(row: Row): string {
  const times = timesBetter(row);
  if (times === undefined) return "";
  if (row.better === "more") return `${numberText(times)}×`;
  return times < 1 ? `${numberText(1 / times)}×` : `1/${numberText(times)}`;
}

function goalText(row: Row): string {
  if (row.goal === undefined) return row.aim ?? "";
  const wanted = row.better === "more"
    ? `≥ ${row.goal}×`
    : row.goal === 1
    ? "≤ 1"
    : `≤ 1/${row.goal}`;
  const met = isMet(row);
  const verdict = met === undefined ? "not measured" : met ? "met" : "**missed**";
  return `${wanted}: ${verdict}${row.aim === undefined ? "" : ` (${row.aim})`}`;
}

/** The goals in a line each, for those who only want to know. */
export function goalsText(rows: readonly Row[]): string {
  const goals = rows.filter((row) => isMet(row) !== undefined);
  const met = goals.filter((row) => isMet(row));
  const missed = goals.filter((row) => !isMet(row)).map((row) =>
    `missed: ${row.group}, ${row.what}: ${timesText(row)}, wanted ${goalText(row).split(":")[0]}`
  );
  return [`${met.length} of ${goals.length} goals met`, ...missed].join("\n");
}
