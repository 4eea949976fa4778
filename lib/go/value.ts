/**
 * Go values in JavaScript, as the template engine, fmt and sprig share them.
 *
 * Plain JSON is the value that `encoding/json` decodes into an `any`, with nothing to wrap:
 *
 * | JavaScript       | Go                                                      |
 * |------------------|---------------------------------------------------------|
 * | `undefined`      | the zero `reflect.Value`: no value                       |
 * | `null`           | a nil `interface {}`                                    |
 * | `string`         | `string` (see bytes.ts for bytes that are not UTF-8)    |
 * | `boolean`        | `bool`                                                  |
 * | `number`         | `float64`, as every JSON number                          |
 * | an array         | `[]interface {}`                                        |
 * | an object        | `map[string]interface {}` (own properties only)         |
 * | {@link Typed}    | anything else: integers, `[]string`, structs, pointers   |
 *
 * This library never changes values, except where Go's own function does: sprig's `set`, `unset`
 * and `merge` change the object they are given.
 */

import { isMap } from "../data/map.ts";

/** The kinds of Go's reflect package that templates can meet. */
export type Kind =
  | "bool"
  | "int"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "float32"
  | "float64"
  | "complex128"
  | "string"
  | "slice"
  | "array"
  | "map"
  | "struct"
  | "ptr"
  | "func"
  | "interface";

/** A field of a struct type. */
export interface GoField {
  readonly name: string;
  /** The field's key in JSON; "" for an embedded (inline) struct. */
  readonly json: string;
  /** A function, so that types can refer to each other. */
  readonly type: () => GoType;
}

/** A method. `call` takes the receiver first, then arguments as in {@link GoFunction}. */
export interface GoMethod {
  readonly params: readonly GoType[];
  readonly variadic?: GoType;
  /** Go's error for a method that templates cannot call because of its results. */
  readonly unusable?: string;
  // deno-lint-ignore no-explicit-any -- each method knows its own parameter types
  readonly call: (receiver: any, ...args: any[]) => unknown;
}

/** A Go type, as far as templates can see it. Types are compared by identity or by `name`. */
export interface GoType {
  /** The name that `%T` prints: `int64`, `map[string]string`, `*semver.Version`. */
  readonly name: string;
  readonly kind: Kind;
  /** For an interface type with methods: reports whether a type implements it. */
  readonly implementedBy?: (type: GoType) => boolean;
  /** The element type of a slice, array, map or pointer. */
  readonly elem?: GoType;
  /** The key type of a map. */
  readonly key?: GoType;
  /** The fields of a struct by Go name, including promoted fields of embedded structs. */
  readonly fields?: ReadonlyMap<string, GoField>;
  /** The method set. A pointer type lists all of its own. */
  readonly methods?: ReadonlyMap<string, GoMethod>;
  /** The type's `String()` or `Error()` method, which fmt prints for `%v` and `%s`. */
  readonly stringer?: (value: unknown) => string;
  /** The type's `MarshalJSON` method, with its result as plain JSON. */
  readonly toJson?: (value: unknown) => unknown;
}

/**
 * A value of a Go type that plain JSON cannot express.
 *
 * `value` depends on the kind: a `bigint` for integers; a `number` for floats; a `string` for
 * strings; an array or `null` for a slice; an object or `null` for a map; the JSON object (see
 * {@link GoField.json}), or whatever the methods expect, for a struct; the `value` of the pointee
 * or `null` for a pointer.
 *
 * Elements of typed containers are bare: a `[]string` holds JavaScript strings, a `[]int` holds
 * bigints, a `[]Container` holds JSON objects. {@link wrap} turns an element into a value.
 */
export class Typed {
  readonly type: GoType;
  readonly value: unknown;
  constructor(type: GoType, value: unknown) {
    this.type = type;
    this.value = value;
  }
}

function basic(kind: Kind, name: string = kind): GoType {
  return { name, kind };
}

export const BOOL = basic("bool");
export const INT = basic("int");
export const INT32 = basic("int32");
export const INT64 = basic("int64");
export const UINT8 = basic("uint8");
export const UINT32 = basic("uint32");
export const UINT64 = basic("uint64");
export const FLOAT32 = basic("float32");
export const FLOAT64 = basic("float64");
export const COMPLEX128 = basic("complex128");
export const STRING = basic("string");
export const ANY = basic("interface", "interface {}");
/** The type of parameters that take a `reflect.Value`. Only the built-in functions have any. */
export const REFLECT_VALUE = basic("struct", "reflect.Value");

const slices = new Map<GoType, GoType>();
const pointers = new Map<GoType, GoType>();
const maps = new Map<GoType, GoType>();

