import { describe } from "bun:test";
import { countingBytes } from "../_sprig_host.ts";
import { table } from "./_host_table.ts";

describe("getHostByName fails if the host has no resolver", () => {
  table([[`{{ getHostByName "h" }}`, "ERROR templates are not allowed to look up hosts"]]);
});

describe("getHostByName returns one of the addresses of a host", () => {
  const lookupHost = (name: string) => name === "h" ? ["10.0.0.1", "10.0.0.2"] : [];
  table([
    [`{{ getHostByName "h" }}`, "10.0.0.1"],
    [`{{ getHostByName "other" }}`, "ERROR invalid argument to Intn"],
  ], { host: { lookupHost, randomBytes: countingBytes() } });
});
