/** Decodes base64 like Go's `base64.StdEncoding`, which skips newlines and ignores trailing bits. */

import { FunctionError } from "./value.ts";

const DIGITS = new Int8Array(256).fill(-1);
for (let i = 0; i < 64; i++) {
  DIGITS["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(i)] = i;
}
const PAD = 0x3d;

/** Decodes base64. Throws a {@link FunctionError} with Go's text and offset. */
export function decodeBase64(input: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.floor(input.length / 4) * 3 + 3);
  let length = 0;
  let at = 0;
  const skipNewlines = () => {
    while (input[at] === 0x0a || input[at] === 0x0d) at++;
  };
  for (;;) {
    let group = 0;
    let digits = 0;
    let end = false;
    while (digits < 4 && !end) {
      skipNewlines();
      if (at >= input.length) {
        if (digits === 0) return out.subarray(0, length);
        // Go subtracts only the digits, even if newlines follow them.
        throw corrupt(input.length - digits);
      }
      const digit = DIGITS[input[at]];
      if (digit >= 0) {
        group = group << 6 | digit;
        digits++;
        at++;
        continue;
      }
      if (input[at] !== PAD || digits < 2) throw corrupt(at);
      at++;
      if (digits === 2) {
        skipNewlines();
        if (at >= input.length) throw corrupt(input.length);
        if (input[at] !== PAD) throw corrupt(at - 1);
        at++;
      }
      skipNewlines();
      if (at < input.length) throw corrupt(at);
      end = true;
    }
    group <<= 6 * (4 - digits);
    out[length++] = group >> 16 & 0xff;
    if (digits > 2) out[length++] = group >> 8 & 0xff;
    if (digits > 3) out[length++] = group & 0xff;
    if (end) return out.subarray(0, length);
  }
}

function corrupt(at: number): FunctionError {
  return new FunctionError(`illegal base64 data at input byte ${at}`);
}