/** Returns the type `[]elem`, always the same object for the same element type. */
export function sliceOf(elem: GoType): GoType {
  let type = slices.get(elem);
  if (!type) slices.set(elem, type = { name: `[]${elem.name}`, kind: "slice", elem });
  return type;
}

/** Returns the type `map[string]elem`. Templates meet no other keys. */
export function mapOf(elem: GoType): GoType {
  let type = maps.get(elem);
  if (!type) {
    type = { name: `map[string]${elem.name}`, kind: "map", key: STRING, elem };
    maps.set(elem, type);
  }
  return type;
}

/** Returns the type `*elem`, with the method set of the element. */
export function pointerTo(elem: GoType): GoType {
  let type = pointers.get(elem);
  if (!type) {
    type = {
      name: `*${elem.name}`,
      kind: "ptr",
      elem,
      methods: elem.methods,
      stringer: elem.stringer,
      toJson: elem.toJson,
    };
    pointers.set(elem, type);
  }
  return type;
}

export const BYTES = sliceOf(UINT8);
export const STRINGS = sliceOf(STRING);
export const INTS = sliceOf(INT);
export const ANYS = sliceOf(ANY);
export const STRING_MAP = mapOf(STRING);
export const ANY_MAP = mapOf(ANY);

/** Shared small ints, which loops and `len` need all the time. */
const SMALL_INTS = Array.from({ length: 1024 }, (_, i) => new Typed(INT, BigInt(i)));

/** Returns a Go `int`, wrapped around as in Go's arithmetic. */
export function int(value: number | bigint): Typed {
  if (typeof value === "number" && value >= 0 && value < 1024) return SMALL_INTS[value];
  return new Typed(INT, BigInt.asIntN(64, BigInt(value)));
}

/** Returns a Go `int64`, wrapped around as in Go's arithmetic. */
export function int64(value: number | bigint): Typed {
  return new Typed(INT64, BigInt.asIntN(64, BigInt(value)));
}

/** Returns a Go `[]string`; `null` makes a nil slice. */
export function strings(value: readonly string[] | null): Typed {
  return new Typed(STRINGS, value);
}

/** Returns a Go `map[string]string`; `null` makes a nil map. */
export function stringMap(value: Readonly<Record<string, string>> | null): Typed {
  return new Typed(STRING_MAP, value);
}

/** Returns the type of a value; `undefined` for nil and for the zero `reflect.Value`. */
export function typeOf(value: unknown): GoType | undefined {
  switch (typeof value) {
    case "string":
      return STRING;
    case "boolean":
      return BOOL;
    case "number":
      return FLOAT64;
    case "object":
      if (value === null) return undefined;
      if (value instanceof Typed) return value.type;
      return Array.isArray(value) ? ANYS : ANY_MAP;
    default:
      return undefined;
  }
}

/** Returns a bare element of a typed container, or a bare field of a struct, as a value. */
export function wrap(type: GoType, bare: unknown): unknown {
  switch (type.kind) {
    case "interface":
      return bare;
    case "string":
      if (type === STRING) return bare ?? "";
      break;
    case "bool":
      if (type === BOOL) return bare ?? false;
      break;
    case "float64":
      if (type === FLOAT64) return bare ?? 0;
      break;
    case "slice":
      if (type === ANYS && bare) return bare;
      break;
    case "map":
      if (type === ANY_MAP && bare) return bare;
      break;
  }
  if (bare === undefined || bare === null) return zero(type);
  if (isIntegerKind(type.kind) && typeof bare === "number") return new Typed(type, BigInt(bare));
  return new Typed(type, bare);
}

/** Returns the zero value of a type. */
export function zero(type: GoType): unknown {
  if (isIntegerKind(type.kind)) return type === INT ? SMALL_INTS[0] : new Typed(type, 0n);
  switch (type.kind) {
    case "interface":
      return null;
    case "string":
      return type === STRING ? "" : new Typed(type, "");
    case "bool":
      return type === BOOL ? false : new Typed(type, false);
    case "float64":
      return type === FLOAT64 ? 0 : new Typed(type, 0);
    case "float32":
      return new Typed(type, 0);
    case "struct":
      return new Typed(type, {});
    default:
      return new Typed(type, null);
  }
}

/** Reports whether a kind is one of Go's integer kinds, signed or unsigned. */
export function isIntegerKind(kind: Kind): boolean {
  return kind.startsWith("int") && kind !== "interface" || kind.startsWith("uint");
}

/** Returns the kind of a value; "invalid" for nil, as in reflect. */
export function kindOf(value: unknown): Kind | "invalid" {
  return typeOf(value)?.kind ?? "invalid";
}

