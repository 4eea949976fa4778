/**
 * Go strings are bytes; ours are JavaScript strings. A byte that is no part of valid UTF-8 is kept
 * as a lone surrogate U+DC80…U+DCFF (byte 0x80…0xFF), which no valid text contains, so that every
 * Go string has a JavaScript one, ordinary text stays what it is, and bytes come back exact.
 */

const encoder = new TextEncoder();
const ESCAPED = /[\uD800-\uDFFF]/;

/** Whether the text has no lone surrogates, so that it is plain Unicode. */
export function isValidUtf8(text: string): boolean {
  return text.isWellFormed();
}

/** Number of bytes, as Go's `len`. */
export function byteLength(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x80) continue;
    if (c < 0x800) n += 1;
    else if (c >= 0xd800 && c <= 0xdbff) {
      const next = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
      // A pair is four bytes in two code units; a lone high surrogate prints as U+FFFD.
      if (next >= 0xdc00 && next <= 0xdfff) (n += 2, i++);
      else n += 2;
    } else if (c >= 0xdc80 && c <= 0xdcff) continue;
    else n += 2;
  }
  return n;
}

/** The bytes of a Go string. */
export function toBytes(text: string): Uint8Array {
  if (!ESCAPED.test(text)) return encoder.encode(text);
  if (text.isWellFormed()) return encoder.encode(text);
  const out: number[] = [];
  for (const char of text) {
    const c = char.codePointAt(0)!;
    if (c >= 0xdc80 && c <= 0xdcff) out.push(c - 0xdc00);
    else for (const byte of encoder.encode(char)) out.push(byte);
  }
  return Uint8Array.from(out);
}

/** Length in bytes of the valid UTF-8 sequence at `i`, or 0 where there is none. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const b = bytes[i];
  if (b < 0x80) return 1;
  const n = b >= 0xc2 && b <= 0xdf
    ? 2
    : b >= 0xe0 && b <= 0xef
    ? 3
    : b >= 0xf0 && b <= 0xf4
    ? 4
    : 0;
  if (n === 0 || i + n > bytes.length) return 0;
  // Overlong forms, surrogates and code points past U+10FFFF show in the second byte.
  const low = b === 0xe0 ? 0xa0 : b === 0xf0 ? 0x90 : 0x80;
  const high = b === 0xed ? 0x9f : b === 0xf4 ? 0x8f : 0xbf;
  if (bytes[i + 1] < low || bytes[i + 1] > high) return 0;
  for (let k = 2; k < n; k++) if ((bytes[i + k] & 0xc0) !== 0x80) return 0;
  return n;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The string of some bytes, invalid ones escaped. */
export function fromBytes(bytes: Uint8Array): string {
  let valid = true;
  for (let i = 0; i < bytes.length;) {
    const n = sequenceLength(bytes, i);
    if (n === 0) {
      valid = false;
      break;
    }
    i += n;
  }
  if (valid) return decoder.decode(bytes);
  let out = "";
  for (let i = 0; i < bytes.length;) {
    const n = sequenceLength(bytes, i);
    if (n === 0) {
      out += String.fromCharCode(0xdc00 + bytes[i]);
      i++;
    } else {
      out += decoder.decode(bytes.subarray(i, i + n));
      i += n;
    }
  }
  return out;
}

/** Bytes `from` to `to` of a string, as Go's `s[from:to]`. */
export function sliceBytes(text: string, from: number, to?: number): string {
  if (isAscii(text)) return text.slice(from, to);
  return fromBytes(toBytes(text).subarray(from, to));
}

// deno-lint-ignore no-control-regex -- every ASCII character, controls included
const ASCII = /^[\x00-\x7f]*$/;

/** Whether bytes and code units are the same thing in this text. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Compares by bytes, as Go compares strings (JavaScript compares UTF-16 units). */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x < 0xd800 && y < 0xd800) return x < y ? -1 : 1;
    return compareBytes(toBytes(a), toBytes(b));
  }
  return a.length < b.length ? -1 : 1;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return Math.sign(a.length - b.length);
}
