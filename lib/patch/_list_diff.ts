/**
 * Pairs up two versions of a list, so that a patch can insert and remove items instead of rewriting
 * the ones behind them.
 *
 * Items are recognised by a key of theirs (`name`, `mountPath`, …) if one tells all of them apart, else
 * by being equal. Of the recognised ones, as many as possible stay: those in a longest run that has
 * the same order on both sides. That takes n log n steps, where trying all alignments takes n².
 */

import { isMap } from "../data/map.ts";

/** One item of the new list, or of the old one if it goes. */
export interface ListStep {
  /** Place in the old list, if it was there. */
  readonly from?: number;
  /** Place in the new list, if it stays or comes. */
  readonly to?: number;
  /** Two items known to be different ones, in each other's place: no use in comparing them. */
  readonly isReplacement: boolean;
}

/** Steps in list order. Both places: the item's place stays; `from` alone: it goes; `to` alone: it comes. */
export function alignLists(before: readonly unknown[], after: readonly unknown[]): ListStep[] {
  const key = identifyingKey(before, after);
  const matches = longestRun(before, after, key);
  const steps: ListStep[] = [];
  let from = 0;
  let to = 0;
  for (const match of [...matches, { from: before.length, to: after.length }]) {
    // Between two items that stay, leftovers of both sides replace each other one by one.
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

/** What Kubernetes tells list items apart by, the likeliest first. */
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
    // Of several equal items, the first not yet taken.
    const from = places.get(identity(after[to], key))?.pop();
    if (from !== undefined) matches.push({ from, to });
  }
  return increasing(matches);
}

/** Scalars by value and type, which strings of JSON show apart. */
function identity(item: unknown, key: string | undefined): unknown {
  if (key !== undefined) return (item as Record<string, unknown>)[key];
  return typeof item === "object" ? canonical(item) : typeof item === "string" ? `"${item}` : item;
}

/** Equal values give equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (!isMap(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1));
  });
}

/** The longest part of the matches, given by `to`, whose `from` rises too (patience sorting). */
function increasing(matches: readonly Match[]): Match[] {
  const tops: number[] = []; // Per run length, the match that ends it lowest.
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
