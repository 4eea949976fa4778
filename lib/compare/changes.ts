/**
 * Lists the differences between two pods, or any two JSON values, one per line with a readable
 * path. List items are matched by name, so that an additional container is one change and does not
 * shift all that follow. Programs use JSON patches instead.
 */

import { equalJson } from "../data/json.ts";
import { isMap } from "../data/map.ts";

export interface Change {
  /** For example `spec.containers[istio-proxy].env[ISTIO_META_MESH_ID].value`. */
  readonly path: string;
  /** Absent if the value was added. */
  readonly from?: unknown;
  /** Absent if the value was removed. */
  readonly to?: unknown;
}

/** Fields that identify list items; the first one that all items have is used. */
const KEYS = ["name", "mountPath", "devicePath", "containerPort", "key", "ip", "uid"];

/** The maximum depth: no valid pod is deeper. Deeper values are compared as a whole. */
const MAX_DEPTH = 64;

/** Returns the changes in the order of the values; empty if they are equal. */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const changes: Change[] = [];
  compare(before, after, { path: "", depth: 0, changes });
  return changes;
}

interface At {
  readonly path: string;
  readonly depth: number;
  readonly changes: Change[];
}

function compare(before: unknown, after: unknown, at: At): void {
  if (equalJson(before, after)) return;
  if (at.depth < MAX_DEPTH) {
    if (isMap(before) && isMap(after)) return compareMaps(before, after, at);
    if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, at);
  }
  at.changes.push({ path: at.path, from: before, to: after });
}

function compareMaps(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  at: At,
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const path = at.path === "" ? key : `${at.path}${inPath(key)}`;
    const [has, gets] = [Object.hasOwn(before, key), Object.hasOwn(after, key)];
    if (has && gets) compare(before[key], after[key], { ...at, path, depth: at.depth + 1 });
    else if (has) at.changes.push({ path, from: before[key] });
    else at.changes.push({ path, to: after[key] });
  }
}

/** Keys with dots, as in annotations, are in brackets. */
function inPath(key: string): string {
  return /^[\w-]+$/.test(key) ? `.${key}` : `[${key}]`;
}

function compareLists(before: readonly unknown[], after: readonly unknown[], at: At): void {
  const named = byName(before, after);
  if (named === undefined) {
    if (before.length !== after.length) {
      at.changes.push({ path: at.path, from: before, to: after });
      return;
    }
    for (const [index, item] of before.entries()) {
      compare(item, after[index], { ...at, path: `${at.path}[${index}]`, depth: at.depth + 1 });
    }
    return;
  }
  const { old, now } = named;
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const path = `${at.path}[${name}]`;
    if (!now.has(name)) at.changes.push({ path, from: old.get(name) });
    else if (!old.has(name)) at.changes.push({ path, to: now.get(name) });
    else compare(old.get(name), now.get(name), { ...at, path, depth: at.depth + 1 });
  }
  const from = [...old.keys()].filter((name) => now.has(name));
  const to = [...now.keys()].filter((name) => old.has(name));
  // The order of containers matters, and of variables that refer to each other.
  if (!equalJson(from, to)) at.changes.push({ path: `${at.path} (order)`, from, to });
}

function byName(before: readonly unknown[], after: readonly unknown[]) {
  for (const key of KEYS) {
    const old = mapBy(before, key);
    const now = old && mapBy(after, key);
    if (old !== undefined && now !== undefined) return { old, now };
  }
}

/** Indexes items by a key; returns `undefined` if an item lacks it or two items share it. */
function mapBy(list: readonly unknown[], key: string): Map<string, unknown> | undefined {
  const map = new Map<string, unknown>();
  for (const item of list) {
    const name = isMap(item) && Object.hasOwn(item, key) ? item[key] : undefined;
    if (typeof name !== "string" && typeof name !== "number") return undefined;
    map.set(String(name), item);
  }
  return map.size === list.length ? map : undefined;
}

/** The maximum length of a value that is shown whole. */
const MAX_SHOWN = 120;

/** Formats a change: `+ path: value`, `- path: value`, or `~ path: old → new`. */
export function changeLine(change: Change): string {
  const { path, from, to } = change;
  if (!("from" in change)) return `+ ${path}: ${shown(to)}`;
  if (!("to" in change)) return `- ${path}: ${shown(from)}`;
  const [old, now] = differing(text(from), text(to));
  return `~ ${path}: ${old} → ${now}`;
}

function text(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value) ?? "nothing";
}

function shown(value: unknown): string {
  const whole = text(value);
  return whole.length <= MAX_SHOWN ? whole : `${cut(whole, MAX_SHOWN)}…`;
}

/** Shortens both values so that their difference is visible. */
function differing(from: string, to: string): [string, string] {
  if (from.length <= MAX_SHOWN && to.length <= MAX_SHOWN) return [from, to];
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  const start = Math.max(0, same - MAX_SHOWN / 4);
  const part = (whole: string) => {
    const rest = whole.slice(start);
    const end = rest.length > MAX_SHOWN ? `${cut(rest, MAX_SHOWN)}…` : rest;
    return start > 0 ? `…${end.replace(/^[\udc00-\udfff]/, "")}` : end;
  };
  return [part(from), part(to)];
}

/** Cuts a text without splitting a surrogate pair. */
function cut(whole: string, length: number): string {
  return whole.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

/** The number of changes that a summary names. */
const NAMED = 3;

/** Summarizes changes: the paths of the first ones, and the number of the others. */
export function summaryOf(changes: readonly Change[]): string {
  const named = changes.slice(0, NAMED).map((change) => {
    const sign = "from" in change ? ("to" in change ? "~" : "-") : "+";
    return `${sign}${change.path}`;
  });
  const more = changes.length - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
