/**
 * Reads and writes the JSON of mesh messages like Istio's protobuf library.
 *
 * Mesh and proxy configs are kept as *canonical* JSON: camelCase keys, known fields only, no zero values
 * except in wrappers and oneofs, enums by name (by number only for unknown values), durations in seconds
 * (`45s`, `0.500s`), and 64-bit integers as strings. {@link decodeProtoJson} converts user-written JSON
 * into it; {@link encodeProtoJson} only orders it. Fields of a canonical object can be read by plain
 * property access and compared by deep equality.
 */
import { isMap, setKey } from "../data/map.ts";
import { decodeJson, encodeJson, jsonKind } from "../go/json.ts";
import { quote } from "../go/strconv.ts";
import { parseDuration } from "../go/time.ts";
import {
  ANY,
  FunctionError,
  type GoField,
  type GoType,
  mapOf,
  sliceOf,
  Typed,
} from "../go/value.ts";
import type { MeshEnum, MeshMessage, MeshType } from "./mesh_schema.ts";

/** Canonical JSON of a message. */
export type MessageJson = Readonly<Record<string, unknown>>;

/** A value that a field cannot hold. The message is the protobuf library's. */
export class ProtoJsonError extends Error {
  override name = "ProtoJsonError";
}

/**
 * Converts user-written JSON to canonical JSON. The input may use camelCase or snake_case keys, enum names
 * or numbers, quoted numbers, Go durations, nulls and unknown keys.
 *
 * @example
 * ```ts
 * decodeProtoJson(MESH_SCHEMA.proxyConfig, { drain_duration: "1m", statusPort: "0" });
 * // { drainDuration: "60s" }
 * ```
 */
export function decodeProtoJson(message: MeshMessage, value: unknown): MessageJson {
  if (value === null || value === undefined) return {};
  const given = objectOf(value);
  const out: Record<string, unknown> = {};
  const chosen = new Map<string, string>();
  for (const field of message.fields) {
    const raw = Object.hasOwn(given, field.json)
      ? given[field.json]
      : Object.hasOwn(given, field.proto)
      ? given[field.proto]
      : undefined;
    if (raw === undefined || raw === null) continue;
    const decoded = decodeValue(field.type, raw, message.legacy);
    if (field.oneof === undefined) {
      if (!isZero(field.type, decoded, message.legacy)) out[field.json] = decoded;
      continue;
    }
    // If both members of a oneof are set, the one declared later wins.
    const other = chosen.get(field.oneof);
    if (other !== undefined) delete out[other];
    chosen.set(field.oneof, field.json);
    out[field.json] = decoded;
  }
  return out;
}

/**
 * Formats a message as one line of JSON: fields in declaration order, map keys sorted, HTML escaped, zero
 * values omitted.
 */
export function encodeProtoJson(message: MeshMessage, json: MessageJson): string {
  return encodeJson(protoJsonView(message, json));
}

/** Returns a message as a value that encoding/json writes in declaration order. */
export function protoJsonView(message: MeshMessage, json: MessageJson): Typed {
  for (const field of message.fields) {
    if (field.oneof !== undefined || !Object.hasOwn(json, field.json)) continue;
    if (isZero(field.type, json[field.json], message.legacy)) {
      return new Typed(viewOf(message), withoutZeros(message, json));
    }
  }
  return new Typed(viewOf(message), json);
}

function withoutZeros(message: MeshMessage, json: MessageJson): MessageJson {
  const out: Record<string, unknown> = {};
  for (const { json: key, oneof, type } of message.fields) {
    if (!Object.hasOwn(json, key)) continue;
    if (oneof !== undefined || !isZero(type, json[key], message.legacy)) out[key] = json[key];
  }
  return out;
}

const views = new Map<MeshMessage, GoType>();

/** Returns a struct type whose fields are plain JSON values, to fix their order. */
function viewOf(message: MeshMessage): GoType {
  let view = views.get(message);
  if (view !== undefined) return view;
  const fields = new Map<string, GoField>();
  for (const { go, json, type } of message.fields) {
    fields.set(go, { name: go, json, type: () => viewType(type) });
  }
  view = { name: message.goName, kind: "struct", fields };
  views.set(message, view);
  return view;
}

function viewType(type: MeshType): GoType {
  switch (type.kind) {
    case "message":
      return viewOf(type.message);
    case "list":
      return sliceOf(viewType(type.elem));
    case "map":
      return mapOf(viewType(type.elem));
    default:
      return ANY;
  }
}

function isZero(type: MeshType, value: unknown, legacy: boolean): boolean {
  switch (type.kind) {
    case "string":
      return value === "";
    case "bool":
      return value === false;
    case "int32":
    case "uint32":
    case "double":
      return value === 0;
    case "enum":
      return value === 0 || value === type.enum.names.get(0);
    // The old protobuf library told an empty list from an absent one.
    case "list":
      return !legacy && (value as readonly unknown[]).length === 0;
    case "map":
      return !legacy && Object.keys(value as object).length === 0;
    default:
      return false;
  }
}

