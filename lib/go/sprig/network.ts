/** Sprig's `getHostByName`, which fails unless the host provides a resolver. */

import { FunctionError, type FunctionMap, goFunction } from "../value.ts";
import type { SprigHost } from "./_host.ts";
import { randomBelow } from "./_random.ts";

export function networkFunctions(
  host: Pick<SprigHost, "lookupHost" | "randomBytes">,
): FunctionMap {
  return {
    getHostByName: goFunction("string", (name: string) => {
      if (!host.lookupHost) {
        throw new FunctionError("templates are not allowed to look up hosts");
      }
      const addresses = host.lookupHost(name);
      // Sprig picks a random address, which panics if there is none.
      if (addresses.length === 0) throw new FunctionError("invalid argument to Intn");
      return addresses[randomBelow(host, addresses.length)];
    }),
  };
}
