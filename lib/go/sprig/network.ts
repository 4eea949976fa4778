/** Sprig's look at the network: refused unless the host brings a resolver. */

import { FunctionError, type FunctionMap, goFunction } from "../value.ts";
import type { SprigHost } from "./_host.ts";
import { randomBelow } from "./_random.ts";

export function networkFunctions(
  host: Pick<SprigHost, "lookupHost" | "randomBytes">,
): FunctionMap {
  return {
    getHostByName: goFunction("string", (name: string) => {
      if (!host.lookupHost) {
        throw new FunctionError("looking up hosts is not allowed in templates");
      }
      const addresses = host.lookupHost(name);
      // Go panics on an unknown host, since it picks one of no addresses.
      if (addresses.length === 0) throw new FunctionError("invalid argument to Intn");
      return addresses[randomBelow(host, addresses.length)];
    }),
  };
}
