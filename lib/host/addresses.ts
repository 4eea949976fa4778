/** The network addresses of this machine. */

import { networkInterfaces } from "node:os";

/** Returns the first address that other machines can reach, IPv4 before IPv6, or else loopback. */
export function outwardAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
  const found = all.find(({ family }) => family === "IPv4") ?? all[0];
  return found?.address ?? "127.0.0.1";
}
