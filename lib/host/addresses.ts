/** Where others reach this machine. */

import { networkInterfaces } from "node:os";

/** The first address that is not the machine's alone, IPv4 before IPv6; loopback where there is none. */
export function outwardAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
  const found = all.find(({ family }) => family === "IPv4") ?? all[0];
  return found?.address ?? "127.0.0.1";
}
