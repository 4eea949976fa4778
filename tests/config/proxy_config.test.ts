import { describe, expect, test } from "bun:test";
import { parseMeshConfig } from "../../lib/config/mesh_config.ts";
import {
  applyProxyConfig,
  defaultProxyConfig,
  effectiveProxyConfig,
  mergeProxyConfig,
  readProxyConfigResources,
} from "../../lib/config/proxy_config.ts";
import { isFrozen, outcome } from "./_outcome.ts";

/** Returns what a merge changed in its base: new values, or `undefined` for removed ones. */
function changes(base: Record<string, unknown>, merged: Record<string, unknown>) {
  const keys = new Set([...Object.keys(base), ...Object.keys(merged)]);
  return Object.fromEntries(
    [...keys].filter((key) => JSON.stringify(base[key]) !== JSON.stringify(merged[key]))
      .map((key) => [key, merged[key]]),
  );
}

describe("mergeProxyConfig()", () => {
  const rows: [behaviour: string, base: string, overlay: string, want: Record<string, unknown>][] =
    [
      ["changes nothing for an empty text", "", "", {}],
      ["sets fields", "", "concurrency: 2\ndrainDuration: 1m", {
        concurrency: 2,
        drainDuration: "60s",
      }],
      ["reads JSON", "", '{"statusPort": "15021"}', { statusPort: 15021 }],
      [
        "lets explicit zeros override",
        "interceptionMode: TPROXY",
        "interceptionMode: REDIRECT\nstatusPort: 0",
        {
          interceptionMode: undefined,
          statusPort: undefined,
        },
      ],
      ["keeps wrapped zeros", "", "concurrency: 0\nholdApplicationUntilProxyStarts: false", {
        concurrency: 0,
        holdApplicationUntilProxyStarts: false,
      }],
      ["leaves what is null", "concurrency: 2", "concurrency: null\nstatusPort: ~", {}],
      ["prefers camelCase", "", "status_port: 1\nstatusPort: 2", { statusPort: 2 }],
      ["prefers camelCase even if it is null", "", "status_port: 1\nstatusPort: null", {}],
      ["ignores unknown fields", "", "unknown: 1\nconstructor: {}\n__proto__: {statusPort: 1}", {}],
      [
        "replaces messages wholly",
        "tracing: {sampling: 5, maxPathTagLength: 3}",
        "tracing: {sampling: 6}",
        {
          tracing: { sampling: 6 },
        },
      ],
      ["replaces lists wholly", "extraStatTags: [a, b]", "extraStatTags: [c]", {
        extraStatTags: ["c"],
      }],
      ["empties lists", "extraStatTags: [a, b]", "extraStatTags: []", { extraStatTags: undefined }],
      ["sets one of two", "", "tracingServiceName: CANONICAL_NAME_ONLY", {
        serviceCluster: undefined,
        tracingServiceName: "CANONICAL_NAME_ONLY",
      }],
      ["sets one of two back", "tracingServiceName: CANONICAL_NAME_ONLY", "serviceCluster: x", {
        serviceCluster: "x",
        tracingServiceName: undefined,
      }],
      ["adds to proxyMetadata", "proxyMetadata: {A: a, B: b}", "proxyMetadata: {B: null, C: c}", {
        proxyMetadata: { A: "a", B: "", C: "c" },
      }],
      ["keeps proxyMetadata over an empty map", "proxyMetadata: {A: a}", "proxyMetadata: {}", {}],
      [
        "keeps some of proxyHeaders",
        "proxyHeaders: {server: {value: s}, attemptCount: {disabled: true}, perserve: 1, preserveHttp1HeaderCase: true}",
        "proxyHeaders: {server: {disabled: true}}",
        { proxyHeaders: { server: { disabled: true }, attemptCount: { disabled: true } } },
      ],
    ];
  for (const [behaviour, base, overlay, want] of rows) {
    test(behaviour, () => {
      const before = mergeProxyConfig(defaultProxyConfig(), base);
      const merged = mergeProxyConfig(before, overlay);
      expect(changes(before, merged)).toEqual(want);
      expect(isFrozen(merged)).toBe(true);
    });
  }

  const refused: [text: string, want: string][] = [
    ["foo", "json: cannot unmarshal string into Go value of type map[string]json.RawMessage"],
    ["statusPort: 1.5", "json: cannot unmarshal number 1.5 into Go value of type int32"],
    [
      "statusPort: 9007199254740993",
      "json: cannot unmarshal number 9007199254740993 into Go value of type int32",
    ],
    ["drainDuration: 5", "json: cannot unmarshal number into Go value of type string"],
    ["drainDuration: 5x", 'bad Duration: time: unknown unit "x" in duration "5x"'],
    [
      "interceptionMode: BOGUS",
      'unknown value "\\"BOGUS\\"" for enum istio.mesh.v1alpha1.ProxyConfig.InboundInterceptionMode',
    ],
    ["bad: [", "yaml: line 1: did not find expected node content"],
  ];
  for (const [text, want] of refused) {
    test(`refuses ${text}`, () => {
      expect(outcome(() => mergeProxyConfig(defaultProxyConfig(), text)))
        .toBe(`error: could not parse proxy config: ${want}`);
    });
  }
});

