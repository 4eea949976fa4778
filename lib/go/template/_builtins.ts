/** Go's built-in functions. The compiler implements `and`, `or` and `call`. */
import { byteLength, sliceBytes, toBytes } from "../../data/bytes.ts";
import { sprint, sprintf, sprintln } from "../fmt.ts";
import {
  ANY,
  bare,
  FunctionError,
  type FunctionMap,
  goFunction,
  type GoType,
  int,
  isIntegerKind,
  isPlainMap,
  isTrue,
  STRING,
  Typed,
  typeOf,
  UINT8,
  wrap,
  zero,
} from "../value.ts";
import { eq, ge, gt, le, lt, ne } from "./_compare.ts";
import { escapeHtml, escapeJs, escapeQuery } from "./_escape.ts";
import { ownValue, printable } from "./_values.ts";

/** Checks an index, which can be up to and including the limit. */
function indexArg(index: unknown, limit: number): number {
  if (index === undefined || index === null) {
    throw new FunctionError("cannot index slice/array with nil");
  }
  const type = typeOf(index)!;
  if (!isIntegerKind(type.kind)) {
    throw new FunctionError(`cannot index slice/array with type ${type.name}`);
  }
  const value = (index as Typed).value as bigint;
  if (value < 0n || value > BigInt(limit)) {
    throw new FunctionError(`index out of range: ${value}`);
  }
  return Number(value);
}

/** Dereferences pointers, and fails if one is nil. */
function dereference(item: unknown, verb: string): unknown {
  while (item instanceof Typed && item.type.kind === "ptr") {
    if (item.value === null) throw new FunctionError(`${verb} of nil pointer`);
    item = wrap(item.type.elem!, item.value);
  }
  if (item === null || item === undefined) throw new FunctionError(`${verb} of nil pointer`);
  return item;
}

function at(list: readonly unknown[], index: unknown): number {
  const i = indexArg(index, list.length);
  // Go's check accepts an index equal to the length, and then reflect panics.
  if (i >= list.length) throw new FunctionError(`reflect: slice index out of range`);
  return i;
}

/** Checks a map key, which must have exactly the type of the map's keys. */
function mapKey(index: unknown, type: GoType = STRING): string {
  if (index === undefined || index === null) {
    throw new FunctionError(`value is nil; should be of type ${type.name}`);
  }
  if (typeOf(index) !== type) {
    throw new FunctionError(`value has type ${typeOf(index)!.name}; should be ${type.name}`);
  }
  return bare(index) as string;
}

function indexOne(item: unknown, index: unknown): unknown {
  item = dereference(item, "index");
  if (Array.isArray(item)) return item[at(item, index)];
  if (isPlainMap(item)) {
    const value = ownValue(item, mapKey(index));
    return value === undefined ? null : value;
  }
  if (typeof item === "string") {
    const bytes = toBytes(item);
    const i = indexArg(index, bytes.length);
    if (i >= bytes.length) throw new FunctionError("reflect: string index out of range");
    return new Typed(UINT8, BigInt(bytes[i]));
  }
  if (item instanceof Typed) {
    const { type, value } = item;
    if (type.kind === "slice" || type.kind === "array") {
      const list = (value ?? []) as unknown[];
      return wrap(type.elem!, list[at(list, index)]);
    }
    if (type.kind === "map") {
      const found = ownValue((value ?? {}) as Record<string, unknown>, mapKey(index, type.key));
      return found === undefined ? zero(type.elem!) : wrap(type.elem!, found);
    }
    if (type.kind === "string") return indexOne(value, index);
  }
  throw new FunctionError(`can't index item of type ${typeOf(item)!.name}`);
}

function index(item: unknown, ...indexes: unknown[]): unknown {
  if (item === undefined || item === null) throw new FunctionError("index of untyped nil");
  for (const key of indexes) item = indexOne(item, key);
  return item;
}

