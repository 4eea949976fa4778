/** What all of sprig's list functions share: reading the elements of anything that has some. */

import { ANY, FunctionError, type GoType, kindOf, Typed, wrap } from "../value.ts";

/** The panic of `reflect.TypeOf(nil).Kind()`: most list functions do not expect a nil. */
const NIL_DEREFERENCE = "runtime error: invalid memory address or nil pointer dereference";

/** A slice or array: elements as they are kept, and their type. */
export interface ListView {
  readonly items: readonly unknown[];
  readonly elem: GoType;
}

/** Views a value as a list; `undefined` where it is none. */
export function viewList(value: unknown): ListView | undefined {
  if (Array.isArray(value)) return { items: value, elem: ANY };
  if (!(value instanceof Typed)) return undefined;
  const { kind, elem } = value.type;
  if (kind !== "slice" && kind !== "array") return undefined;
  const items = (value.value ?? []) as readonly unknown[];
  // Bytes may be kept in a Uint8Array.
  return { items: Array.isArray(items) ? items : Array.from(items), elem: elem ?? ANY };
}

/** Views a list; else fails with sprig's complaint about the kind of what is there. */
export function needList(value: unknown, complaint: (kind: string) => string): ListView {
  const view = viewList(value);
  if (view) return view;
  const kind = kindOf(value);
  throw new FunctionError(kind === "invalid" ? NIL_DEREFERENCE : complaint(kind));
}

/** An element as a value. */
export function elementAt(view: ListView, index: number): unknown {
  return wrap(view.elem, view.items[index]);
}

/** All elements as values; the very array where they are kept that way. */
export function elementsOf(view: ListView): readonly unknown[] {
  if (view.elem === ANY) return view.items;
  return view.items.map((item) => wrap(view.elem, item));
}
