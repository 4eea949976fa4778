/** A host for sprig whose answers never change, except for keys and other randomness. */
import type { SprigHost } from "../../lib/go/sprig/mod.ts";
import { createCrypto } from "../../lib/host/crypto.ts";

/** 2026-01-02T03:04:05Z in UTC, no environment, no network. */
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