/** Returns the type name that `%T` prints. */
export function typeName(value: unknown): string {
  return typeOf(value)?.name ?? "<nil>";
}

/** Returns the bare value of a {@link Typed}, and any other value as it is. */
export function bare(value: unknown): unknown {
  return value instanceof Typed ? value.value : value;
}

/** Reports whether a value is a `map[string]interface {}`, that is, a plain JSON object. */
export function isPlainMap(value: unknown): value is Record<string, unknown> {
  return isMap(value) &&
    !(value instanceof Typed);
}

/** Reports whether a value is true to `if`: not the zero value of its type, and not empty. */
export function isTrue(value: unknown): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value !== "";
    case "number":
      return value !== 0;
    case "undefined":
      return false;
  }
  if (value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (!(value instanceof Typed)) return hasKeys(value as object);
  const bare = value.value;
  switch (value.type.kind) {
    case "struct":
      return true;
    case "slice":
    case "array":
      return bare !== null && (bare as ArrayLike<unknown>).length > 0;
    case "map":
      return bare !== null && hasKeys(bare as object);
    case "complex128": {
      const { re, im } = bare as { re: number; im: number };
      return re !== 0 || im !== 0;
    }
    case "ptr":
    case "func":
    case "interface":
      return bare !== null;
  }
  return bare !== "" && bare !== 0n && bare !== 0 && bare !== false;
}

function hasKeys(map: object): boolean {
  for (const key in map) if (Object.hasOwn(map, key)) return true;
  return false;
}

/** A Go function that templates can call. */
export interface GoFunction {
  readonly params: readonly GoType[];
  /** The element type of a final `...T` parameter. */
  readonly variadic?: GoType;
  /**
   * Takes bare arguments that were checked against `params`: a number for `int`, a bigint for all
   * other integers, any value for `interface {}` (nil is `null`, never `undefined`), and the bare
   * `value` of typed slices, maps and pointers. Returns a value. Where the Go function returns an
   * error or panics, it throws a {@link FunctionError}.
   */
  // deno-lint-ignore no-explicit-any -- each function knows its own parameter types
  readonly call: (...args: any[]) => unknown;
  /**
   * Returns the units of a budget that a call takes, from the same arguments. Absent for a function whose work is no more
   * than that of a statement.
   */
  // deno-lint-ignore no-explicit-any -- as for `call`
  readonly cost?: (...args: any[]) => number;
}

/** Functions by name, as in `template.FuncMap`. */
export type FunctionMap = Readonly<Record<string, GoFunction>>;

/** The error that a Go function returns, or its panic. The engine adds where it was called. */
export class FunctionError extends Error {
  override name = "FunctionError";
}

/** Go's panic on a nil pointer. */
export const NIL_DEREFERENCE = "runtime error: invalid memory address or nil pointer dereference";

/** Returns what `run` returns, or what `handle` makes of the {@link FunctionError} it throws. */
export function recover<T>(run: () => T, handle: (error: FunctionError) => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof FunctionError) return handle(error);
    throw error;
  }
}

/** Returns what `run` returns, and prefixes the message of its {@link FunctionError}. */
export function wrapError<T>(prefix: string, run: () => T): T {
  return recover(run, ({ message }) => {
    throw new FunctionError(`${prefix}: ${message}`);
  });
}

const TYPES: Record<string, GoType> = {
  any: ANY,
  bool: BOOL,
  int: INT,
  int32: INT32,
  int64: INT64,
  float64: FLOAT64,
  string: STRING,
  "[]string": STRINGS,
  "[]any": ANYS,
  "[]byte": BYTES,
  "map[string]any": ANY_MAP,
  "map[string]string": STRING_MAP,
  "reflect.Value": REFLECT_VALUE,
};

/**
 * Returns a function with the parameters of a Go signature.
 *
 * @example
 * ```ts
 * const functions = { trunc: goFunction("int, string", (n: number, s: string) => s.slice(0, n)) };
 * ```
 */
export function goFunction(
  signature: string,
  // deno-lint-ignore no-explicit-any -- checked against the signature at run time
  call: (...args: any[]) => unknown,
  extraTypes: Readonly<Record<string, GoType>> = {},
): GoFunction {
  const params: GoType[] = [];
  let variadic: GoType | undefined;
  for (const part of signature.split(",").map((s) => s.trim()).filter(Boolean)) {
    const name = part.startsWith("...") ? part.slice(3) : part;
    const type = extraTypes[name] ?? TYPES[name];
    if (!type) throw new TypeError(`Unknown type "${name}" in signature "${signature}"`);
    if (part.startsWith("...")) variadic = type;
    else params.push(type);
  }
  return { params, variadic, call };
}
