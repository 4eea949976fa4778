/** Go's `reflect.DeepEqual`, and sets of values that compare with it. */

import type { Complex } from "../fmt.ts";
import { bare, type GoType, Typed, typeOf, wrap } from "../value.ts";
import { Walk } from "./_limits.ts";

/** The steps after which pairs of containers are remembered. Most comparisons end before. */
const REMEMBER_AFTER = 64;

/** A comparison, or several that share a limit. */
class Comparison extends Walk {
  #met: Map<unknown, Set<unknown>> | undefined;

  /** Starts another comparison that continues to count the steps. */
  forget(): void {
    this.#met = undefined;
  }

  /**
   * Reports whether a pair of containers was met before. It need not be compared again, because the
   * comparison ends at the first difference. So values that contain themselves terminate, and
   * values that are shared many times are compared once.
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

/** Go's `reflect.DeepEqual`. NaN is not equal to itself, nor a nil slice to an empty one. */
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

/** Compares two bare values of the same type. */
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

/** Compares structs by their declared fields, if any, so that an absent field equals a zero one. */
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
    // A part of a value that is opaque to templates, such as the zone of a time.
    if (typeof x === "object" && typeof y === "object" && !(x instanceof Typed)) {
      return equalStructs(OPAQUE, { a: x, b: y }, place);
    }
    return typeof x === "bigint" || typeof x === "function" ? x === y : equalValues(x, y, place);
  });
}

const OPAQUE: GoType = { name: "struct {}", kind: "struct" };

/** A set of values that compares with `reflect.DeepEqual`. */
export class ValueSet {
  readonly #comparison = new Comparison();
  readonly #basic = new Map<GoType | undefined, Set<unknown>>();
  readonly #containers: unknown[] = [];

  has(value: unknown): boolean {
    const type = typeOf(value);
    // A JavaScript set can contain NaN, which equals nothing in Go.
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

/** Reports whether values of a type compare by identity of their bare values. */
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
