/**
 * Capacities of Go slices. They show in one place: sprig's `slice` reaches past the length of a list
 * up to its capacity, so that `slice .l 0 6` of five decoded numbers is `[1 2 3 4 5 <nil>]`.
 *
 * A slice that was appended to, one element after the other from none, has the capacity that Go's
 * growth gives; JSON arrays are made so, and so are most results. Lists made otherwise say so here.
 */

import { type GoType, Typed, zero } from "../value.ts";

/** Sizes of the Go runtime's small objects, in bytes. Larger ones are whole pages. */
// deno-fmt-ignore
const SIZE_CLASSES = [
  0, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352,
  384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304,
  2688, 3072, 3200, 3456, 4096, 4864, 5120, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240,
  10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
];
const PAGE_BYTES = 8192;

/** Objects with pointers that are larger than this carry a header of eight bytes. */
const HEADERLESS_BYTES = 512;
const HEADER_BYTES = 8;

/** Bytes that are handed out for a wish. */
function allocated(bytes: number, hasPointers: boolean): number {
  if (bytes > SIZE_CLASSES[SIZE_CLASSES.length - 1] - HEADER_BYTES) {
    return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
  }
  const header = hasPointers && bytes > HEADERLESS_BYTES ? HEADER_BYTES : 0;
  return SIZE_CLASSES.find((size) => size >= bytes + header)! - header;
}

/** Bytes of an element: strings and interfaces are two words, slices three. */
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

/** The new capacity when `append` needs room for `length` elements. */
export function grown(capacity: number, length: number, elem: GoType): number {
  let wish: number;
  if (length > 2 * capacity) wish = length;
  else if (capacity < 256) wish = 2 * capacity;
  else {
    // From doubling towards a quarter more, as the runtime has it.
    for (wish = capacity; wish < length;) wish += Math.floor((wish + 3 * 256) / 4);
  }
  const size = elementBytes(elem);
  return Math.floor(allocated(wish * size, hasPointers(elem)) / size);
}

/** Where a list is more than its elements. */
interface Backing {
  readonly capacity: number;
  /** What follows the last element, so far as it is not zero: the rest of the list it was cut from. */
  readonly hidden: readonly unknown[];
}

const backings = new WeakMap<readonly unknown[], Backing>();

/** Notes the capacity of a list just made; by default all of it is used. */
export function withCapacity<T extends readonly unknown[]>(
  items: T,
  capacity: number = items.length,
  hidden: readonly unknown[] = [],
): T {
  backings.set(items, { capacity, hidden });
  return items;
}

/** Whether a list was made by a function of this folder, rather than read from the data. */
export function wasMade(items: readonly unknown[]): boolean {
  return backings.has(items);
}

/** `cap`. */
export function capacityOf(items: readonly unknown[], elem: GoType): number {
  const noted = backings.get(items);
  if (noted) return noted.capacity;
  let capacity = 0;
  while (capacity < items.length) capacity = grown(capacity, capacity + 1, elem);
  return capacity;
}

/** `items[from:to]`, or `undefined` where that is out of bounds. Elements are as they are kept. */
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
  const filler = zero(elem);
  while (part.length < to - from) part.push(filler instanceof Typed ? filler.value : filler);
  return withCapacity(part, capacity - from, all.slice(to));
}
