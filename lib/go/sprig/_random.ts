/** Random integers from random bytes. */

import type { SprigHost } from "./_host.ts";

/** Returns a uniformly distributed integer from 0 up to but not including `limit`. */
export function randomBelow(host: Pick<SprigHost, "randomBytes">, limit: number): number {
  if (limit <= 1) return 0;
  const bytes = Math.ceil(Math.log2(limit) / 8);
  const range = 1n << BigInt(8 * bytes);
  const size = BigInt(Math.floor(limit));
  // Draw again for the last, incomplete run of values, which would favour small numbers.
  const fair = range - range % size;
  for (;;) {
    let value = 0n;
    for (const byte of host.randomBytes(bytes)) value = value << 8n | BigInt(byte);
    if (value < fair) return Number(value % size);
  }
}
