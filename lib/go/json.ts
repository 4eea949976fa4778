/**
 * Implements Go's `encoding/json` for the values of value.ts: {@link encodeJson} is `json.Marshal` (with
 * `MarshalIndent` and `SetEscapeHTML`), {@link decodeJson} is `json.Unmarshal` into an `any`, both with
 * Go's errors. Struct fields absent from the struct's object are omitted, as with `omitempty`.
 */

import { compareStrings } from "../data/bytes.ts";
import { formatFloat } from "./strconv.ts";
import { FunctionError, type GoType, isIntegerKind, Typed, wrap } from "./value.ts";

export { type DecodedJson, decodeJson, decodeJsonLeniently } from "./_json_decode.ts";

/**
 * Limits the length of the text: shared subtrees can make a small value's JSON explode. No cluster stores
 * objects above 1.5 MiB.
 */
const MAX_JSON_LENGTH = 4 * 1024 * 1024;
/** Leaves stack space in every runtime. Go's encoder is limited only by memory. */
const MAX_DEPTH = 2000;
/** Go starts to detect cycles beyond this many nested maps, slices and pointers. */
const CYCLES_AFTER = 1000;

/** Options of {@link encodeJson}. */
export interface EncodeJsonOptions {
  /** The indentation per level, as in `MarshalIndent(v, "", indent)`; absent means one line. */
  readonly indent?: string;
  /** Escapes `<`, `>` and `&` as `\u003c`…, which is the default of `json.Marshal`. */
  readonly escapeHtml?: boolean;
}

/** Formats a value as `json.Marshal` does. Throws a {@link FunctionError} with Go's message. */
export function encodeJson(value: unknown, options: EncodeJsonOptions = {}): string {
  return new Encoder(options).encode(value);
}

/** Returns the name of a JSON value's type in Go's `json: cannot unmarshal`. */
export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}

class Encoder {
  readonly #indent: string | undefined;
  readonly #special: RegExp;
  readonly #ancestors = new Set<unknown>();
  #out = "";
  #depth = 0;

  constructor(options: EncodeJsonOptions) {
    this.#indent = options.indent;
    this.#special = options.escapeHtml ?? true ? SPECIAL_HTML : SPECIAL;
  }

  encode(value: unknown): string {
    this.#value(value);
    return this.#out;
  }

