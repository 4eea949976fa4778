import { describe } from "bun:test";
import { countingBytes, table } from "./_host_table.ts";

describe("getHostByName is off unless the host brings a resolver", () => {
  table([[`{{ getHostByName "h" }}`, "ERROR looking up hosts is not allowed in templates"]]);
});

describe("getHostByName picks one of the resolver's addresses", () => {
  const lookupHost = (name: string) => name === "h" ? ["10.0.0.1", "10.0.0.2"] : [];
  table([
    [`{{ getHostByName "h" }}`, "10.0.0.1"],
    [`{{ getHostByName "other" }}`, "ERROR invalid argument to Intn"],
  ], { host: { lookupHost, randomBytes: countingBytes() } });
});
