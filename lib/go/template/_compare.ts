/** The built-in comparisons: `eq`, `ne`, `lt`, `le`, `gt`, `ge`. */
import { compareStrings } from "../../data/bytes.ts";
import { type Complex, sprintf } from "../fmt.ts";
import {
  bare,
  FunctionError,
  isIntegerKind,
  type Kind,
  Typed,
  typeName,
  typeOf,
} from "../value.ts";

type BasicKind = "bool" | "int" | "uint" | "float" | "complex" | "string" | undefined;

/** Returns the class of values that compare with each other; `undefined` if a value has none. */
function basicKind(value: unknown): BasicKind {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return "float";
  }
  if (!(value instanceof Typed)) return undefined;
  const kind: Kind = value.type.kind;
  if (isIntegerKind(kind)) return kind.startsWith("uint") ? "uint" : "int";
  switch (kind) {
    case "string":
    case "bool":
      return kind;
    case "float32":
    case "float64":
      return "float";
    case "complex128":
      return "complex";
  }
  return undefined;
}

function isNil(value: unknown): boolean {
  return (bare(value) ?? null) === null;
}

/** Reports whether Go's `==` is defined, which it is not for slices and maps. */
function isComparable(value: unknown): boolean {
  return value instanceof Typed && value.type.kind !== "slice" && value.type.kind !== "map";
}

function equalPair(a: unknown, b: unknown): boolean {
  const x = basicKind(a);
  const y = basicKind(b);
  if (x !== y) {
    if ((x === "int" && y === "uint") || (x === "uint" && y === "int")) return bare(a) === bare(b);
    if (a !== undefined && a !== null && b !== undefined && b !== null) {
      throw new FunctionError(
        `incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`,
      );
    }
    return false;
  }
  if (x === "complex") {
    const [c, d] = [bare(a), bare(b)] as [Complex, Complex];
    return c.re === d.re && c.im === d.im;
  }
  if (x !== undefined) return bare(a) === bare(b);
  const kinds = [typeOf(a)?.kind, typeOf(b)?.kind];
  if (kinds[0] !== kinds[1] && kinds[0] !== undefined && kinds[1] !== undefined) {
    throw new FunctionError(
      sprintf("non-comparable types %s: %s, %s: %v", [a, typeName(a), typeName(b), b]),
    );
  }
  if (isNil(a) || isNil(b)) return isNil(a) === isNil(b);
  if (!isComparable(b)) {
    throw new FunctionError(`non-comparable type ${sprintf("%s", [b])}: ${typeName(b)}`);
  }
  if (typeOf(a) !== typeOf(b)) return false;
  return typeOf(a)!.kind === "struct" ? equalFields(bare(a), bare(b)) : bare(a) === bare(b);
}

/** Compares structs field by field, which is how Go compares two times. */
function equalFields(a: unknown, b: unknown): boolean {
  const [x, y] = [a, b] as [Record<string, unknown>, Record<string, unknown>];
  const keys = new Set([...Object.keys(x), ...Object.keys(y)]);
  return [...keys].every((key) => x[key] === y[key]);
}

export function eq(a: unknown, ...others: unknown[]): boolean {
  if (others.length === 0) throw new FunctionError("missing argument for comparison");
  for (const b of others) {
    // Templates mostly compare strings.
    if (typeof a === "string" && typeof b === "string" ? a === b : equalPair(a, b)) return true;
  }
  return false;
}

export function ne(a: unknown, b: unknown): boolean {
  return !eq(a, b);
}

export function lt(a: unknown, b: unknown): boolean {
  const x = basicKind(a);
  const y = basicKind(b);
  if (x === undefined || y === undefined) throw new FunctionError("invalid type for comparison");
  if (x !== y && !((x === "int" && y === "uint") || (x === "uint" && y === "int"))) {
    throw new FunctionError(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);
  }
  if (x === "bool" || x === "complex") throw new FunctionError("invalid type for comparison");
  if (x === "string") return compareStrings(bare(a) as string, bare(b) as string) < 0;
  return (bare(a) as number | bigint) < (bare(b) as number | bigint);
}

export function le(a: unknown, b: unknown): boolean {
  return lt(a, b) || eq(a, b);
}

export function gt(a: unknown, b: unknown): boolean {
  return !le(a, b);
}

export function ge(a: unknown, b: unknown): boolean {
  return !lt(a, b);
}