function slice(item: unknown, ...indexes: unknown[]): unknown {
  if (item === undefined || item === null) throw new FunctionError("slice of untyped nil");
  item = dereference(item, "slice");
  if (indexes.length > 3) throw new FunctionError(`too many slice indexes: ${indexes.length}`);
  const type = typeOf(item)!;
  if (type.kind !== "string" && type.kind !== "slice" && type.kind !== "array") {
    throw new FunctionError(`can't slice item of type ${type.name}`);
  }
  const value = bare(item);
  const text = type.kind === "string" ? value as string : undefined;
  if (text !== undefined && indexes.length === 3) {
    throw new FunctionError("cannot 3-index slice a string");
  }
  const list = (text === undefined ? value ?? [] : []) as unknown[];
  const size = text === undefined ? list.length : byteLength(text);
  const bounds = [0, size, size];
  indexes.forEach((index, i) => bounds[i] = indexArg(index, size));
  for (const [low, high] of [[bounds[0], bounds[1]], [bounds[1], bounds[2]]]) {
    if (low > high) throw new FunctionError(`invalid slice index: ${low} > ${high}`);
  }
  if (text !== undefined) {
    const part = sliceBytes(text, bounds[0], bounds[1]);
    return type === STRING ? part : new Typed(type, part);
  }
  const part = list.slice(bounds[0], bounds[1]);
  return item instanceof Typed ? new Typed(type, part) : part;
}

function len(item: unknown): unknown {
  if (item === undefined) {
    throw new FunctionError("reflect: call of reflect.Value.Type on zero Value");
  }
  item = dereference(item, "len");
  if (typeof item === "string") return int(byteLength(item));
  if (Array.isArray(item)) return int(item.length);
  if (isPlainMap(item)) return int(Object.keys(item).length);
  if (item instanceof Typed) {
    switch (item.type.kind) {
      case "string":
        return int(byteLength(item.value as string));
      case "slice":
      case "array":
        return int(item.value === null ? 0 : (item.value as ArrayLike<unknown>).length);
      case "map":
        return int(item.value === null ? 0 : Object.keys(item.value as object).length);
    }
  }
  throw new FunctionError(`len of type ${typeOf(item)!.name}`);
}

/** Returns the text for an escaping function: its arguments, printed as by `print`. */
function text(args: unknown[]): string {
  return args.length === 1 && typeof args[0] === "string"
    ? args[0]
    : sprint(args.map((arg) => printable(arg ?? undefined)));
}

const never = () => {
  throw new Error("handled by the compiler");
};

export const BUILTINS: FunctionMap = {
  and: goFunction("reflect.Value, ...reflect.Value", never),
  or: goFunction("reflect.Value, ...reflect.Value", never),
  call: goFunction("reflect.Value, ...reflect.Value", never),
  not: goFunction("reflect.Value", (value: unknown) => !isTrue(value)),
  eq: goFunction("reflect.Value, ...reflect.Value", eq),
  ne: goFunction("reflect.Value, reflect.Value", ne),
  lt: goFunction("reflect.Value, reflect.Value", lt),
  le: goFunction("reflect.Value, reflect.Value", le),
  gt: goFunction("reflect.Value, reflect.Value", gt),
  ge: goFunction("reflect.Value, reflect.Value", ge),
  index: goFunction("reflect.Value, ...reflect.Value", index),
  slice: goFunction("reflect.Value, ...reflect.Value", slice),
  len: goFunction("reflect.Value", len),
  print: { params: [], variadic: ANY, call: (...args) => sprint(args) },
  println: { params: [], variadic: ANY, call: (...args) => sprintln(args) },
  printf: goFunction(
    "string, ...any",
    (format: string, ...args: unknown[]) => sprintf(format, args),
  ),
  html: goFunction("...any", (...args: unknown[]) => escapeHtml(text(args))),
  js: goFunction("...any", (...args: unknown[]) => escapeJs(text(args))),
  urlquery: goFunction("...any", (...args: unknown[]) => escapeQuery(text(args))),
};
