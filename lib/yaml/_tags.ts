/**
 * Tag half of the composing stage: a scalar's tag and text go in, its value comes out. Lists and maps
 * carry tags too, but no tag means anything there.
 * @module
 */

import { fitsInt64, isGoInteger, isTimestamp, type PlainValue, resolvePlain } from "./_scalars.ts";

const YAML_TAG = "tag:yaml.org,2002:";

/** The tag that makes a `<<` a merge key even in quotes. */
export const MERGE_TAG = `${YAML_TAG}merge`;

/** A scalar's value; whether it is a float shows in how a key made of it is written. */
export interface ResolvedScalar {
  value: PlainValue;
  isFloat: boolean;
}

/** The full name of a tag as it stands in the text; `handles` are those of `%TAG` directives. */
export function fullTagName(raw: string, handles: Map<string, string> | undefined): string {
  if (raw.startsWith("!<")) return decodeTag(raw.slice(2, -1));
  const handleEnd = raw.indexOf("!", 1);
  const handle = handleEnd === -1 ? "!" : raw.slice(0, handleEnd + 1);
  const suffix = decodeTag(raw.slice(handle.length));
  if (suffix === "") return "!";
  return (handles?.get(handle) ?? (handle === "!!" ? YAML_TAG : handle)) + suffix;
}

/** Undoes `%xx` in a tag; a tag with broken escapes is kept as it stands, it means a string anyway. */
function decodeTag(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Resolves a plain scalar that has no tag. */
export function resolveUntagged(text: string): ResolvedScalar {
  const value = resolvePlain(text);
  return { value, isFloat: typeof value === "number" && !isGoInteger(text) };
}

/**
 * Resolves a scalar under a tag: it must be what the tag says, or the result is `undefined`. Tags that
 * mean nothing to Kubernetes make strings.
 */
export function resolveTagged(tag: string, text: string): ResolvedScalar | undefined {
  const name = tag.startsWith(YAML_TAG) ? tag.slice(YAML_TAG.length) : "";
  if (name === "binary") return asString(decodeBinary(text));
  if (name === "timestamp") return asString(isTimestamp(text) ? text : undefined);
  const resolved = resolveUntagged(text);
  const { value } = resolved;
  switch (name) {
    case "null":
      return value === null ? resolved : undefined;
    case "bool":
      return typeof value === "boolean" ? resolved : undefined;
    case "int":
      if (typeof value === "bigint") return resolved;
      return typeof value === "number" && !resolved.isFloat ? resolved : undefined;
    case "float":
      if (typeof value === "number") return { value, isFloat: true };
      if (typeof value !== "bigint" || !fitsInt64(value)) return undefined;
      return { value: Number(value), isFloat: true };
    default:
      return asString(text);
  }
}

function asString(value: string | undefined): ResolvedScalar | undefined {
  return value === undefined ? undefined : { value, isFloat: false };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function decodeBinary(text: string): string | undefined {
  const base64 = text.replace(/[\r\n]/g, "");
  if (!BASE64.test(base64)) return undefined;
  return decodeUtf8(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}

/** Go puts one U+FFFD for each byte that is no UTF-8, where a TextDecoder puts one for a broken run. */
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

/** How many bytes a character takes that starts with this one. */
function runeSize(first: number): number {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
