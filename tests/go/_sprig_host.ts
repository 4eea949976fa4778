/** A host for sprig with fixed answers, except for keys and randomness. */
import type { SprigHost } from "../../lib/go/sprig/mod.ts";
import { createCrypto } from "../../lib/host/crypto.ts";

/** Returns a host at 2026-01-02T03:04:05Z in UTC, without environment and network. */
export function testSprigHost(overrides: Partial<SprigHost> = {}): SprigHost {
  return {
    ...createCrypto(),
    now: () => 1_767_323_045_000_000_000n,
    localZone: "UTC",
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    env: () => undefined,
    ...overrides,
  };
}

/** Returns a source of bytes that count up, for reproducible randomness. */
export function countingBytes(): (count: number) => Uint8Array<ArrayBuffer> {
  let next = 0;
  return (count) => Uint8Array.from({ length: count }, () => next++ & 0xff);
}
