/**
 * Aligns two versions of a list, so that a patch can insert and remove items instead of rewriting all items
 * behind them.
 *
 * Items are identified by a key (`name`, `mountPath`, …) if one is unique among them, otherwise by
 * equality. As many matched items as possible stay: a longest run with the same order on both sides, found
 * in O(n log n).
 */

import { isMap } from "../data/map.ts";

/** A step of the alignment: an item of the new list, or a removed item of the old one. */
export interface ListStep {
  /** The index in the old list, if the item was there. */
  readonly from?: number;
  /** The index in the new list, if the item is there. */
  readonly to?: number;
  /** Marks two different items at the same position, which need not be compared. */
  readonly isReplacement: boolean;
}

/**
 * Returns steps in list order. A step with both indexes keeps an item, `from` alone removes one, and `to`
 * alone adds one.
 */
export function alignLists(before: readonly unknown[], after: readonly unknown[]): ListStep[] {
  const key = identifyingKey(before, after);
  const matches = longestRun(before, after, key);
  const steps: ListStep[] = [];
  let from = 0;
  let to = 0;
  for (const match of [...matches, { from: before.length, to: after.length }]) {
    // Between two kept items, the leftovers of both sides replace each other one by one.
    while (from < match.from && to < match.to) {
      steps.push({ from: from++, to: to++, isReplacement: key !== undefined });
    }
    while (from < match.from) steps.push({ from: from++, isReplacement: false });
    while (to < match.to) steps.push({ to: to++, isReplacement: false });
    if (from < before.length && to < after.length) {
      steps.push({ from: from++, to: to++, isReplacement: false });
    }
  }
  return steps;
}

/** The keys that identify list items in Kubernetes, the likeliest first. */
const KEYS = [
  "name",
  "mountPath",
  "containerPort",
  "devicePath",
  "ip",
  "topologyKey",
  "uid",
  "key",
];

function identifyingKey(before: readonly unknown[], after: readonly unknown[]): string | undefined {
  return KEYS.find((key) => tellsApart(before, key) && tellsApart(after, key));
}

function tellsApart(list: readonly unknown[], key: string): boolean {
  const seen = new Set<unknown>();
  for (const item of list) {
    if (typeof item !== "object" || item === null || !Object.hasOwn(item, key)) return false;
    const value = (item as Record<string, unknown>)[key];
    if (typeof value !== "string" && typeof value !== "number") return false;
    seen.add(value);
  }
  return seen.size === list.length;
}

interface Match {
  readonly from: number;
  readonly to: number;
}

function longestRun(
  before: readonly unknown[],
  after: readonly unknown[],
  key: string | undefined,
): Match[] {
  const places = new Map<unknown, number[]>();
  for (let i = before.length - 1; i >= 0; i--) {
    const id = identity(before[i], key);
    const found = places.get(id);
    if (found === undefined) places.set(id, [i]);
    else found.push(i);
  }
  const matches: Match[] = [];
  for (let to = 0; to < after.length; to++) {
    // Of several equal items, take the first unused one.
    const from = places.get(identity(after[to], key))?.pop();
    if (from !== undefined) matches.push({ from, to });
  }
  return increasing(matches);
}

/** Returns an item's identity. Scalars compare by value and type, so strings are JSON-quoted. */
function identity(item: unknown, key: string | undefined): unknown {
  if (key !== undefined) return (item as Record<string, unknown>)[key];
  return typeof item === "object" ? canonical(item) : typeof item === "string" ? `"${item}` : item;
}

/** Returns the same text for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (!isMap(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1));
  });
}

/** Returns the longest subsequence of matches whose `from` increases too (patience sorting). */
function increasing(matches: readonly Match[]): Match[] {
  const tops: number[] = []; // For each run length, the match with the lowest end.
  const previous = new Array<number>(matches.length);
  for (let i = 0; i < matches.length; i++) {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (matches[tops[middle]].from < matches[i].from) low = middle + 1;
      else high = middle;
    }
    previous[i] = low === 0 ? -1 : tops[low - 1];
    tops[low] = i;
  }
  const run: Match[] = [];
  for (let i = tops.at(-1) ?? -1; i !== -1; i = previous[i]) run.push(matches[i]);
  return run.reverse();
}
