/**
 * Text as Go's time package handles it: byte by byte. A byte string has a character U+0000…U+00FF for
 * every byte, so that positions are Go's.
 */
import { isAscii, toBytes } from "./bytes.ts";

export function byteString(text: string): string {
  if (isAscii(text)) return text;
  return Array.from(toBytes(text), (byte) => String.fromCharCode(byte)).join("");
}

/** Quotes a byte string as the time package does: what is not printable ASCII as `\xff`. */
export function quoteBytes(bytes: string): string {
  const body = bytes.replace(/["\\]/g, "\\$&").replace(
    // deno-lint-ignore no-control-regex -- control characters are what is escaped
    /[\x00-\x1f\x80-\xff]/g,
    (char) => "\\x" + char.charCodeAt(0).toString(16).padStart(2, "0"),
  );
  return `"${body}"`;
}
