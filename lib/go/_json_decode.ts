/**
 * Decodes JSON for json.ts, in one pass and without tokens. Go checks the whole text before it
 * decodes anything, so a syntax error anywhere means no value.
 */

import { toBytes } from "../data/bytes.ts";
import { quote } from "./strconv.ts";
import { setKey } from "../data/map.ts";
import { FunctionError, recover } from "./value.ts";

/** Go's limit. */
const MAX_DEPTH = 10_000;

/** The result of `json.Unmarshal`, which sets the value even if a number does not fit. */
export interface DecodedJson {
  readonly value: unknown;
  readonly error?: FunctionError;
}

/** Go's `json.Unmarshal` into an `any`. Throws Go's error. */
export function decodeJson(text: string): unknown {
  const { value, error } = decodeJsonLeniently(text);
  if (error) throw error;
  return value;
}

/**
 * Like {@link decodeJson}, for callers that use the value despite an error. A syntax error gives
 * nil; a number that does not fit a float64 gives nil in its place.
 */
export function decodeJsonLeniently(text: string): DecodedJson {
  return recover<DecodedJson>(
    () => new Decoder(text).decode(),
    (error) => ({ value: null, error }),
  );
}

type Container =
  | { readonly kind: "array"; readonly items: unknown[] }
  | { readonly kind: "object"; readonly entries: Record<string, unknown>; key: string };

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WHITESPACE = /[ \t\r\n]*/y;
// deno-lint-ignore no-control-regex -- strings must not contain control characters
const PLAIN = /[^"\\\x00-\x1f]*/y;
const LOW_SURROGATE = /\\u[dD][c-fC-F][0-9a-fA-F]{2}/y;

const UNESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

class Decoder {
  readonly #text: string;
  #at = 0;
  #error: FunctionError | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Decodes the text. Not recursive, because Go's ten thousand levels could overflow the stack. */
  decode(): DecodedJson {
    const stack: Container[] = [];
    for (;;) {
      this.#skip(WHITESPACE);
      let value: unknown;
      const opening = this.#text[this.#at];
      if (opening === "[" || opening === "{") {
        if (stack.length === MAX_DEPTH) this.#fail("exceeded max depth");
        this.#at++;
        this.#skip(WHITESPACE);
        if (this.#text[this.#at] !== (opening === "[" ? "]" : "}")) {
          stack.push(
            opening === "["
              ? { kind: "array", items: [] }
              : { kind: "object", entries: {}, key: this.#key() },
          );
          continue;
        }
        this.#at++;
        value = opening === "[" ? [] : {};
      } else {
        value = this.#scalar();
      }
      // The value is complete. Put it into its container, and do the same for each container that
      // ends.
      for (;;) {
        this.#skip(WHITESPACE);
        const top = stack.at(-1);
        if (!top) {
          if (this.#at < this.#text.length) this.#fail("after top-level value");
          return { value, error: this.#error };
        }
        if (top.kind === "array") top.items.push(value);
        else setKey(top.entries, top.key, value);
        const next = this.#text[this.#at];
        if (next === ",") {
          this.#at++;
          if (top.kind === "object") {
            this.#skip(WHITESPACE);
            top.key = this.#key();
          }
          break;
        }
        if (next !== (top.kind === "array" ? "]" : "}")) {
          this.#fail(top.kind === "array" ? "after array element" : "after object key:value pair");
        }
        this.#at++;
        stack.pop();
        value = top.kind === "array" ? top.items : top.entries;
      }
    }
  }

  #key(): string {
    if (this.#text[this.#at] !== '"') this.#fail("looking for beginning of object key string");
    const key = this.#string();
    this.#skip(WHITESPACE);
    if (this.#text[this.#at] !== ":") this.#fail("after object key");
    this.#at++;
    return key;
  }

  #scalar(): unknown {
    switch (this.#text[this.#at]) {
      case '"':
        return this.#string();
      case "t":
        return this.#literal("true", true);
      case "f":
        return this.#literal("false", false);
      case "n":
        return this.#literal("null", null);
    }
    const c = this.#text.charCodeAt(this.#at);
    if (c === 0x2d || (c >= 0x30 && c <= 0x39)) return this.#number();
    this.#fail("looking for beginning of value");
  }

  #literal(word: string, value: unknown): unknown {
    for (let i = 0; i < word.length; i++, this.#at++) {
      if (this.#text[this.#at] !== word[i]) {
        this.#fail(`in literal ${word} (expecting '${word[i]}')`, true);
      }
    }
    return value;
  }

  #number(): number | null {
    const start = this.#at;
    if (!this.#skip(NUMBER)) {
      this.#at++;
      this.#fail("in numeric literal", true);
    }
    const literal = this.#text.slice(start, this.#at);
    const next = this.#text[this.#at];
    if (next === "." && !/[.eE]/.test(literal)) {
      this.#at++;
      this.#fail("after decimal point in numeric literal", true);
    }
    if ((next === "e" || next === "E") && !/[eE]/.test(literal)) {
      this.#at++;
      if (this.#text[this.#at] === "+" || this.#text[this.#at] === "-") this.#at++;
      this.#fail("in exponent of numeric literal", true);
    }
    const value = Number(literal);
    if (Number.isFinite(value)) return value;
    this.#error ??= new FunctionError(
      `json: cannot unmarshal number ${literal} into Go value of type float64`,
    );
    return null;
  }

  #string(): string {
    this.#at++;
    let out = "";
    for (;;) {
      const start = this.#at;
      this.#skip(PLAIN);
      // Go replaces invalid UTF-8 with U+FFFD.
      out += this.#text.slice(start, this.#at).toWellFormed();
      const c = this.#text[this.#at];
      if (c === '"') {
        this.#at++;
        return out;
      }
      if (c !== "\\") this.#fail("in string literal");
      this.#at++;
      out += this.#escape();
    }
  }

  #escape(): string {
    const c = this.#text[this.#at] ?? "";
    if (Object.hasOwn(UNESCAPED, c)) {
      this.#at++;
      return UNESCAPED[c];
    }
    if (c !== "u") this.#fail("in string escape code", true);
    const unit = this.#unit();
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    // Half of a surrogate pair counts only if the other half follows, as an escape too.
    LOW_SURROGATE.lastIndex = this.#at;
    if (unit > 0xdbff || !LOW_SURROGATE.test(this.#text)) return "\ufffd";
    this.#at++;
    return String.fromCharCode(unit, this.#unit());
  }

  /** Reads the four digits after a `u`. */
  #unit(): number {
    this.#at++;
    const start = this.#at;
    for (; this.#at < start + 4; this.#at++) {
      if (!/^[0-9a-fA-F]$/.test(this.#text[this.#at] ?? "")) {
        this.#fail("in \\u hexadecimal character escape", true);
      }
    }
    return parseInt(this.#text.slice(start, this.#at), 16);
  }

  /** Skips what a sticky pattern matches. Returns false if it does not match. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  /** Throws Go's error. Within a token, Go reports the end of the input as a space. */
  #fail(context: string, inToken = false): never {
    if (this.#at >= this.#text.length && !inToken) {
      throw new FunctionError("unexpected end of JSON input");
    }
    const char = this.#at < this.#text.length ? this.#text.slice(this.#at, this.#at + 2) : " ";
    throw new FunctionError(`invalid character ${quoteByte(toBytes(char)[0])} ${context}`);
  }
}

/** Quotes a byte as Go does, as if it were Latin-1. */
function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  return `'${quote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
