/** What templates may see of the machine: its clock, randomness and keys, and chosen variables. */

import type { SprigHost } from "../go/sprig/mod.ts";
import { createCrypto } from "../host/crypto.ts";
import type { Host } from "../host/mod.ts";

export function createSprigHost(
  host: Host,
  { env }: { env: (name: string) => string | undefined },
): SprigHost {
  return {
    ...createCrypto(),
    // The host's clock counts milliseconds; sprig's dates print seconds at most.
    now: () => BigInt(host.now()) * 1_000_000n,
    localZone: "UTC",
    randomBytes: (count) => host.randomBytes(count),
    env,
  };
}
