/** Generates DSA keys of 2048 and 256 bits according to FIPS 186, because runtimes no longer do. */

import { bytesToBigint } from "./_der.ts";
import type { SprigHost } from "./_host.ts";

const P_BITS = 2048n;
const Q_BITS = 256n;

export interface DsaKey {
  readonly p: bigint;
  readonly q: bigint;
  readonly g: bigint;
  readonly y: bigint;
  readonly x: bigint;
}

type DsaHost = Pick<SprigHost, "randomBytes" | "isPrime">;

/** Generates a key. It takes a second or two, most of it to find a prime of 2048 bits. */
export function generateDsaKey(host: DsaHost): DsaKey {
  for (;;) {
    const q = randomNumber(host, Q_BITS) | 1n;
    if (!host.isPrime(q)) continue;
    // About one in 700 odd numbers of this size is prime. After too many tries, start over with
    // another q.
    for (let tries = 0; tries < 4 * Number(P_BITS); tries++) {
      const start = randomNumber(host, P_BITS);
      const p = start - start % (2n * q) + 1n;
      if (p >> (P_BITS - 1n) !== 1n || !host.isPrime(p)) continue;
      const g = generator(p, q);
      const x = randomNumber(host, Q_BITS + 64n) % (q - 1n) + 1n;
      return { p, q, g, y: power(g, x, p), x };
    }
  }
}

/** Returns a random number of exactly `bits` bits. */
function randomNumber(host: DsaHost, bits: bigint): bigint {
  return bytesToBigint(host.randomBytes(Number(bits / 8n))) | 1n << (bits - 1n);
}

/** Returns a generator of order q, from the smallest base that gives one. */
function generator(p: bigint, q: bigint): bigint {
  for (let base = 2n;; base++) {
    const g = power(base, (p - 1n) / q, p);
    if (g !== 1n) return g;
  }
}

/** Returns `base ** exponent % modulus`. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = result * square % modulus;
    square = square * square % modulus;
  }
  return result;
}
