/**
 * Normalises an object as Go does by decoding it into its typed struct and encoding it again.
 *
 * Istio sends every pod through that round trip several times, so its outputs are defined for normalised
 * values: unknown fields, nulls and empty optional fields are dropped, always-encoded fields are present,
 * quantities and times are canonical, fields are in API order and map keys sorted by bytes.
 *
 * This imitates Go's encoding/json, which Istio uses for pods and which, unlike the API server, ignores
 * case in field names; errors use its messages. Where only the JSON text could tell, values decide: `1.0`
 * is the integer 1, and the parser has already resolved duplicate keys. A JavaScript object always puts
 * integer-like keys first.
 *
 * The input is never modified. Parts that are already normal are returned as they are, not copied: the API
 * server sends pods in their normal form, and a stage that changed one container should not copy the
 * others. Treat results as read-only.
 */
import { compareStrings } from "../data/bytes.ts";
import { isMap, setKey } from "../data/map.ts";
import { canonicalQuantity } from "../data/quantity.ts";
import { jsonKind } from "../go/json.ts";
import { canonicalTime } from "./_time.ts";
import { convertStrings } from "./_yaml_strings.ts";
import {
  type JsonField,
  jsonField,
  type SchemaType,
  type StructType,
  structType,
} from "./schema.ts";

export interface NormaliseOptions {
  /** Matches field names case-insensitively, as encoding/json does. Default true. */
  caseInsensitive?: boolean;
  /**
   * `convert`: the value was read from YAML, where Kubernetes converts numbers and booleans to strings if
   * the field is a string.
   */
  strings?: "convert";
  /**
   * An already normalised object of this kind that shares parts with the value; those parts are not checked
   * again.
   */
  known?: object;
  /** Caches results by part, for values that are never modified and share parts with each other. */
  memo?: NormaliseMemo;
}

export type NormaliseMemo = WeakMap<
  object,
  { readonly type: SchemaType; readonly result: unknown }
>;

export type DecodeErrorCode = "unknown-kind" | "wrong-type" | "bad-quantity" | "bad-time";

/** A decoding error. The message is Go's, without a prefix. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly code: DecodeErrorCode;
  constructor(code: DecodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Normalises an object of a named API type, either a kind (`Pod`) or a part (`Container`).
 *
 * @example
 * ```ts
 * normalise("EnvVar", { Value: "", name: "A", extra: 1 }); // { name: "A" }
 * ```
 */
export function normalise(
  kind: string,
  value: unknown,
  options: NormaliseOptions = {},
): Record<string, unknown> {
  const struct = structType(kind);
  if (struct === undefined) {
    throw new DecodeError(
      "unknown-kind",
      `Cannot normalise kind "${kind}": it is not in the schema`,
    );
  }
  const type: SchemaType = { kind: "struct", name: `v1.${struct.name}`, struct };
  const input = options.strings === "convert" ? convertStrings(type, value) : value;
  const run: Run = {
    exact: options.caseInsensitive === false,
    path: [],
    depth: 0,
    first: undefined,
    memo: options.strings === "convert" ? undefined : options.memo,
  };
  const known = options.strings === "convert" ? undefined : options.known;
  const result = decode(type, input, undefined, run, known) as Record<string, unknown>;
  if (run.first !== undefined) throw run.first;
  return result;
}

interface Run {
  readonly exact: boolean;
  /** The fields leading to the current value, up to `depth`. */
  readonly path: JsonField[];
  depth: number;
  /**
   * The first mismatch. encoding/json decodes on after it, so a bad quantity further down is reported
   * first.
   */
  first: DecodeError | undefined;
  readonly memo: NormaliseMemo | undefined;
}

/**
 * Decodes a value of the type; undefined is a nil pointer, list or map. `prior` is the result of an earlier
 * spelling of the same key (`Name` after `name`), on top of which Go decodes. `known` is a normalised value
 * of the same type.
 */
function decode(
  type: SchemaType,
  value: unknown,
  prior: unknown,
  run: Run,
  known: unknown,
): unknown {
  switch (type.kind) {
    case "string":
      if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
      if (value !== null) mismatch(type.name, value, run);
      return prior ?? "";
    case "bool":
      if (typeof value === "boolean") return value;
      if (value !== null) mismatch(type.name, value, run);
      return prior ?? false;
    case "int32":
    case "int64":
      return decodeInteger(type, value, prior, run);
    case "pointer":
      return value === null ? undefined : decode(type.elem!, value, prior, run, known);
    case "struct":
      if (isMap(value)) return decodePart(type, value, prior, run, known);
      if (value !== null) mismatch(type.name, value, run);
      return prior ?? decodeStruct(type.struct!, NOTHING, undefined, run, undefined);
    case "list":
      if (Array.isArray(value)) return decodePart(type, value, prior, run, known);
      if (value !== null) mismatch(type.name, value, run);
      return undefined;
    case "map":
      if (isMap(value)) return decodePart(type, value, prior, run, known);
      if (value !== null) mismatch(type.name, value, run);
      return undefined;
    case "quantity":
      return value === null ? "0" : decodeQuantity(value);
    case "intOrString":
      if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
      if (value === null) return 0;
      if (isInteger(value, "int32")) return Number(value);
      throw typeError("int32", number(value), run);
    case "time":
      return value === null ? null : decodeTime(value, run);
    case "raw":
      return value ?? prior ?? null;
  }
}

