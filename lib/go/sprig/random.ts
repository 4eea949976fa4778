/** Sprig's randomness, out of the host's random bytes. */

import { encodeBase64 } from "../_base64.ts";
import { FunctionError, type FunctionMap, goFunction, int } from "../value.ts";
import type { SprigHost } from "./_host.ts";
import { checkTextBytes } from "./_limits.ts";
import { randomBelow } from "./_random.ts";

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LETTERS = UPPER + UPPER.toLowerCase();
const DIGITS = "0123456789";
/** Space to tilde. */
const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));

type RandomHost = Pick<SprigHost, "randomBytes">;

export function randomFunctions(host: RandomHost): FunctionMap {
  const text = (alphabet: string) =>
    goFunction("int", (count: number) => randomText(host, alphabet, count));
  return {
    randAlpha: text(LETTERS),
    randAlphaNum: text(LETTERS + DIGITS),
    randAscii: text(ASCII),
    randNumeric: text(DIGITS),
    randBytes: goFunction("int", (count: number) => {
      if (count < 0) throw new FunctionError("runtime error: makeslice: len out of range");
      checkTextBytes(count);
      return encodeBase64(host.randomBytes(count));
    }),
    randInt: goFunction("int, int", (min: number, max: number) => {
      if (max <= min) throw new FunctionError("invalid argument to Intn");
      return int(BigInt(min) + BigInt(randomBelow(host, max - min)));
    }),
    uuidv4: goFunction("", () => uuid(host.randomBytes(16))),
  };
}

/** A negative count is an error that sprig drops. */
function randomText(host: RandomHost, alphabet: string, count: number): string {
  if (count <= 0) return "";
  checkTextBytes(count);
  // The last, incomplete run through the alphabet would favour its start: leave those bytes out.
  const fair = 256 - 256 % alphabet.length;
  let out = "";
  while (out.length < count) {
    for (const byte of host.randomBytes(Math.min(count - out.length, 65536))) {
      if (byte < fair) out += alphabet[byte % alphabet.length];
    }
  }
  return out;
}

/** RFC 9562, version 4. */
function uuid(random: Uint8Array): string {
  const bytes = Uint8Array.from(random);
  bytes[6] = bytes[6] & 0x0f | 0x40;
  bytes[8] = bytes[8] & 0x3f | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
