/**
 * Merges one list into another, item by item, and applies the list directives: `$patch` in an item,
 * `$setElementOrder/x` and `$deleteFromPrimitiveList/x`. Takes two lists and the schema's merge rule;
 * returns a new list that shares every untouched item with its inputs.
 */
import { isMap } from "../data/map.ts";
import { formatValue, sprintf } from "../go/fmt.ts";
import type { SchemaType } from "../kube/schema.ts";
import { printType, StrategicMergeError } from "./_merge_error.ts";
import { firstPlaces, type Identity, orderMerged } from "./_merge_order.ts";
import { type ListRule, reflectKind } from "./_merge_schema.ts";

const MAP = "map[string]interface {}";

export type JsonObject = Record<string, unknown>;

/** Merges two list items with the same key. Passed in to break the cycle with strategic_merge.ts. */
export type MergeItem = (original: JsonObject, patch: JsonObject, type: SchemaType) => JsonObject;

export interface ListMerge {
  readonly items: unknown[];
  /**
   * The original list after the merge. Kubernetes deletes and appends in place, and `$setElementOrder`
   * takes its original order from the result.
   */
  readonly originalAfter: unknown[];
}

export function mergeList(
  original: unknown[],
  patch: unknown[],
  rule: ListRule,
  mergeItem: MergeItem,
): ListMerge {
  if (original.length === 0 && patch.length === 0) {
    return { items: original, originalAfter: original };
  }
  return holdsMaps(original, patch)
    ? mergeMaps(original, patch, rule, mergeItem)
    : mergeScalars(original, patch, rule);
}

/** Applies `$deleteFromPrimitiveList`. On lists of maps it merges like any patch, as in Kubernetes. */
export function deleteFromList(
  original: unknown[],
  patch: unknown[],
  rule: ListRule,
  mergeItem: MergeItem,
): unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (holdsMaps(original, patch)) return mergeMaps(original, patch, rule, mergeItem).items;
  const gone = new Set(patch);
  return original.filter((item) => !gone.has(item));
}

/** Reports whether a list holds maps. All items must have the same type. */
function holdsMaps(original: unknown[], patch: unknown[]): boolean {
  const first = original.length > 0 ? original[0] : patch[0];
  if (first === undefined) {
    throw new StrategicMergeError("wrong-type", "no elements in any of the given slices");
  }
  if (first === null) {
    throw new StrategicMergeError("panic", "Cannot merge a list that starts with null");
  }
  const type = printType(first);
  if (type === "[]interface {}") {
    throw new StrategicMergeError("wrong-type", "lists of lists are not supported");
  }
  for (const list of [original, patch]) {
    for (const item of list) {
      if (printType(item) === type) continue;
      throw new StrategicMergeError(
        "mixed-list",
        `list element types are not identical: ${formatValue([original, patch])}`,
      );
    }
  }
  return typeof first === "object";
}

function mergeScalars(original: unknown[], patch: unknown[], rule: ListRule): ListMerge {
  if (rule.mergeKey !== "") throw badArgument(MAP, original[0] ?? patch[0]);
  const merged = [...new Set([...original, ...patch])];
  const originalAfter = afterAppend(original, patch);
  const identity: Identity = (item) => item;
  return {
    items: orderMerged(merged, { patchOrder: patch, serverOrder: originalAfter, identity }),
    originalAfter,
  };
}

/**
 * Caps the imitation of a shared array, which is quadratic. Longer lists with spare capacity do not occur.
 */
const LARGEST_SHARED = 256;

/**
 * Returns the original list after Go's append. Go appends the patch to the original and drops duplicates by
 * moving the last item into the gap. If the original's array had spare capacity, the original changes too,
 * which affects the order. Decoded JSON lists grow by doubling.
 */
function afterAppend(original: unknown[], patch: unknown[]): unknown[] {
  const both = [...original, ...patch];
  let capacity = original.length === 0 ? 0 : 1;
  while (capacity < original.length) capacity *= 2;
  if (both.length > capacity || both.length > LARGEST_SHARED) return original;
  let end = both.length;
  for (let i = 0; i < end - 1; i++) {
    for (let j = i + 1; j < end;) {
      if (both[i] === both[j]) both[j] = both[--end];
      else j++;
    }
  }
  return both.slice(0, original.length);
}

