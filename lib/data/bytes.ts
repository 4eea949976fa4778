/**
 * Go strings, which are bytes, as JavaScript strings. A byte that is not part of valid UTF-8 is
 * kept as a lone surrogate U+DC80…U+DCFF (for byte 0x80…0xFF), which valid text never contains. So
 * every Go string has exactly one JavaScript form, and ordinary text is unchanged.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the number of bytes in a string, as Go's `len` does. */
export function byteLength(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x80) continue;
    if (c < 0x800) n += 1;
    else if (c >= 0xd800 && c <= 0xdbff) {
      const next = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
      // A surrogate pair encodes to four bytes; a lone high surrogate is written as U+FFFD.
      if (next >= 0xdc00 && next <= 0xdfff) (n += 2, i++);
      else n += 2;
    } else if (c >= 0xdc80 && c <= 0xdcff) continue;
    else n += 2;
  }
  return n;
}

/** Returns the bytes of a Go string. */
export function toBytes(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const out: number[] = [];
  for (const char of text) {
    const c = char.codePointAt(0)!;
    if (c >= 0xdc80 && c <= 0xdcff) out.push(c - 0xdc00);
    else for (const byte of encoder.encode(char)) out.push(byte);
  }
  return Uint8Array.from(out);
}

/** Returns the length of the valid UTF-8 sequence at `i`, or 0 if there is none. */
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
  // The second byte tells overlong forms, surrogates and code points above U+10FFFF.
  const low = b === 0xe0 ? 0xa0 : b === 0xf0 ? 0x90 : 0x80;
  const high = b === 0xed ? 0x9f : b === 0xf4 ? 0x8f : 0xbf;
  if (bytes[i + 1] < low || bytes[i + 1] > high) return 0;
  for (let k = 2; k < n; k++) if ((bytes[i + k] & 0xc0) !== 0x80) return 0;
  return n;
}

/** Returns the Go string that bytes stand for, with invalid bytes escaped. */
export function fromBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    // Not valid UTF-8 as a whole: take it sequence by sequence.
  }
  let out = "";
  for (let i = 0; i < bytes.length;) {
    const n = sequenceLength(bytes, i);
    if (n === 0) out += String.fromCharCode(0xdc00 + bytes[i]);
    else out += decoder.decode(bytes.subarray(i, i + n));
    i += n || 1;
  }
  return out;
}

/**
 * Returns a string whose escaped bytes are decoded where they now form valid UTF-8, as two halves
 * of a character do once they are joined.
 */
export function canonical(text: string): string {
  return text.isWellFormed() ? text : fromBytes(toBytes(text));
}

/** Returns the binary string of a Go string: one character U+0000…U+00FF for each byte. */
export function toBinary(text: string): string {
  if (isAscii(text)) return text;
  const bytes = toBytes(text);
  let out = "";
  // In chunks, because the arguments of one call are on the stack.
  for (let i = 0; i < bytes.length; i += 8192) {
    out += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return out;
}

/** Returns the Go string that a binary string stands for. */
export function fromBinary(binary: string): string {
  if (isAscii(binary)) return binary;
  return fromBytes(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}

/** Returns bytes `from` to `to` of a string, as Go's `s[from:to]` does. */
export function sliceBytes(text: string, from: number, to?: number): string {
  if (isAscii(text)) return text.slice(from, to);
  return fromBytes(toBytes(text).subarray(from, to));
}

// deno-lint-ignore no-control-regex -- ASCII includes the control characters
const ASCII = /^[\x00-\x7f]*$/;

/** Reports whether a string is ASCII, so that its bytes and code units are the same. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Compares strings byte by byte, as Go does; JavaScript compares UTF-16 code units. */
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
