/**
 * Capacities of Go slices. They are visible in one place: sprig's `slice` can reach beyond the
 * length of a list, so `slice .l 0 6` of five decoded numbers is `[1 2 3 4 5 <nil>]`.
 *
 * By default a list has the capacity that Go's `append` gives when it adds one element after the
 * other, as for JSON arrays and most results. Functions that make lists in another way record the
 * capacity here.
 */

import { bare, type GoType, zero } from "../value.ts";

/** The size classes of the Go runtime, in bytes. Larger objects are whole pages. */
// deno-fmt-ignore
const SIZE_CLASSES = [
  0, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352,
  384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304,
  2688, 3072, 3200, 3456, 4096, 4864, 5120, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240,
  10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
];
const PAGE_BYTES = 8192;

/** Larger objects that contain pointers have a header. */
const HEADERLESS_BYTES = 512;
const HEADER_BYTES = 8;

/** Returns the bytes that the Go runtime allocates for a requested size. */
function allocated(bytes: number, hasPointers: boolean): number {
  if (bytes > SIZE_CLASSES[SIZE_CLASSES.length - 1] - HEADER_BYTES) {
    return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
  }
  const header = hasPointers && bytes > HEADERLESS_BYTES ? HEADER_BYTES : 0;
  return SIZE_CLASSES.find((size) => size >= bytes + header)! - header;
}

/** Returns the size of an element: two words for strings and interfaces, three for slices. */
function elementBytes(elem: GoType): number {
  switch (elem.kind) {
    case "string":
    case "interface":
      return 16;
    case "slice":
      return 24;
    case "bool":
    case "uint8":
    case "int8":
      return 1;
    default:
      return 8;
  }
}

function hasPointers(elem: GoType): boolean {
  return elem.kind === "string" || elem.kind === "interface" || elem.kind === "slice" ||
    elem.kind === "map" || elem.kind === "ptr";
}

/** Returns the capacity after `append` grows a slice for `length` elements. */
export function grown(capacity: number, length: number, elem: GoType): number {
  let needed: number;
  if (length > 2 * capacity) needed = length;
  else if (capacity < 256) needed = 2 * capacity;
  else {
    // Like the runtime, move from doubling towards growing by a quarter.
    for (needed = capacity; needed < length;) needed += Math.floor((needed + 3 * 256) / 4);
  }
  const size = elementBytes(elem);
  return Math.floor(allocated(needed * size, hasPointers(elem)) / size);
}

/** The part of a list's backing array that its elements do not show. */
interface Backing {
  readonly capacity: number;
  /** The elements after the last one, without trailing zero values. */
  readonly hidden: readonly unknown[];
}

const backings = new WeakMap<readonly unknown[], Backing>();

/** Records the capacity of a new list, by default its length. */
export function withCapacity<T extends readonly unknown[]>(
  items: T,
  capacity: number = items.length,
  hidden: readonly unknown[] = [],
): T {
  backings.set(items, { capacity, hidden });
  return items;
}

/** Reports whether a function of this folder made a list, so that it is not part of the data. */
export function wasMade(items: readonly unknown[]): boolean {
  return backings.has(items);
}

/** Returns the capacity of a list, as Go's `cap` does. */
export function capacityOf(items: readonly unknown[], elem: GoType): number {
  const backing = backings.get(items);
  if (backing) return backing.capacity;
  let capacity = 0;
  while (capacity < items.length) capacity = grown(capacity, capacity + 1, elem);
  return capacity;
}

/** Returns the bare elements `items[from:to]`, or `undefined` if that is out of bounds. */
export function reslice(
  { items, elem }: { readonly items: readonly unknown[]; readonly elem: GoType },
  from: number,
  to: number,
): readonly unknown[] | undefined {
  const capacity = capacityOf(items, elem);
  if (from < 0 || to < from || to > capacity) return undefined;
  const hidden = backings.get(items)?.hidden ?? [];
  const all = hidden.length === 0 ? items : [...items, ...hidden];
  const part = all.slice(from, to);
  while (part.length < to - from) part.push(bare(zero(elem)));
  return withCapacity(part, capacity - from, all.slice(to));
}