function mergeMaps(
  original: unknown[],
  patch: unknown[],
  rule: ListRule,
  mergeItem: MergeItem,
): ListMerge {
  const { mergeKey } = rule;
  if (mergeKey === "") {
    const kind = reflectKind(rule.elem);
    throw new StrategicMergeError("wrong-type", `cannot merge lists without merge key for ${kind}`);
  }
  const identity = byMergeKey(mergeKey);
  const list = { items: original.slice(), length: original.length };
  const { plain, replaces } = applyItemDirectives(list, patch as JsonObject[], mergeKey);
  if (replaces) {
    for (const item of plain) requireKey(item, mergeKey);
    const order = { patchOrder: [], serverOrder: plain, identity };
    return { items: orderMerged(plain, order), originalAfter: list.items };
  }

  const kept = list.length;
  const places = firstPlaces(list.items.slice(0, kept), identity);
  for (const item of plain) {
    requireKey(item, mergeKey);
    const key = identity(item);
    const place = places.get(key);
    if (place !== undefined && Object.hasOwn(list.items[place] as JsonObject, mergeKey)) {
      list.items[place] = mergeItem(list.items[place] as JsonObject, item, rule.elem);
    } else {
      places.set(key, list.length);
      list.items[list.length++] = item;
    }
  }
  const merged = list.items.slice(0, list.length);
  for (const item of merged) requireKey(item, mergeKey);
  const serverOrder = list.items.slice(0, kept);
  return {
    items: orderMerged(merged, { patchOrder: plain, serverOrder, identity }),
    originalAfter: list.items.slice(0, original.length),
  };
}

/** A list backed by a possibly longer array: deleting moves items up and leaves the tail behind. */
interface Slice {
  readonly items: unknown[];
  length: number;
}

function applyItemDirectives(
  list: Slice,
  patch: JsonObject[],
  mergeKey: string,
): { plain: JsonObject[]; replaces: boolean } {
  const identity = byMergeKey(mergeKey);
  const plain: JsonObject[] = [];
  let deletion: Deletion | undefined;
  let replaces = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, "$patch")) {
      plain.push(item);
      continue;
    }
    switch (item.$patch) {
      case "delete":
        requireKey(item, mergeKey);
        deletion ??= new Deletion(list, mergeKey);
        deletion.delete(identity(item));
        break;
      case "replace":
        replaces = true;
        break;
      case "merge":
        throw new StrategicMergeError(
          "bad-directive",
          "merging lists cannot yet be specified in the patch",
        );
      default:
        throw unknownDirective(item);
    }
  }
  deletion?.finish();
  return { plain, replaces };
}

/**
 * Deletes items from a slice by key. Kubernetes deletes them one by one and moves the rest up, so each
 * deletion leaves the then last item behind the new end. This class does the same in one pass.
 */
class Deletion {
  readonly #list: Slice;
  readonly #places = new Map<unknown, number[]>();
  readonly #gone = new Set<number>();
  /** The items left behind the end, starting with the first deletion's. */
  readonly #tail: unknown[] = [];
  #last: number;

  constructor(list: Slice, mergeKey: string) {
    this.#list = list;
    this.#last = list.length - 1;
    const identity = byMergeKey(mergeKey);
    for (let i = 0; i < list.length; i++) {
      const item = list.items[i] as JsonObject;
      if (!Object.hasOwn(item, mergeKey)) continue;
      const key = identity(item);
      const places = this.#places.get(key);
      if (places === undefined) this.#places.set(key, [i]);
      else places.push(i);
    }
  }

