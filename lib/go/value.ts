/**
 * Go values in JavaScript: the common ground of the template engine, fmt and sprig.
 *
 * Plain JSON stands for what `encoding/json` decodes into `any`, and costs nothing to wrap:
 *
 * | JavaScript       | Go                                                      |
 * |------------------|---------------------------------------------------------|
 * | `undefined`      | the zero `reflect.Value`: no value at all               |
 * | `null`           | a nil `interface {}`                                    |
 * | `string`         | `string` (see bytes.ts for bytes that are not UTF-8)    |
 * | `boolean`        | `bool`                                                  |
 * | `number`         | `float64`: every number of JSON                         |
 * | an array         | `[]interface {}`                                        |
 * | an object        | `map[string]interface {}` (own properties only)         |
 * | {@link Typed}    | anything else: integers, `[]string`, structs, pointers… |
 *
 * Values are immutable to this library, except where Go's own functions mutate (sprig's `set`,
 * `unset`): those work on the plain object they are given.
 */

/** The kinds of Go's reflect package that can occur here. */
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

/** A field of a struct type: its name in Go, its key in JSON, its type. */
export interface GoField {
  readonly name: string;
  /** The key in the JSON object that stands for the struct; "" for an embedded (inline) struct. */
  readonly json: string;
  /** A function, so that types may refer to each other in circles. */
  readonly type: () => GoType;
}

/** A method; `call` gets the receiver first. Signatures are those of {@link GoFunction}. */
export interface GoMethod {
  readonly params: readonly GoType[];
  readonly variadic?: GoType;
  /** Why no template can call it: Go's words for a method with too many results. */
  readonly unusable?: string;
  // deno-lint-ignore no-explicit-any -- each method knows its own parameter types
  readonly call: (receiver: any, ...args: any[]) => unknown;
}

/** A type of Go, as much of it as templates can see. Compared by identity or by `name`. */
export interface GoType {
  /** What `%T` prints: `int64`, `map[string]string`, `*semver.Version`. */
  readonly name: string;
  readonly kind: Kind;
  /** Of an interface type with methods: which types have them. */
  readonly implementedBy?: (type: GoType) => boolean;
  /** Element of a slice, array, map or pointer. */
  readonly elem?: GoType;
  /** Key of a map. */
  readonly key?: GoType;
  /** Fields of a struct by Go name, promoted ones of embedded structs included. */
  readonly fields?: ReadonlyMap<string, GoField>;
  /** Methods callable on a value of this type (a pointer type lists its own). */
  readonly methods?: ReadonlyMap<string, GoMethod>;
  /** The text that fmt prints for `%v` and `%s`: `String()` or `Error()`. */
  readonly stringer?: (value: unknown) => string;
  /** What `encoding/json` writes for it, as plain JSON; absent: by kind. */
  readonly toJson?: (value: unknown) => unknown;
}

/**
 * A value whose Go type is not the one that plain JSON stands for.
 *
 * `value` by kind: integers `bigint`; floats `number`; string kinds `string`; `slice` an array of
 * *elements in this same representation* or `null`; `map` an object or `null`; `struct` the JSON
 * object that stands for it (see {@link GoField.json}) or whatever its methods expect; `ptr` the
 * pointee's `value`, or `null`.
 *
 * Elements of typed containers are kept bare where the element type says it all: a `[]string` holds
 * JavaScript strings, a `[]int` holds bigints, a `[]Container` holds JSON objects. {@link wrap}
 * turns such an element into a value on its way out.
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
export const INT8 = basic("int8");
export const INT16 = basic("int16");
export const INT32 = basic("int32");
export const INT64 = basic("int64");
export const UINT = basic("uint");
export const UINT8 = basic("uint8");
export const UINT16 = basic("uint16");
export const UINT32 = basic("uint32");
export const UINT64 = basic("uint64");
export const FLOAT32 = basic("float32");
export const FLOAT64 = basic("float64");
export const COMPLEX128 = basic("complex128");
export const STRING = basic("string");
export const ANY = basic("interface", "interface {}");
/** A parameter that takes the `reflect.Value` itself: only built-ins of the engine use it. */
export const REFLECT_VALUE = basic("struct", "reflect.Value");

const slices = new Map<GoType, GoType>();
const pointers = new Map<GoType, GoType>();
const maps = new Map<GoType, GoType>();

/** `[]elem`, one descriptor an element type. */
export function sliceOf(elem: GoType): GoType {
  let type = slices.get(elem);
  if (!type) slices.set(elem, type = { name: `[]${elem.name}`, kind: "slice", elem });
  return type;
}

/** `map[string]elem`; templates meet no other keys. */
export function mapOf(elem: GoType): GoType {
  let type = maps.get(elem);
  if (!type) {
    type = { name: `map[string]${elem.name}`, kind: "map", key: STRING, elem };
    maps.set(elem, type);
  }
  return type;
}

/** `*elem`. Its method set is the element's. */
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

/** Go integers of small size are made once: loops and `len` ask for them all the time. */
const SMALL_INTS = Array.from({ length: 1024 }, (_, i) => new Typed(INT, BigInt(i)));

/** A Go `int`. */
export function int(value: number | bigint): Typed {
  if (typeof value === "number" && value >= 0 && value < 1024) return SMALL_INTS[value];
  return new Typed(INT, BigInt.asIntN(64, BigInt(value)));
}

/** A Go `int64`, wrapped around as Go's arithmetic wraps. */
export function int64(value: number | bigint): Typed {
  return new Typed(INT64, BigInt.asIntN(64, BigInt(value)));
}

/** A Go `[]string`; `null` for a nil one. */
export function strings(value: readonly string[] | null): Typed {
  return new Typed(STRINGS, value);
}

/** A Go `map[string]string`; `null` for a nil one. */
export function stringMap(value: Readonly<Record<string, string>> | null): Typed {
  return new Typed(STRING_MAP, value);
}

/** The type of a value, `undefined` for none (the zero reflect.Value and nil). */
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

/** An element of a typed container, or a field of a struct, as a value of its own. */
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

/** The zero value of a type. */
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

export function isIntegerKind(kind: Kind): boolean {
  return kind.startsWith("int") && kind !== "interface" || kind.startsWith("uint");
}

/** `kind` of a value; "invalid" for none, as reflect says. */
export function kindOf(value: unknown): Kind | "invalid" {
  return typeOf(value)?.kind ?? "invalid";
}

/** Whether a value is a plain JSON object: a `map[string]interface {}`. */
export function isPlainMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Typed);
}

/** A Go function that templates may call. Its name is the key under which it is registered. */
export interface GoFunction {
  readonly params: readonly GoType[];
  /** Type of the elements of a last `...T` parameter. */
  readonly variadic?: GoType;
  /**
   * Gets arguments checked against `params`: `string` → string, `bool` → boolean, `int*`/`uint*` →
   * number if declared `int` (templates' counts and widths), bigint otherwise, `float64` → number,
   * `interface {}` → any value of this file (never `undefined`: nil is `null`), typed slices, maps
   * and pointers → their bare `value`. Returns a value of this file. A Go function's error return
   * is a thrown {@link FunctionError}.
   */
  // deno-lint-ignore no-explicit-any -- each function knows its own parameter types
  readonly call: (...args: any[]) => unknown;
}

/** A function map, as `template.FuncMap`. */
export type FunctionMap = Readonly<Record<string, GoFunction>>;

/** The error a Go function returned (or the panic it raised); the engine prefixes its place. */
export class FunctionError extends Error {
  override name = "FunctionError";
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
 * Declares a function by its Go parameter list.
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
