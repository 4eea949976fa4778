/** Sprig's random functions, which use the random bytes of the host. */

import { FunctionError, type FunctionMap, goFunction, int } from "../value.ts";
import type { SprigHost } from "./_host.ts";
import { checkTextBytes } from "./_limits.ts";
import { randomBelow } from "./_random.ts";

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LETTERS = UPPER + UPPER.toLowerCase();
const DIGITS = "0123456789";
/** The printable ASCII characters, from space to tilde. */
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
      return host.randomBytes(count).toBase64();
    }),
    randInt: goFunction("int, int", (min: number, max: number) => {
      if (max <= min) throw new FunctionError("invalid argument to Intn");
      return int(BigInt(min) + BigInt(randomBelow(host, max - min)));
    }),
    uuidv4: goFunction("", () => uuid(host.randomBytes(16))),
  };
}

/** Returns random characters of an alphabet, none for a negative count. */
function randomText(host: RandomHost, alphabet: string, count: number): string {
  if (count <= 0) return "";
  checkTextBytes(count);
  // Skip bytes of the last, incomplete run through the alphabet, which would favour its start.
  const fair = 256 - 256 % alphabet.length;
  let out = "";
  while (out.length < count) {
    for (const byte of host.randomBytes(Math.min(count - out.length, 65536))) {
      if (byte < fair) out += alphabet[byte % alphabet.length];
    }
  }
  return out;
}

/** Returns the UUID of RFC 9562, version 4, for random bytes. */
function uuid(random: Uint8Array): string {
  const bytes = Uint8Array.from(random);
  bytes[6] = bytes[6] & 0x0f | 0x40;
  bytes[8] = bytes[8] & 0x3f | 0x80;
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