  delete(key: unknown): void {
    for (const place of this.#places.get(key) ?? []) {
      while (this.#gone.has(this.#last)) this.#last--;
      this.#tail.push(this.#list.items[this.#last]);
      this.#gone.add(place);
    }
    this.#places.delete(key);
  }

  finish(): void {
    const { items } = this.#list;
    const kept = items.filter((_, i) => !this.#gone.has(i));
    this.#list.length = kept.length;
    [...kept, ...this.#tail.reverse()].forEach((item, i) => items[i] = item);
  }
}

export interface SetOrder {
  readonly setOrder: unknown[];
  readonly original: unknown[] | undefined;
  readonly patch: unknown[] | undefined;
  /** The patch list, for when there is no original. */
  readonly patchAlone: unknown[];
}

/** Merges a list that has a `$setElementOrder`. Returns undefined if neither side has the list. */
export function mergeWithSetOrder(
  lists: SetOrder,
  rule: ListRule,
  mergeItem: MergeItem,
): unknown[] | undefined {
  const { setOrder, original, patch, patchAlone } = lists;
  checkSetOrder(patch ?? [], setOrder, rule.mergeKey);
  let merged: unknown[];
  let serverOrder = original ?? [];
  if (original === undefined) {
    if (patch === undefined) return undefined;
    merged = patchAlone;
  } else if (patch === undefined) {
    merged = original;
  } else if (rule.merge) {
    const result = mergeList(original, patch, rule, mergeItem);
    merged = result.items;
    serverOrder = result.originalAfter;
  } else {
    merged = patch;
  }
  if (rule.mergeKey === "") {
    for (const item of [...setOrder, ...merged]) requireScalar(item);
  } else {
    checkMerged(merged, setOrder, rule.mergeKey);
  }
  const areMaps = holdsMaps(original ?? [], patch ?? []);
  if (areMaps) {
    for (const item of [...setOrder, ...serverOrder]) requireKey(requireMap(item), rule.mergeKey);
  }
  const identity: Identity = areMaps ? byMergeKey(rule.mergeKey) : (item) => item;
  return orderMerged(merged, { patchOrder: setOrder, serverOrder, identity });
}

/**
 * Fails on the first merged item whose key stops Kubernetes' lookup in `$setElementOrder`: an entry there
 * is not a map.
 */
function checkMerged(merged: unknown[], setOrder: unknown[], mergeKey: string): void {
  const bad = setOrder.findIndex((item) => printType(item) !== MAP);
  const before = firstPlaces(bad === -1 ? [] : setOrder.slice(0, bad), byMergeKey(mergeKey));
  for (const item of merged) {
    requireKey(requireMap(item), mergeKey);
    if (bad === -1 || before.has(byMergeKey(mergeKey)(item))) continue;
    throw new StrategicMergeError("bad-directive", `value for key ${bad} is not a map`);
  }
}

/** Checks that every patch item occurs in `$setElementOrder`, in the same order; deletions are exempt. */
function checkSetOrder(patch: unknown[], setOrder: unknown[], mergeKey: string): void {
  if (setOrder.length === 0 || patch.length === 0) return;
  const items = mergeKey === ""
    ? patch
    : patch.filter((item) =>
      requireMap(item).$patch !== "delete" || !Object.hasOwn(item as object, "$patch")
    );
  let next = 0;
  let i = 0;
  while (next < items.length && i < setOrder.length) {
    const item = items[next];
    const isSpecial = printType(item) === MAP &&
      Object.hasOwn(item as object, "$patch");
    if (isSpecial) {
      next++;
      continue;
    }
    if (sameItem(item, setOrder[i], mergeKey)) next++;
    i++;
  }
  if (next === items.length) return;
  throw new StrategicMergeError(
    "bad-directive",
    `The order in patch list:\n${formatValue(patch)}\n doesn't match $setElementOrder list:\n${
      formatValue(setOrder)
    }\n`,
  );
}

function sameItem(left: unknown, right: unknown, mergeKey: string): boolean {
  if (mergeKey === "") return printType(left) === printType(right) && requireScalar(left) === right;
  const leftMap = requireMap(left);
  const rightMap = requireMap(right);
  requireKey(leftMap, mergeKey);
  requireKey(rightMap, mergeKey);
  return byMergeKey(mergeKey)(leftMap) === byMergeKey(mergeKey)(rightMap);
}

function byMergeKey(mergeKey: string): Identity {
  return (item) => {
    const map = item as JsonObject;
    return Object.hasOwn(map, mergeKey) ? requireScalar(map[mergeKey]) : undefined;
  };
}

/** Rejects maps and lists, on which Go's comparison panics. */
function requireScalar(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  throw new StrategicMergeError(
    "panic",
    `runtime error: comparing uncomparable type ${printType(value)}`,
  );
}

function requireMap(value: unknown): JsonObject {
  if (isMap(value)) {
    return value as JsonObject;
  }
  throw badArgument(MAP, value);
}

function requireKey(item: unknown, mergeKey: string): void {
  if (Object.hasOwn(item as JsonObject, mergeKey)) return;
  throw new StrategicMergeError(
    "missing-merge-key",
    `map: ${formatValue(item)} does not contain declared merge key: ${mergeKey}`,
  );
}

export function badArgument(wanted: string, value: unknown): StrategicMergeError {
  return new StrategicMergeError(
    "wrong-type",
    `expected a ${wanted}, but received a ${printType(value)}`,
  );
}

export function unknownDirective(patch: JsonObject): StrategicMergeError {
  return new StrategicMergeError(
    "bad-directive",
    `unknown patch type: ${sprintf("%s", [patch.$patch])} in map: ${formatValue(patch)}`,
  );
}
