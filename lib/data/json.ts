/**
 * JSON helpers: equality of values, and text as Go's `encoding/json` writes it. Values come from
 * `JSON.parse` or the YAML reader; classes, functions and cycles have no place in them.
 * @module
 */

/**
 * As deep as the YAML reader goes. Kubernetes objects stay below 30; the limit keeps these recursive
 * walks far from the end of the stack, whatever a client sent.
 */
const MAX_DEPTH = 1000;

/**
 * Whether two JSON values are the same; the order of a map's keys does not count, nor does the sign of
 * zero.
 */
export function equalJson(a: unknown, b: unknown): boolean {
  return equalAt(a, b, 0);
}

function equalAt(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth >= MAX_DEPTH) throw tooDeep("compare");
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      if (!equalAt(a[i], b[i], depth + 1)) return false;
    }
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !equalAt(left[key], right[key], depth + 1)) return false;
  }
  return true;
}

/**
 * Writes a value as Go's `json.Marshal` writes maps: compact, keys in byte order, and `<`, `>`, `&`,
 * U+2028 and U+2029 escaped. A `bigint` is written with all its digits; `undefined` properties are left
 * out.
 *
 * @example
 * ```ts
 * import { goJson } from "./json.ts";
 *
 * goJson({ b: "<1>", a: [1.5, null] }); // {"a":[1.5,null],"b":"\u003c1\u003e"}
 * ```
 */
export function goJson(value: unknown): string {
  return writeAt(value, 0);
}

function writeAt(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return writeNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return String(value);
    case "undefined":
      return "null";
    case "object":
      break;
    default:
      throw new TypeError(`Cannot write JSON: a ${typeof value} is no JSON value`);
  }
  if (value === null) return "null";
  if (depth >= MAX_DEPTH) throw tooDeep("write");
  if (Array.isArray(value)) return `[${value.map((item) => writeAt(item, depth + 1)).join(",")}]`;
  const map = value as Record<string, unknown>;
  let out = "";
  for (const key of Object.keys(map).sort(compareBytes)) {
    if (map[key] === undefined) continue;
    out += `${out === "" ? "" : ","}${quote(key)}:${writeAt(map[key], depth + 1)}`;
  }
  return `{${out}}`;
}

/** Both languages write the shortest digits, and turn to exponents at 1e21 and below 1e-6. */
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`Cannot write JSON: ${value} is no JSON number`);
  return Object.is(value, -0) ? "-0" : String(value);
}

const HTML = /[<>&\u2028\u2029]/g;

function quote(text: string): string {
  // Go has no halves of surrogate pairs; what it reads for one is U+FFFD.
  const quoted = JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
  return quoted.replace(HTML, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Orders as the bytes of UTF-8 do, which is by code point and not by UTF-16 unit. */
function compareBytes(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const isPair = (x & 0xf800) === 0xd800;
    // Surrogates stand for code points past all that one unit can hold.
    if (isPair !== ((y & 0xf800) === 0xd800)) return isPair ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

function tooDeep(what: string): TypeError {
  return new TypeError(`Cannot ${what} JSON: it nests deeper than ${MAX_DEPTH} levels`);
}
