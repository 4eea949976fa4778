/**
 * Sprig's list functions. They take slices of any type, and most of them return `[]interface {}`.
 * The plain forms panic where the `must` forms return an error. Templates see no difference, so
 * both forms share a function.
 */

import {
  ANY,
  ANYS,
  FunctionError,
  type FunctionMap,
  goFunction,
  isTrue,
  sliceOf,
  Typed,
  zero,
} from "../value.ts";
import { grown, reslice, withCapacity } from "./_capacity.ts";
import { floatToInt64, toInt64 } from "./_cast.ts";
import { ValueSet } from "./_deep_equal.ts";
import { checkElements } from "./_limits.ts";
import { elementAt, elementsOf, needList } from "./_lists.ts";

const NIL_LIST = zero(ANYS);

function first(list: unknown): unknown {
  const view = needList(list, (kind) => `Cannot find first on type ${kind}`);
  return view.items.length === 0 ? null : elementAt(view, 0);
}

function last(list: unknown): unknown {
  const view = needList(list, (kind) => `Cannot find last on type ${kind}`);
  return view.items.length === 0 ? null : elementAt(view, view.items.length - 1);
}

function rest(list: unknown): unknown {
  const view = needList(list, (kind) => `Cannot find rest on type ${kind}`);
  return view.items.length === 0 ? NIL_LIST : withCapacity(elementsOf(view).slice(1));
}

function initial(list: unknown): unknown {
  const view = needList(list, (kind) => `Cannot find initial on type ${kind}`);
  return view.items.length === 0 ? NIL_LIST : withCapacity(elementsOf(view).slice(0, -1));
}

function push(list: unknown, value: unknown): unknown[] {
  const items = elementsOf(needList(list, (kind) => `Cannot push on type ${kind}`));
  checkElements(items.length + 1);
  return withCapacity(items.concat([value]), grown(items.length, items.length + 1, ANY));
}

function prepend(list: unknown, value: unknown): unknown[] {
  const items = elementsOf(needList(list, (kind) => `Cannot prepend on type ${kind}`));
  checkElements(items.length + 1);
  const capacity = items.length === 0 ? 1 : grown(1, items.length + 1, ANY);
  return withCapacity([value].concat(items), capacity);
}

function concat(...lists: unknown[]): unknown {
  const out: unknown[] = [];
  for (const list of lists) {
    const view = needList(list, (kind) => `Cannot concat type ${kind} as list`);
    checkElements(out.length + view.items.length);
    for (const item of elementsOf(view)) out.push(item);
  }
  return out.length === 0 ? NIL_LIST : out;
}

function reverse(list: unknown): unknown[] {
  const items = elementsOf(needList(list, (kind) => `Cannot find reverse on type ${kind}`));
  return withCapacity(items.toReversed());
}

function compact(list: unknown): unknown[] {
  const items = elementsOf(needList(list, (kind) => `Cannot compact on type ${kind}`));
  return items.filter(isTrue);
}

function uniq(list: unknown): unknown[] {
  const seen = new ValueSet();
  return elementsOf(needList(list, (kind) => `Cannot find uniq on type ${kind}`)).filter((item) => {
    if (seen.has(item)) return false;
    seen.add(item);
    return true;
  });
}

function without(list: unknown, ...omitted: unknown[]): unknown[] {
  const items = elementsOf(needList(list, (kind) => `Cannot find without on type ${kind}`));
  const omit = new ValueSet();
  for (const value of omitted) omit.add(value);
  return items.filter((item) => !omit.has(item));
}

function has(needle: unknown, haystack: unknown): boolean {
  if (haystack === null) return false;
  const view = needList(haystack, (kind) => `Cannot find has on type ${kind}`);
  const needles = new ValueSet();
  needles.add(needle);
  return view.items.some((_, i) => needles.has(elementAt(view, i)));
}

/** Reslices a list. It keeps the type, and can reach beyond the length up to the capacity. */
function slice(list: unknown, ...indices: unknown[]): unknown {
  const view = needList(list, (kind) => `list should be type of slice or array but ${kind}`);
  if (view.items.length === 0) return null;
  const from = indices.length > 0 ? Number(toInt64(indices[0])) : 0;
  const to = indices.length > 1 ? Number(toInt64(indices[1])) : view.items.length;
  const part = reslice(view, from, to);
  if (!part) throw new FunctionError("reflect.Value.Slice: slice index out of bounds");
  return list instanceof Typed ? new Typed(list.type, part) : part;
}

/** Splits a list into chunks, with sprig's float arithmetic, which does not check the size. */
function chunk(size: number, list: unknown): Typed {
  const items = elementsOf(needList(list, (kind) => `Cannot chunk type ${kind}`));
  const count = Number(floatToInt64(Math.floor((items.length - 1) / size) + 1));
  if (count < 0) throw new FunctionError("runtime error: makeslice: len out of range");
  const chunks: unknown[][] = [];
  for (let i = 0; i < count; i++) {
    const length = i < count - 1 ? size : items.length % size || size;
    if (length < 0) throw new FunctionError("runtime error: makeslice: len out of range");
    chunks.push(withCapacity(items.slice(i * size, i * size + length)));
  }
  return new Typed(sliceOf(ANYS), withCapacity(chunks));
}

function list(...values: unknown[]): unknown[] {
  return withCapacity(values);
}

/** Registers a function under its name, without and with `must`. */
function both(name: string, fn: FunctionMap[string]): FunctionMap {
  return { [name]: fn, [`must${name[0].toUpperCase()}${name.slice(1)}`]: fn };
}

export const listFunctions: FunctionMap = {
  list: goFunction("...any", list),
  tuple: goFunction("...any", list),
  concat: goFunction("...any", concat),
  ...both("first", goFunction("any", first)),
  ...both("last", goFunction("any", last)),
  ...both("rest", goFunction("any", rest)),
  ...both("initial", goFunction("any", initial)),
  ...both("append", goFunction("any, any", push)),
  ...both("push", goFunction("any, any", push)),
  ...both("prepend", goFunction("any, any", prepend)),
  ...both("reverse", goFunction("any", reverse)),
  ...both("compact", goFunction("any", compact)),
  ...both("uniq", goFunction("any", uniq)),
  ...both("without", goFunction("any, ...any", without)),
  ...both("has", goFunction("any, any", has)),
  ...both("slice", goFunction("any, ...any", slice)),
  ...both("chunk", goFunction("int, any", chunk)),
};
