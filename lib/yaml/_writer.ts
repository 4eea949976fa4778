/**
 * Writes a JSON value as `sigs.k8s.io/yaml` marshals it, byte for byte: natural key order, dashes at the
 * parent's column, and the same quoting and folding.
 *
 * sigs.k8s.io/yaml writes JSON first and reads it as YAML before it writes YAML. Therefore a string with
 * DEL or a C1 control character and a key longer than 1024 characters cannot be written, and U+0085 folds
 * like a line break. It never writes anchors, tags or comments.
 */

import { formatFloat } from "../go/strconv.ts";
import { compareNatural } from "./_natural_order.ts";
import { YamlError } from "./_error.ts";
import { keyNeedsQuestionMark, writeScalarText } from "./_scalar_writer.ts";

/** Limits nesting like the reader, and stops on cycles. */
const MAX_WRITE_DEPTH = 1000;

/** An implicit key, including quotes, is at most 1024 characters long. */
const MAX_KEY_SPAN = 1024;

const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** From here on doubles do not fit 64 bits, and go-yaml uses exponents. */
const FIRST_UNFIT = 2 ** 64;

/** Writes one document, with its final line break. */
export function writeYaml(value: unknown): string {
  if (!isBlock(value)) return endLine(scalarText(value, 2, 0));
  const writer = new Writer();
  writer.block(value, 0, false);
  return writer.out;
}

class Writer {
  /** Only appended to: reading it would make the engine flatten the string each time. */
  out = "";
  #depth = 0;

  /** Writes a non-empty list or map at `indent`; `inline` if it continues a line after `- ` or `: `. */
  block(value: object, indent: number, inline: boolean): void {
    if (++this.#depth > MAX_WRITE_DEPTH) {
      throw unwritable(
        "too-deep",
        `it nests deeper than ${MAX_WRITE_DEPTH} levels or holds itself`,
      );
    }
    if (Array.isArray(value)) this.#list(value, indent, inline);
    else this.#map(value as Record<string, unknown>, indent, inline);
    this.#depth--;
  }

  #list(list: unknown[], indent: number, inline: boolean): void {
    const dash = `${" ".repeat(indent)}- `;
    for (let i = 0; i < list.length; i++) {
      this.out += i === 0 && inline ? "- " : dash;
      this.#inlineValue(list[i], indent + 2);
    }
  }

  #map(map: Record<string, unknown>, indent: number, inline: boolean): void {
    const keys = Object.keys(map);
    // Natural order can be cyclic (v10 < v1a < v2 < v10); sorting first makes the result deterministic.
    if (keys.length > 2) keys.sort();
    if (keys.length > 1) keys.sort(compareNatural);
    const pad = " ".repeat(indent);
    let first = inline;
    for (const key of keys) {
      const value = map[key];
      if (value === undefined) continue;
      if (!first) this.out += pad;
      first = false;
      this.#entry(key, value, indent);
    }
  }

  #entry(key: string, value: unknown, indent: number): void {
    const name = asRead(key);
    checkKey(key);
    if (keyNeedsQuestionMark(name)) {
      const text = writeScalarText(name, { indent: indent + 2, column: indent + 2, isKey: false });
      this.out += `? ${endLine(text)}${" ".repeat(indent)}: `;
      this.#inlineValue(value, indent + 2);
      return;
    }
    const text = writeScalarText(name, { indent: indent + 2, column: indent, isKey: true });
    if (isBlock(value)) {
      this.out += `${text}:\n`;
      // A list is at its key's column, a map is indented by two.
      this.block(value, Array.isArray(value) ? indent : indent + 2, false);
    } else {
      const column = indent + text.length + 2;
      this.out += `${text}: ${endLine(scalarText(value, indent + 2, column, text))}`;
    }
  }

  /** Writes a value after `- ` or `: ` in the same line. */
  #inlineValue(value: unknown, indent: number): void {
    if (isBlock(value)) this.block(value, indent, true);
    else this.out += endLine(scalarText(value, indent, indent));
  }
}

