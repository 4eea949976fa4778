/** Resolves scalars by tag and text. Lists and maps may have tags too, but they have no effect. */

import { formatFloat } from "../go/strconv.ts";
import { EVENT, STYLE, type YamlEvent } from "./_events.ts";
import { fitsInt64, isGoInteger, isTimestamp, type PlainValue, resolvePlain } from "./_scalars.ts";

const YAML_TAG = "tag:yaml.org,2002:";

/** The tag that makes even a quoted `<<` a merge key. */
const MERGE_TAG = `${YAML_TAG}merge`;

/** A scalar's value. `isFloat` affects how it is written as a key. */
export interface ResolvedScalar {
  value: PlainValue;
  isFloat: boolean;
}

/** Resolves a plain scalar without a tag. */
export function resolveUntagged(text: string): ResolvedScalar {
  const value = resolvePlain(text);
  return { value, isFloat: typeof value === "number" && !isGoInteger(text) };
}

/**
 * Resolves a scalar with a tag. Returns go-yaml's message if the text does not match the tag. Tags unknown
 * to Kubernetes make strings.
 */
export function resolveTagged(tag: string, text: string): ResolvedScalar | string {
  const name = tag.startsWith(YAML_TAG) ? tag.slice(YAML_TAG.length) : "";
  if (name === "binary") {
    const value = decodeBinary(text);
    if (value === undefined) return "!!binary value contains invalid base64 data";
    return { value, isFloat: false };
  }
  if (!RESOLVED.has(name)) return { value: text, isFloat: false };
  if (name === "timestamp" && isTimestamp(text)) return { value: text, isFloat: false };
  const resolved = resolveUntagged(text);
  const { value } = resolved;
  const found = typeOf(resolved);
  if (found === name) return resolved;
  if (
    name === "float" && found === "int" && (typeof value === "number" || fitsInt64(value as bigint))
  ) {
    return { value: Number(value), isFloat: true };
  }
  return `cannot decode !!${found} \`${text}\` as a !!${name}`;
}

const RESOLVED: ReadonlySet<string> = new Set(["null", "bool", "int", "float", "timestamp"]);

function typeOf({ value, isFloat }: ResolvedScalar): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return isFloat ? "float" : "int";
    default:
      return value === null ? "null" : "str";
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function decodeBinary(text: string): string | undefined {
  const base64 = text.replace(/[\r\n]/g, "");
  if (!BASE64.test(base64)) return undefined;
  return decodeUtf8(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}

/**
 * Decodes bytes like Go, which replaces each invalid byte with U+FFFD, where TextDecoder replaces a run.
 */
function decodeUtf8(bytes: Uint8Array): string {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const tryDecode = (part: Uint8Array): string | undefined => {
    try {
      return strict.decode(part);
    } catch {
      return undefined;
    }
  };
  const whole = tryDecode(bytes);
  if (whole !== undefined) return whole;
  let text = "";
  for (let i = 0; i < bytes.length;) {
    const size = runeSize(bytes[i]);
    const rune = i + size <= bytes.length ? tryDecode(bytes.subarray(i, i + size)) : undefined;
    text += rune ?? "\ufffd";
    i += rune === undefined ? 1 : size;
  }
  return text;
}

/** Returns the length of a character from its first byte. */
function runeSize(first: number): number {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/**
 * Returns a scalar as a key: a string, or a key that has no string form (null, an integer above 63 bits).
 */
export function keyText({ value, isFloat }: ResolvedScalar): string | bigint | null {
  switch (typeof value) {
    case "boolean":
      return value ? "true" : "false";
    case "number":
      return isFloat ? floatKey(value) : String(value);
    case "bigint":
      return fitsInt64(value) ? String(value) : value;
    default:
      return value;
  }
}

/** Formats a float as a key, by the nearest single-precision number: 123456789.1 is `1.2345679e+08`. */
function floatKey(value: number): string {
  const single = Math.fround(value);
  if (Number.isNaN(single)) return ".nan";
  if (!Number.isFinite(single)) return single > 0 ? ".inf" : "-.inf";
  return formatFloat(single, "g", -1, 32);
}

/** Reports whether a key merges: a `<<` that is plain or has the merge tag. */
export function isMergeKey(event: YamlEvent): boolean {
  const { kind, value, tag } = event;
  if (value !== "<<" || kind !== EVENT.scalar) return false;
  return tag === "" ? event.style === STYLE.plain : tag === "!" || tag === MERGE_TAG;
}