  #write(text: string) {
    this.#out += text;
    if (this.#out.length > MAX_JSON_LENGTH) {
      throw new FunctionError(`json: text longer than ${MAX_JSON_LENGTH} bytes`);
    }
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case "string":
        return this.#string(value);
      case "number":
        return this.#write(float(value, 64));
      case "boolean":
        return this.#write(value ? "true" : "false");
      case "bigint":
        return this.#write(String(value));
      case "object":
        if (value === null) return this.#write("null");
        if (value instanceof Typed) return this.#typed(value.type, value.value);
        if (Array.isArray(value)) return this.#array(value, "[]interface {}");
        return this.#object(value as Record<string, unknown>, "map[string]interface {}");
      default:
        return this.#write("null");
    }
  }

  #typed(type: GoType, bare: unknown): void {
    if (type.kind === "ptr" && bare === null) return this.#write("null");
    if (type.toJson) return this.#value(marshal(type, bare));
    if (isIntegerKind(type.kind)) return this.#write(String(bare));
    switch (type.kind) {
      case "string":
        return this.#string(bare as string);
      case "bool":
        return this.#write(bare ? "true" : "false");
      case "float64":
        return this.#write(float(bare as number, 64));
      case "float32":
        return this.#write(float(bare as number, 32));
      case "ptr":
        return this.#typed(type.elem!, bare);
      case "interface":
        return this.#value(bare);
      case "slice":
      case "array":
        if (bare === null) return this.#write("null");
        if (type.elem!.kind === "uint8" && type.kind === "slice") {
          const bytes = Uint8Array.from(bare as ArrayLike<number | bigint>, Number);
          return this.#write(`"${bytes.toBase64()}"`);
        }
        return this.#array(bare as unknown[], type.name, type.elem);
      case "map":
        if (bare === null) return this.#write("null");
        return this.#object(bare as Record<string, unknown>, type.name, type.elem);
      case "struct":
        return this.#struct(type, (bare ?? {}) as Record<string, unknown>);
      default:
        throw new FunctionError(`json: unsupported type: ${type.name}`);
    }
  }

  #array(items: readonly unknown[], name: string, elem?: GoType): void {
    if (items.length === 0) return this.#write("[]");
    this.#enter(items, name);
    for (let i = 0; i < items.length; i++) {
      this.#write(i === 0 ? "[" : ",");
      this.#newline();
      this.#value(elem ? wrap(elem, items[i]) : items[i]);
    }
    this.#leave(items);
    this.#newline();
    this.#write("]");
  }

  #object(object: Record<string, unknown>, name: string, elem?: GoType): void {
    const keys = Object.keys(object).sort(compareStrings);
    if (keys.length === 0) return this.#write("{}");
    this.#enter(object, name);
    for (let i = 0; i < keys.length; i++) {
      this.#key(keys[i], i === 0);
      this.#value(elem ? wrap(elem, object[keys[i]]) : object[keys[i]]);
    }
    this.#leave(object);
    this.#newline();
    this.#write("}");
  }

  /** Writes fields in Go's declaration order, not in the order of the keys. */
  #struct(type: GoType, object: Record<string, unknown>): void {
    let first = true;
    this.#depth++;
    for (const field of type.fields?.values() ?? []) {
      if (field.json === "" || !Object.hasOwn(object, field.json)) continue;
      this.#key(field.json, first);
      this.#value(wrap(field.type(), object[field.json]));
      first = false;
    }
    this.#depth--;
    if (first) return this.#write("{}");
    this.#newline();
    this.#write("}");
  }

  #key(key: string, first: boolean) {
    this.#write(first ? "{" : ",");
    this.#newline();
    this.#string(key);
    this.#write(this.#indent === undefined ? ":" : ": ");
  }

  #newline() {
    if (this.#indent !== undefined) this.#write("\n" + this.#indent.repeat(this.#depth));
  }

  #enter(container: unknown, name: string) {
    this.#depth++;
    if (this.#depth <= CYCLES_AFTER) return;
    if (this.#ancestors.has(container)) {
      throw new FunctionError(`json: unsupported value: encountered a cycle via ${name}`);
    }
    if (this.#depth > MAX_DEPTH) throw new FunctionError("json: exceeded max depth");
    this.#ancestors.add(container);
  }

  #leave(container: unknown) {
    this.#depth--;
    this.#ancestors.delete(container);
  }

  #string(text: string) {
    if (!this.#special.test(text)) return this.#write(`"${text}"`);
    let out = '"';
    for (const char of text) out += this.#special.test(char) ? escapeChar(char) : char;
    this.#write(out + '"');
  }
}

// deno-lint-ignore no-control-regex -- what JSON, and Go for JavaScript's sake, must escape
const SPECIAL = /[\x00-\x1f"\\\u2028\u2029\p{Cs}]/u;
// deno-lint-ignore no-control-regex -- the same and what is unsafe inside HTML
const SPECIAL_HTML = /[\x00-\x1f"\\\u2028\u2029<>&\p{Cs}]/u;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function escapeChar(char: string): string {
  const short = SHORT_ESCAPES[char];
  if (short !== undefined) return short;
  const code = char.charCodeAt(0);
  // Invalid UTF-8 bytes become an escape; any other lone surrogate is a U+FFFD itself.
  if (code >= 0xd800 && code <= 0xdfff) {
    return code >= 0xdc80 && code <= 0xdcff ? "\\ufffd" : "\ufffd";
  }
  return "\\u" + code.toString(16).padStart(4, "0");
}

function float(value: number, bits: 32 | 64): string {
  if (!Number.isFinite(value)) {
    const text = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    throw new FunctionError(`json: unsupported value: ${text}`);
  }
  if (Object.is(value, -0)) return "-0";
  // JavaScript and Go's encoder agree on the shortest form and on when to use exponents.
  if (bits === 64) return String(value);
  const size = Math.abs(value);
  const exponent = size !== 0 && (size < Math.fround(1e-6) || size >= Math.fround(1e21));
  return formatFloat(value, exponent ? "e" : "f", -1, 32).replace(/e-0(\d)$/, "e-$1");
}

function marshal(type: GoType, bare: unknown): unknown {
  try {
    return type.toJson!(bare);
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(
      `json: error calling MarshalJSON for type ${type.name}: ${error.message}`,
    );
  }
}
