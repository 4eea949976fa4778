/** The parts of the machine that templates may use: clock, randomness, keys, and chosen variables. */

import { createCrypto } from "./crypto.ts";
import type { Host } from "./mod.ts";

/** Returns the `SprigHost` that `lib/go/sprig` requires. */
export function createSprigHost(
  host: Host,
  { env }: { env: (name: string) => string | undefined },
) {
  return {
    ...createCrypto(),
    // The host's clock counts milliseconds; sprig's dates print seconds at most.
    now: () => BigInt(host.now()) * 1_000_000n,
    localZone: "UTC",
    randomBytes: (count: number) => host.randomBytes(count),
    env,
  };
}
