/** Access to the elements of slices and arrays of any type, for sprig's list functions. */

import { ANY, FunctionError, type GoType, kindOf, NIL_DEREFERENCE, Typed, wrap } from "../value.ts";

/** The bare elements of a slice or array, and their type. */
interface ListView {
  readonly items: readonly unknown[];
  readonly elem: GoType;
}

/** Returns the elements of a value; `undefined` if it is not a list. */
export function viewList(value: unknown): ListView | undefined {
  if (Array.isArray(value)) return { items: value, elem: ANY };
  if (!(value instanceof Typed)) return undefined;
  const { kind, elem } = value.type;
  if (kind !== "slice" && kind !== "array") return undefined;
  const items = (value.value ?? []) as readonly unknown[];
  // A `[]byte` can be a Uint8Array.
  return { items: Array.isArray(items) ? items : Array.from(items), elem: elem ?? ANY };
}

/** Returns the elements of a list. Fails with sprig's message for any other kind of value. */
export function needList(value: unknown, message: (kind: string) => string): ListView {
  const view = viewList(value);
  if (view) return view;
  const kind = kindOf(value);
  throw new FunctionError(kind === "invalid" ? NIL_DEREFERENCE : message(kind));
}

/** Returns an element as a value. */
export function elementAt(view: ListView, index: number): unknown {
  return wrap(view.elem, view.items[index]);
}

/** Returns all elements as values, without a copy if they already are. */
export function elementsOf(view: ListView): readonly unknown[] {
  if (view.elem === ANY) return view.items;
  return view.items.map((item) => wrap(view.elem, item));
}