/** Ends the line, unless a literal block already ended with a line break of any kind. */
function endLine(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last === 0x0a || last === 0x2028 || last === 0x2029 ? text : `${text}\n`;
}

/** Returns the text of a value other than a block; `key` is the text before it in the line. */
function scalarText(value: unknown, indent: number, column: number, key = ""): string {
  switch (typeof value) {
    case "string": {
      // Folding counts characters, not UTF-16 units.
      const start = column - key.length + countRunes(key);
      return writeScalarText(asRead(value), { indent, column: start, isKey: false });
    }
    case "number":
      return writeNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return writeBigInt(value);
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "[]" : "{}";
    case "undefined":
      return "null";
    default:
      throw unwritable("unwritable", `a ${typeof value} is not a JSON value`);
  }
}

/** Reports whether a value needs lines of its own: a non-empty list or map. */
function isBlock(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  for (const key in value) {
    if (Object.hasOwn(value, key) && (value as Record<string, unknown>)[key] !== undefined) {
      return true;
    }
  }
  return false;
}

function countRunes(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

/** Formats a number. Integers within 64 bits stay integers; minus zero loses its sign. */
function writeNumber(value: number): string {
  if (Number.isInteger(value)) {
    if (value >= -(2 ** 63) && value < FIRST_UNFIT && (Math.abs(value) < 1e21)) {
      // Both Go and JavaScript pad the shortest digits with zeros up to 1e21.
      const text = String(value === 0 ? 0 : value);
      return Number.isSafeInteger(value) ? text : writeBigInt(BigInt(text));
    }
    return formatFloat(value, "g", -1, 64);
  }
  if (!Number.isFinite(value)) throw unwritable("unwritable", `${value} is not a JSON number`);
  return formatFloat(value, "g", -1, 64);
}

function writeBigInt(value: bigint): string {
  if (value >= INT64_MIN && value <= UINT64_MAX) return String(value);
  return formatFloat(Number(value), "g", -1, 64);
}

const REFUSED = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;
// Only spaces fold with U+0085, since JSON escapes tabs.
const NEXT_LINE = / *\u0085[ \u0085]*/g;
const NEXT_LINE_MARKER = /\u0085(?:---|\.\.\.)[ \u0085]/;

/** Returns a string after sigs.k8s.io/yaml has read its JSON form as YAML. */
function asRead(text: string): string {
  if (isTame(text)) return text;
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  const refused = REFUSED.exec(whole);
  if (refused !== null) {
    const code = refused[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    throw unwritable("control-character", `a string holds U+${code}, which YAML does not allow`);
  }
  if (!whole.includes("\u0085")) return whole;
  if (NEXT_LINE_MARKER.test(whole)) {
    throw unwritable("unwritable", "a string holds a document marker after U+0085");
  }
  // A lone U+0085 folds to a space; a run of them becomes line feeds for all but the first.
  return whole.replace(NEXT_LINE, (run) => {
    const breaks = run.split("\u0085").length - 1;
    return breaks === 1 ? " " : "\n".repeat(breaks - 1);
  });
}

/** Reports, without allocating, whether all characters of a text pass unchanged. */
function isTame(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x7f && (code < 0xa0 || code >= 0xd800)) return false;
  }
  return true;
}

function checkKey(key: string): void {
  if (key.length <= MAX_KEY_SPAN / 6 - 2 && !key.includes("\u0085")) return;
  const span = countRunes(JSON.stringify(key).replace(/[<>&\u2028\u2029]/g, "\\u0000"));
  if (span > MAX_KEY_SPAN || key.includes("\u0085")) {
    throw unwritable(
      "bad-key",
      `the key ${JSON.stringify(key.slice(0, 20))}… is past 1024 characters or of two lines`,
    );
  }
}

function unwritable(
  code: "unwritable" | "too-deep" | "control-character" | "bad-key",
  why: string,
): YamlError {
  return new YamlError(code, `Cannot write YAML: ${why}`, { line: 0, column: 0 });
}
