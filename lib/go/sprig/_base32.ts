/** Go's `base32.StdEncoding`: padded and upper case. Decoding ignores newlines. */

import { FunctionError } from "../value.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const DIGITS = new Int8Array(256).fill(-1);
for (let i = 0; i < 32; i++) DIGITS[ALPHABET.charCodeAt(i)] = i;
const PAD = 0x3d;

/** Encodes bytes as base32. */
export function encodeBase32(bytes: Uint8Array): string {
  let out = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = held << 8 | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += ALPHABET[held >> bits & 31];
    }
    held &= (1 << bits) - 1;
  }
  if (bits > 0) out += ALPHABET[held << (5 - bits) & 31];
  return out.padEnd(Math.ceil(out.length / 8) * 8, "=");
}

/** Decodes base32. Throws a {@link FunctionError} with Go's text and offset. */
export function decodeBase32(text: Uint8Array): Uint8Array {
  const input = text.filter((byte) => byte !== 0x0a && byte !== 0x0d);
  const out: number[] = [];
  for (let at = 0; at < input.length;) {
    const { digits, next, last } = readGroup(input, at);
    let held = 0;
    let bits = 0;
    for (const digit of digits) {
      held = held << 5 | digit;
      bits += 5;
      if (bits < 8) continue;
      bits -= 8;
      out.push(held >> bits & 0xff);
      held &= (1 << bits) - 1;
    }
    if (last) break;
    at = next;
  }
  return Uint8Array.from(out);
}

/** Reads a group of eight digits, or the last group, which is padded. */
function readGroup(input: Uint8Array, start: number) {
  const digits: number[] = [];
  let at = start;
  while (digits.length < 8) {
    if (at >= input.length) throw corrupt(input.length - digits.length);
    const rest = input.length - at - 1;
    // Padding is only valid near the end; elsewhere it is an invalid digit.
    if (input[at] === PAD && digits.length >= 2 && rest < 8) {
      const missing = 7 - digits.length;
      if (rest < missing) throw corrupt(input.length);
      for (let k = 0; k < missing; k++) {
        if (input[at + 1 + k] !== PAD) throw corrupt(at + k);
      }
      if (digits.length === 3 || digits.length === 6) throw corrupt(at);
      return { digits, next: at, last: true };
    }
    const digit = DIGITS[input[at]];
    if (digit < 0) throw corrupt(at);
    digits.push(digit);
    at++;
  }
  return { digits, next: at, last: false };
}

function corrupt(at: number): FunctionError {
  return new FunctionError(`illegal base32 data at input byte ${at}`);
}
