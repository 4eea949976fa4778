import { describe, expect, test } from "bun:test";
import { deepMerge } from "../../lib/config/_deep_merge.ts";
import { MESH_SCHEMA } from "../../lib/config/mesh_schema.ts";
import type { MessageJson } from "../../lib/config/proto_json.ts";

describe("deepMerge()", () => {
  const rows: [what: string, base: MessageJson, over: MessageJson, merged: MessageJson][] = [
    ["overrides scalars", { statusPort: 1, meshId: "a" }, { statusPort: 2 }, {
      statusPort: 2,
      meshId: "a",
    }],
    [
      "merges messages",
      { tracing: { zipkin: { address: "a" } } },
      { tracing: { sampling: 5 } },
      { tracing: { zipkin: { address: "a" }, sampling: 5 } },
    ],
    [
      "takes one member of a oneof for another",
      { tracing: { zipkin: { address: "a" } } },
      { tracing: { datadog: { address: "b" } } },
      { tracing: { datadog: { address: "b" } } },
    ],
    ["lets lists grow", { extraStatTags: ["a"] }, { extraStatTags: ["a", "b"] }, {
      extraStatTags: ["a", "a", "b"],
    }],
    ["adds maps up", { proxyMetadata: { A: "1", B: "1" } }, { proxyMetadata: { B: "2" } }, {
      proxyMetadata: { A: "1", B: "2" },
    }],
    [
      "takes a wrapper's zero for nothing",
      { holdApplicationUntilProxyStarts: true },
      { holdApplicationUntilProxyStarts: false },
      { holdApplicationUntilProxyStarts: true },
    ],
    ["merges a duration's parts", { drainDuration: "45s" }, { drainDuration: "0.500s" }, {
      drainDuration: "45.500s",
    }],
    ["takes what the base has not", {}, { drainDuration: "0s", concurrency: 0 }, {
      drainDuration: "0s",
      concurrency: 0,
    }],
  ];
  for (const [what, base, over, merged] of rows) {
    test(what, () => {
      const frozen = Object.freeze(base);
      expect(deepMerge(MESH_SCHEMA.proxyConfig, { base: frozen, over })).toEqual(merged);
    });
  }
});