/** Decodes a struct, list or map, unless its result is already known. */
function decodePart(
  type: SchemaType,
  value: object,
  prior: unknown,
  run: Run,
  known: unknown,
): unknown {
  if (value === known) return value;
  const memo = prior === undefined ? run.memo : undefined;
  const before = memo?.get(value);
  if (before?.type === type) return before.result;
  const result = type.kind === "list"
    ? decodeList(type.elem!, value as unknown[], prior, run, known)
    : type.kind === "map"
    ? decodeMap(type.elem!, value as Record<string, unknown>, prior, run)
    : decodeStruct(type.struct!, value as Record<string, unknown>, prior, run, known);
  // Errors contain the position, so values with errors are decoded each time.
  if (run.first === undefined) memo?.set(value, { type, result });
  return result;
}

const NOTHING: Record<string, unknown> = Object.freeze({});

function decodeStruct(
  struct: StructType,
  value: Record<string, unknown>,
  prior: unknown,
  run: Run,
  known: unknown,
): Record<string, unknown> {
  // Filled from the first field that is not normal; until then the value is its own result.
  let decoded = prior === undefined ? undefined : fieldsOf(struct, prior as object, Infinity);
  let last = -1;
  let required = 0;
  for (const key of Object.keys(value)) {
    const given = value[key];
    const field = given === undefined
      ? undefined
      : struct.byJson.get(key) ?? (run.exact ? undefined : jsonField(struct, key));
    if (field === undefined) {
      decoded ??= fieldsOf(struct, value, last);
      continue;
    }
    // A field out of order may have occurred before, in another spelling.
    if (field.index <= last) decoded ??= fieldsOf(struct, value, last);
    run.path[run.depth++] = field;
    const before = decoded === undefined ? undefined : decoded[field.index] ?? undefined;
    const result = decode(field.type, given, before, run, memberOf(known, field.json));
    run.depth--;
    const kept = !field.always && isEmpty(field.type, result) ? undefined : result ?? null;
    if (decoded === undefined) {
      if (isSame(kept, given) && key === field.json) {
        last = field.index;
        if (field.always) required++;
        continue;
      }
      decoded = fieldsOf(struct, value, last);
    }
    decoded[field.index] = kept;
  }
  if (decoded === undefined) {
    if (required === struct.required) return value;
    decoded = fieldsOf(struct, value, last);
  }
  const fields = struct.encoded;
  const out: Record<string, unknown> = {};
  for (let i = 0; i < fields.length; i++) {
    if (decoded[i] !== undefined) out[fields[i].json] = decoded[i];
    else if (fields[i].always) out[fields[i].json] = zero(fields[i].type, run);
  }
  return out;
}

/** Returns the fields of a normal value by index, up to `last`. */
function fieldsOf(struct: StructType, value: object, last: number): unknown[] {
  const fields = new Array<unknown>(struct.encoded.length);
  for (const { index, json } of struct.encoded) {
    if (index > last) break;
    fields[index] = memberOf(value, json);
  }
  return fields;
}

function memberOf(value: unknown, key: string): unknown {
  return value === undefined || value === null
    ? undefined
    : (value as Record<string, unknown>)[key];
}

/** Compares numbers by Go's rules, which have no -0. */
function isSame(kept: unknown, given: unknown): boolean {
  return kept === given && (kept !== 0 || Object.is(kept, given));
}

function isEmpty(type: SchemaType, value: unknown): boolean {
  switch (type.kind) {
    case "string":
      return value === "";
    case "bool":
      return value === false;
    case "int32":
    case "int64":
      return value === 0;
    case "list":
      return value === undefined || (value as unknown[]).length === 0;
    case "map":
      return value === undefined || hasNoKeys(value as object);
    case "time":
      return value === null;
    default:
      return value === undefined;
  }
}

function hasNoKeys(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** Returns what Go encodes for a field that was never set. */
function zero(type: SchemaType, run: Run): unknown {
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    case "struct":
      return decodeStruct(type.struct!, NOTHING, undefined, run, undefined);
    default:
      return null;
  }
}