function decodeValue(type: MeshType, raw: unknown, legacy: boolean): unknown {
  switch (type.kind) {
    case "string":
      return expectString(raw);
    case "bool":
      return expectBool(raw);
    case "int32":
    case "uint32":
      return Number(integerOf(raw, type.kind));
    case "double":
      return doubleOf(raw);
    case "enum":
      return enumOf(type.enum, raw);
    case "wrapper":
      if (type.of === "bool") return expectBool(raw);
      if (type.of === "int64") return String(integerOf(raw, type.of));
      return Number(integerOf(raw, type.of));
    case "duration":
      return durationOf(raw);
    case "struct":
      return structOf(raw);
    case "message":
      return decodeProtoJson(type.message, raw);
    case "list":
      if (!Array.isArray(raw)) throw mismatch(raw, "[]json.RawMessage");
      return raw.map((item) =>
        item === null ? zeroOf(type.elem) : decodeValue(type.elem, item, legacy)
      );
    case "map":
      return decodeMap(type.elem, objectOf(raw), legacy);
  }
}

function decodeMap(elem: MeshType, given: Readonly<Record<string, unknown>>, legacy: boolean) {
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(given)) {
    const raw = given[key];
    setKey(out, key, raw === null ? zeroOf(elem) : decodeValue(elem, raw, legacy));
  }
  return out;
}

/** Returns the value that null decodes to inside a list or map. */
function zeroOf(type: MeshType): unknown {
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "enum":
      return type.enum.names.get(0) ?? 0;
    case "message":
    case "struct":
      return {};
    default:
      return 0;
  }
}

function mismatch(raw: unknown, type: string): ProtoJsonError {
  return new ProtoJsonError(
    `json: cannot unmarshal ${jsonKind(raw)} into Go value of type ${type}`,
  );
}

function objectOf(raw: unknown): Readonly<Record<string, unknown>> {
  if (isMap(raw)) {
    return raw as Readonly<Record<string, unknown>>;
  }
  throw mismatch(raw, "map[string]json.RawMessage");
}

function expectString(raw: unknown): string {
  if (typeof raw === "string") return raw;
  throw mismatch(raw, "string");
}

function expectBool(raw: unknown): boolean {
  if (typeof raw === "boolean") return raw;
  throw mismatch(raw, "bool");
}

const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  "protoreflect.EnumNumber": [-(2n ** 31n), 2n ** 31n - 1n],
};

/** Parses an integer, bare or quoted. A quoted value is parsed as JSON, so "null" is 0. */
function integerOf(raw: unknown, type: string): bigint {
  const quoted = typeof raw === "string";
  const inner = quoted ? parseInner(raw) : raw;
  if (quoted && inner === null) return 0n;
  if (typeof inner !== "number" && typeof inner !== "bigint") throw mismatch(inner, type);
  const literal = quoted
    ? innerText(raw).trim()
    : typeof inner === "bigint"
    ? String(inner)
    : encodeJson(inner);
  const [low, high] = RANGES[type];
  const unsigned = low === 0n;
  if (/^-?\d+$/.test(literal) && !(unsigned && literal.startsWith("-"))) {
    const value = BigInt(literal);
    if (value >= low && value <= high) return value;
  }
  throw new ProtoJsonError(
    `json: cannot unmarshal number ${literal} into Go value of type ${type}`,
  );
}

function doubleOf(raw: unknown): number | string {
  if (raw === "NaN" || raw === "Infinity" || raw === "-Infinity") return raw;
  const inner = typeof raw === "string" ? parseInner(raw) : raw;
  if (typeof raw === "string" && inner === null) return 0;
  if (typeof inner === "bigint") return Number(inner);
  if (typeof inner !== "number") throw mismatch(inner, "float64");
  return inner;
}

/** Returns the content between the quotes, with escapes unprocessed. */
function innerText(text: string): string {
  return encodeJson(text).slice(1, -1);
}

function parseInner(text: string): unknown {
  try {
    return decodeJson(innerText(text));
  } catch (error) {
    if (error instanceof FunctionError) throw new ProtoJsonError(error.message, { cause: error });
    throw error;
  }
}

function enumOf(type: MeshEnum, raw: unknown): string | number {
  if (typeof raw === "string") {
    if (type.numbers.has(raw)) return raw;
    throw new ProtoJsonError(`unknown value ${quote(encodeJson(raw))} for enum ${type.name}`);
  }
  const number = Number(integerOf(raw, "protoreflect.EnumNumber"));
  return type.names.get(number) ?? number;
}

function structOf(raw: unknown): Readonly<Record<string, unknown>> {
  try {
    return objectOf(raw);
  } catch (error) {
    throw new ProtoJsonError(`bad StructValue: ${(error as Error).message}`, { cause: error });
  }
}

function durationOf(raw: unknown): string {
  const text = expectString(raw);
  try {
    return durationText(parseDuration(text));
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new ProtoJsonError(`bad Duration: ${error.message}`, { cause: error });
  }
}

/** Formats nanoseconds as in canonical JSON: seconds with 0, 3, 6 or 9 decimals. */
export function durationText(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const seconds = `${ns < 0n ? "-" : ""}${size / 1_000_000_000n}`;
  const nanos = size % 1_000_000_000n;
  if (nanos === 0n) return `${seconds}s`;
  const decimals = String(nanos).padStart(9, "0").replace(/(?:000){1,2}$/, "");
  return `${seconds}.${decimals}s`;
}
