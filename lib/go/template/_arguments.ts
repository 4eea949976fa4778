/**
 * Checks arguments against parameter types as Go does, and converts them to the bare values that
 * functions take (see `GoFunction.call` in ../value.ts).
 */
import {
  ANY,
  COMPLEX128,
  type GoType,
  INT,
  isIntegerKind,
  REFLECT_VALUE,
  STRING,
  Typed,
  typeOf,
  wrap,
} from "../value.ts";
import type { NumberNode, OperandNode } from "./nodes.ts";
import { printNode } from "./nodes.ts";
import type { State } from "./_state.ts";

/** Reports whether nil can be passed for a parameter of a type. */
export function canBeNil(type: GoType): boolean {
  return type.kind === "interface" || type.kind === "map" || type.kind === "slice" ||
    type.kind === "ptr" || type.kind === "func" || type === REFLECT_VALUE;
}

/** Returns nil as an argument of a type. */
export function nilArgument(type: GoType): unknown {
  return type === REFLECT_VALUE ? undefined : null;
}

function isAssignable(from: GoType, to: GoType): boolean {
  if (from === to || to === ANY || from.name === to.name) return true;
  return to.kind === "interface" && (to.implementedBy?.(from) ?? false);
}

/** Returns a value of an assignable type as an argument. */
function bareArgument(value: unknown, to: GoType): unknown {
  if (to.kind === "interface" || !(value instanceof Typed)) return value;
  if (to === INT) return Number(value.value as bigint);
  return value.value;
}

/** Checks a value against the type of a parameter, and returns the argument for the function. */
export function toArgument(s: State, value: unknown, type: GoType): unknown {
  // The common cases first: most arguments are strings or go to an `interface {}`.
  if (type === STRING && typeof value === "string") return value;
  if (type === ANY) return value === undefined ? null : value;
  if (type === REFLECT_VALUE) return value;
  if (value === undefined) {
    if (canBeNil(type)) return null;
    s.fail(`invalid value; expected ${type.name}`);
  }
  if (value === null) s.fail(`wrong type for value; expected ${type.name}; got ${ANY.name}`);
  const from = typeOf(value)!;
  if (isAssignable(from, type)) return bareArgument(value, type);
  if (from.kind === "ptr" && isAssignable(from.elem!, type)) {
    const pointee = (value as Typed).value;
    if (pointee === null) s.fail(`dereference of nil pointer of type ${type.name}`);
    return bareArgument(wrap(from.elem!, pointee), type);
  }
  s.fail(`wrong type for value; expected ${type.name}; got ${from.name}`);
}

/**
 * Returns a literal as an argument, or Go's error for it; `undefined` if the operand is not a
 * literal.
 */
export function literalArgument(
  node: OperandNode,
  type: GoType,
): { value: unknown } | { error: string } | undefined {
  if (node.type !== "bool" && node.type !== "string" && node.type !== "number") return undefined;
  const expected = (what: string) => ({ error: `expected ${what}; found ${printNode(node)}` });
  if (type === ANY || type === REFLECT_VALUE) {
    if (node.type === "number") return idealConstant(node);
    return { value: node.type === "bool" ? node.value : node.text };
  }
  if (type.kind === "string") {
    return node.type === "string" ? { value: node.text } : expected("string");
  }
  if (type.kind === "bool") return node.type === "bool" ? { value: node.value } : expected("bool");
  if (isIntegerKind(type.kind)) {
    const unsigned = type.kind.startsWith("uint");
    const value = node.type !== "number" ? undefined : unsigned ? node.uint : node.int;
    if (value === undefined) return expected(unsigned ? "unsigned integer" : "integer");
    return { value: type === INT ? Number(value) : value };
  }
  if (type.kind === "float64" || type.kind === "float32") {
    const value = node.type === "number" ? node.float : undefined;
    return value === undefined ? expected("float") : { value };
  }
  return { error: `can't handle ${printNode(node)} for arg of type ${type.name}` };
}

/** Returns a number constant whose type depends only on its syntax. */
export function idealConstant(node: NumberNode): { value: unknown } | { error: string } {
  const { text } = node;
  if (node.complex) return { value: new Typed(COMPLEX128, node.complex) };
  const spelledAsFloat = /[.eEpP]/.test(text) && !text.startsWith("'") &&
    !(/^0[xX]/.test(text) && !/[pP]/.test(text));
  if (node.float !== undefined && spelledAsFloat) return { value: node.float };
  if (node.int !== undefined) return { value: wrap(INT, node.int) };
  return { error: `${text} overflows int` };
}