function decodeList(
  elem: SchemaType,
  value: unknown[],
  prior: unknown,
  run: Run,
  known: unknown,
): unknown[] {
  const before = (prior ?? []) as unknown[];
  const partners = Array.isArray(known) ? new Partners(known) : undefined;
  let out: unknown[] | undefined;
  for (let i = 0; i < value.length; i++) {
    const given = value[i];
    const result = decode(elem, given ?? null, before[i], run, partners?.of(given, i));
    if (out === undefined) {
      if (isSame(result, given)) continue;
      out = value.slice(0, i);
    }
    out.push(result);
  }
  return out ?? value;
}

/** Finds the item of a known list from which an item was made, by index or by name. */
class Partners {
  readonly #known: readonly unknown[];
  #byName: Map<unknown, unknown> | undefined;

  constructor(known: readonly unknown[]) {
    this.#known = known;
  }

  of(item: unknown, place: number): unknown {
    if (!isMap(item)) return undefined;
    if (this.#known[place] === item) return item;
    this.#byName ??= new Map(this.#known.map((one) => [nameOf(one), one]));
    return this.#byName.get(nameOf(item));
  }
}

function nameOf(item: unknown): unknown {
  return isMap(item) ? item.name : undefined;
}

function decodeMap(
  elem: SchemaType,
  value: Record<string, unknown>,
  prior: unknown,
  run: Run,
): Record<string, unknown> {
  let isNormal = prior === undefined;
  let isSorted = isNormal;
  let last = "";
  const decoded: [string, unknown][] = Object.entries(prior ?? {});
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) {
      isNormal = false;
      continue;
    }
    const result = decode(elem, value[key], undefined, run, undefined);
    const name = key.isWellFormed() ? key : key.toWellFormed();
    decoded.push([name, result]);
    isSorted &&= compareStrings(last, name) <= 0;
    isNormal &&= isSorted && name === key && isSame(result, value[key]);
    last = name;
  }
  if (isNormal) return value;
  if (!isSorted) decoded.sort(([a], [b]) => compareStrings(a, b));
  const out: Record<string, unknown> = {};
  for (const [key, result] of decoded) setKey(out, key, result);
  return out;
}

function decodeInteger(type: SchemaType, value: unknown, prior: unknown, run: Run): unknown {
  if (isInteger(value, type.kind)) return Number(value) + 0; // + 0 turns -0 into 0, as Go has no other.
  if (value !== null) run.first ??= typeError(type.name, number(value), run);
  return prior ?? 0;
}

/** A double cannot tell int64's limits from their neighbours; 2^63 itself is accepted. */
function isInteger(value: unknown, kind: string): boolean {
  if (typeof value !== "number" && typeof value !== "bigint") return false;
  const wide = Number(value);
  if (!Number.isInteger(wide)) return false;
  return kind === "int32" ? wide === (wide | 0) : Math.abs(wide) <= 2 ** 63;
}

/**
 * Decodes a quantity from its raw JSON text, as Go does: a number is fine, and `true` is an invalid
 * quantity.
 */
function decodeQuantity(value: unknown): string {
  const raw = typeof value === "string" ? value : String(typeof value === "object" ? "{}" : value);
  // Escapes in the text are never decoded: "1\n" fails on its backslash.
  const isEscaped = JSON.stringify(raw).length !== raw.length + 2;
  const text = isEscaped ? "\\" : raw.trim();
  try {
    return canonicalQuantity(text);
  } catch (error) {
    throw new DecodeError("bad-quantity", (error as Error).message, { cause: error });
  }
}

function decodeTime(value: unknown, run: Run): string | null {
  if (typeof value !== "string") throw typeError("string", jsonKind(value), run);
  try {
    return canonicalTime(value);
  } catch (error) {
    throw new DecodeError("bad-time", (error as Error).message, { cause: error });
  }
}

function mismatch(type: string, value: unknown, run: Run): void {
  run.first ??= typeError(type, jsonKind(value), run);
}

function typeError(type: string, what: string, run: Run): DecodeError {
  return new DecodeError(
    "wrong-type",
    `json: cannot unmarshal ${what} into Go ${place(run)} of type ${type}`,
  );
}

/**
 * Formats the place as Go does: the innermost struct and then the whole path, as in
 * `PodSpec.spec.containers`.
 */
function place(run: Run): string {
  if (run.depth === 0) return "value";
  const path = run.path.slice(0, run.depth);
  const names = path.flatMap((field) => [...field.through, field.json]);
  return `struct field ${path.at(-1)!.owner}.${names.join(".")}`;
}

/** Formats the number that Go shows when it expects an integer. */
function number(value: unknown): string {
  const what = jsonKind(value);
  return what === "number" ? `number ${value}` : what;
}
