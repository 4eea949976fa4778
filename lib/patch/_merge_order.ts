/**
 * Computes the order of a merged list. Patched items keep the patch's order, other items keep the
 * original's, and the two sequences are interleaved: an original item precedes a patched item only if both
 * were in the original in that order. New items therefore precede the remaining original ones.
 */

/** Returns what identifies an item: the merge key's value for maps, the value itself for scalars. */
export type Identity = (item: unknown) => unknown;

export interface OrderOptions {
  /** The patch's items, in their requested order. */
  readonly patchOrder: readonly unknown[];
  /** The original's items. */
  readonly serverOrder: readonly unknown[];
  readonly identity: Identity;
}

export function orderMerged(merged: readonly unknown[], options: OrderOptions): unknown[] {
  const { identity } = options;
  const patchAt = firstPlaces(options.patchOrder, identity);
  const serverAt = firstPlaces(options.serverOrder, identity);
  const inPatch: unknown[] = [];
  const others: unknown[] = [];
  for (const item of merged) (patchAt.has(identity(item)) ? inPatch : others).push(item);
  const right = sortByPlace(inPatch, patchAt, identity);
  const left = sortByPlace(others, serverAt, identity);

  const ordered: unknown[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const leftAt = serverAt.get(identity(left[i]));
    const rightAt = serverAt.get(identity(right[j]));
    const leftFirst = leftAt !== undefined && rightAt !== undefined && leftAt < rightAt;
    ordered.push(leftFirst ? left[i++] : right[j++]);
  }
  while (i < left.length) ordered.push(left[i++]);
  while (j < right.length) ordered.push(right[j++]);
  return ordered;
}

/** Maps each identity to the index of its first item. */
export function firstPlaces(list: readonly unknown[], identity: Identity): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (let i = 0; i < list.length; i++) {
    const value = identity(list[i]);
    if (!places.has(value)) places.set(value, i);
  }
  return places;
}

/** The length up to which Go's stable sort is a plain insertion sort. */
const INSERTION_LIMIT = 20;

interface Row {
  readonly item: unknown;
  readonly place: number | undefined;
}

/**
 * Sorts stably by place. Items with `$patch: delete`, which only an original can hold, go last.
 *
 * An item without a place comes from a patch with an empty `$setElementOrder` list. Kubernetes' comparison
 * calls it smaller than its neighbour in both directions; this function imitates the result of insertion
 * sort.
 */
function sortByPlace(
  items: unknown[],
  places: Map<unknown, number>,
  identity: Identity,
): unknown[] {
  if (items.length < 2) return items;
  const rows = items.map((item): Row => ({ item, place: places.get(identity(item)) }));
  const last = rows.filter((row) => isMarkedDeleted(row.item));
  const rest = last.length === 0 ? rows : rows.filter((row) => !isMarkedDeleted(row.item));
  if (rest.length <= INSERTION_LIMIT) insertionSort(rest);
  else rest.sort((a, b) => (a.place ?? -1) - (b.place ?? -1));
  return [...rest, ...last].map((row) => row.item);
}

function insertionSort(rows: Row[]): void {
  for (let i = 1; i < rows.length; i++) {
    for (let j = i; j > 0 && isLess(rows[j], rows[j - 1]); j--) {
      const row = rows[j];
      rows[j] = rows[j - 1];
      rows[j - 1] = row;
    }
  }
}

function isLess(a: Row, b: Row): boolean {
  return a.place === undefined || b.place === undefined || a.place < b.place;
}

function isMarkedDeleted(item: unknown): boolean {
  return typeof item === "object" && item !== null && Object.hasOwn(item, "$patch") &&
    (item as Record<string, unknown>).$patch === "delete";
}
