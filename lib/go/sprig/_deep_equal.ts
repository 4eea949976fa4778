/** Go's `reflect.DeepEqual`, and sets of values that are told apart by it. */

import type { Complex } from "../fmt.ts";
import { type GoType, Typed, typeOf, wrap } from "../value.ts";
import { Walk } from "./_limits.ts";

/** Pairs of containers are remembered only past this many steps: most comparisons end before. */
const REMEMBER_AFTER = 64;

/** One comparison, or several that share their limit. */
class Comparison extends Walk {
  #met: Map<unknown, Set<unknown>> | undefined;

  /** Starts over with other values, the steps so far still counted. */
  forget(): void {
    this.#met = undefined;
  }

  /**
   * Whether a pair of containers was met before. Then it need not be looked at again: had it been
   * unequal, the whole comparison would be over. So values that contain themselves come to an end,
   * too, and values shared many times cost once.
   */
  met(a: unknown, b: unknown): boolean {
    if (this.steps < REMEMBER_AFTER) return false;
    this.#met ??= new Map();
    const others = this.#met.get(a);
    if (others?.has(b)) return true;
    if (others) others.add(b);
    else this.#met.set(a, new Set([b]));
    return false;
  }
}

/** `reflect.DeepEqual`: same types and same contents. NaN equals nothing, a nil list no empty one. */
export function deepEqual(a: unknown, b: unknown): boolean {
  return equalValues(a, b, { comparison: new Comparison(), depth: 0 });
}

interface Place {
  readonly comparison: Comparison;
  readonly depth: number;
}

function equalValues(a: unknown, b: unknown, place: Place): boolean {
  place.comparison.step(place.depth);
  const type = typeOf(a);
  if (type?.name !== typeOf(b)?.name) return false;
  if (!type) return true;
  return equalBare(type, { a: bare(a), b: bare(b) }, place);
}

function bare(value: unknown): unknown {
  return value instanceof Typed ? value.value : value;
}

/** Compares two values of one type, as they are kept. */
function equalBare(
  type: GoType,
  { a, b }: { readonly a: unknown; readonly b: unknown },
  place: Place,
): boolean {
  switch (type.kind) {
    case "slice":
    case "array":
      return equalLists(type, { a: a as Items, b: b as Items }, place);
    case "map":
      return equalMaps(type, { a: a as Entries, b: b as Entries }, place);
    case "struct":
      return equalStructs(type, { a, b }, place);
    case "ptr":
      if (a === b || a === null || b === null) return a === b;
      return equalBare(type.elem!, { a, b }, place);
    case "complex128":
      return (a as Complex).re === (b as Complex).re && (a as Complex).im === (b as Complex).im;
    case "func":
      return a === null && b === null;
    default:
      return a === b;
  }
}

type Items = ArrayLike<unknown> | null;
type Entries = Readonly<Record<string, unknown>> | null;

function equalLists(
  type: GoType,
  { a, b }: { readonly a: Items; readonly b: Items },
  { comparison, depth }: Place,
): boolean {
  if (a === b) return true;
  if (a === null || b === null || a.length !== b.length) return false;
  if (comparison.met(a, b)) return true;
  const elem = type.elem!;
  for (let i = 0; i < a.length; i++) {
    const place = { comparison, depth: depth + 1 };
    if (!equalValues(wrap(elem, a[i]), wrap(elem, b[i]), place)) return false;
  }
  return true;
}

function equalMaps(
  type: GoType,
  { a, b }: { readonly a: Entries; readonly b: Entries },
  { comparison, depth }: Place,
): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  if (comparison.met(a, b)) return true;
  const elem = type.elem!;
  const place = { comparison, depth: depth + 1 };
  return keys.every((key) =>
    Object.hasOwn(b, key) && equalValues(wrap(elem, a[key]), wrap(elem, b[key]), place)
  );
}

/** Structs of known fields by these, so that an absent field equals a zero one; others by content. */
function equalStructs(
  type: GoType,
  { a, b }: { readonly a: unknown; readonly b: unknown },
  { comparison, depth }: Place,
): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (comparison.met(a, b)) return true;
  const place = { comparison, depth: depth + 1 };
  const [left, right] = [a, b] as Record<string, unknown>[];
  if (type.fields) {
    for (const field of type.fields.values()) {
      const of = (struct: Record<string, unknown>) =>
        wrap(field.type(), field.json === "" ? struct : struct[field.json]);
      if (!equalValues(of(left), of(right), place)) return false;
    }
    return true;
  }
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => {
    const [x, y] = [left[key], right[key]];
    // Inner parts of a value that is opaque to templates, such as the zone of a time.
    if (typeof x === "object" && typeof y === "object" && !(x instanceof Typed)) {
      return equalStructs(OPAQUE, { a: x, b: y }, place);
    }
    return typeof x === "bigint" || typeof x === "function" ? x === y : equalValues(x, y, place);
  });
}

const OPAQUE: GoType = { name: "struct {}", kind: "struct" };

/** Values as `reflect.DeepEqual` tells them apart. */
export class ValueSet {
  readonly #comparison = new Comparison();
  readonly #basic = new Map<GoType | undefined, Set<unknown>>();
  readonly #containers: unknown[] = [];

  has(value: unknown): boolean {
    const type = typeOf(value);
    // Sets of JavaScript find NaN, which equals nothing in Go.
    if (isBasic(type)) return !Number.isNaN(value) && !!this.#basic.get(type)?.has(bare(value));
    return this.#containers.some((other) => {
      this.#comparison.forget();
      return equalValues(value, other, { comparison: this.#comparison, depth: 0 });
    });
  }

  add(value: unknown): void {
    const type = typeOf(value);
    if (!isBasic(type)) {
      this.#containers.push(value);
      return;
    }
    const values = this.#basic.get(type);
    if (values) values.add(bare(value));
    else this.#basic.set(type, new Set([bare(value)]));
  }
}

/** Whether a value of this type is itself what distinguishes it. */
function isBasic(type: GoType | undefined): boolean {
  switch (type?.kind) {
    case "slice":
    case "array":
    case "map":
    case "struct":
    case "ptr":
    case "func":
    case "complex128":
      return false;
    default:
      return true;
  }
}