describe("applyProxyConfig()", () => {
  test("merges the annotation into the mesh's defaultConfig, including zeros", () => {
    const mesh = parseMeshConfig("defaultConfig: {concurrency: 2}");
    const applied = applyProxyConfig(mesh, "concurrency: 0\nstatusPort: 0");
    expect(applied.defaultConfig.concurrency).toBe(0);
    expect(applied.defaultConfig.statusPort).toBeUndefined();
    expect(applied.rootNamespace).toBe("istio-system");
    expect(mesh.defaultConfig.concurrency).toBe(2);
  });
});

describe("effectiveProxyConfig()", () => {
  const mesh = parseMeshConfig(
    "defaultConfig: {interceptionMode: TPROXY, concurrency: 1, proxyMetadata: {A: mesh, B: mesh}}",
  );
  const resource = (namespace: string, created: number, spec: unknown) => ({
    metadata: {
      name: `c${created}`,
      namespace,
      creationTimestamp: new Date(created * 1000).toISOString(),
    },
    spec,
  });
  const resources = readProxyConfigResources([
    resource("istio-system", 2, { concurrency: 9 }),
    resource("istio-system", 1, { environmentVariables: { R: "root" } }),
    resource("a", 3, { concurrency: 3, selector: {} }),
    resource("a", 4, { concurrency: 4 }),
    resource("a", 5, {
      selector: { matchLabels: { app: "x" } },
      concurrency: 5,
      image: { imageType: "debug" },
    }),
  ]);
  const metadata = { A: "mesh", B: "mesh", R: "root" };
  const rows: [behaviour: string, options: object, want: Record<string, unknown>][] = [
    ["takes the mesh's", { namespace: "b", resources: [] }, {
      proxyMetadata: { A: "mesh", B: "mesh" },
    }],
    ["takes the oldest of the root namespace", { namespace: "b" }, {}],
    ["takes that of the pod's namespace", { namespace: "a" }, { concurrency: 4 }],
    ["takes the one that selects the pod", { namespace: "a", labels: { app: "x", b: "" } }, {
      concurrency: 5,
      image: { imageType: "debug" },
    }],
    [
      "puts the annotation between",
      {
        namespace: "a",
        labels: { app: "x" },
        annotation: "concurrency: 7\nimage: {}\nstatusPort: 1",
      },
      { concurrency: 5, image: { imageType: "debug" }, statusPort: 1 },
    ],
    ["lets no zero override", {
      namespace: "b",
      annotation: "interceptionMode: REDIRECT\nstatusPort: 0",
    }, {}],
    ["lets wrapped zeros override", { namespace: "b", annotation: "concurrency: 0" }, {
      concurrency: 0,
    }],
    [
      "ignores an annotation that cannot be read",
      { namespace: "b", annotation: "statusPort: x" },
      {},
    ],
    ["adds up proxyMetadata", { namespace: "b", annotation: "proxyMetadata: {B: pod}" }, {
      proxyMetadata: { ...metadata, B: "pod" },
    }],
  ];
  for (const [behaviour, options, want] of rows) {
    test(behaviour, () => {
      const effective = effectiveProxyConfig(mesh, { namespace: "", resources, ...options });
      expect(effective).toEqual({
        ...defaultProxyConfig(),
        interceptionMode: "TPROXY",
        concurrency: 1,
        proxyMetadata: metadata,
        ...want,
      });
      expect(isFrozen(effective)).toBe(true);
    });
  }
});
