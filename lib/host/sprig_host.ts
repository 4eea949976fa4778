/** What templates may see of the machine: its clock, randomness and keys, and chosen variables. */

import { createCrypto } from "./crypto.ts";
import type { Host } from "./mod.ts";

/** The `SprigHost` that `lib/go/sprig` asks for. */
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
