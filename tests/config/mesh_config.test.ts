import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parseInjectionConfig } from "../../lib/config/injection_config.ts";
import { defaultMeshConfig, parseMeshConfig } from "../../lib/config/mesh_config.ts";
import { MESH_SCHEMA } from "../../lib/config/mesh_schema.ts";
import { decodeProtoJson } from "../../lib/config/proto_json.ts";
import { parseValues } from "../../lib/config/values.ts";
import { isFrozen, outcome } from "./_outcome.ts";
import { SHARED, withShared } from "../_shared.ts";

describe("defaultMeshConfig()", () => {
  test("is canonical and valid", () => {
    const mesh = defaultMeshConfig();
    expect(decodeProtoJson(MESH_SCHEMA.meshConfig, mesh)).toEqual(mesh);
    expect(parseMeshConfig("")).toEqual(mesh);
    expect(parseMeshConfig("null")).toEqual(mesh);
  });
});

describe("parseMeshConfig()", () => {
  const providers = defaultMeshConfig().extensionProviders as object[];
  const rows: [behaviour: string, text: string, want: Record<string, unknown>][] = [
    ["replaces fields", "rootNamespace: x\nconnectTimeout: 1m", {
      rootNamespace: "x",
      connectTimeout: "60s",
    }],
    ["reads snake_case", "root_namespace: x", { rootNamespace: "x" }],
    ["takes zeros for what they are", "enableTracing: false", { enableTracing: undefined }],
    ["keeps wrapped zeros", "enableAutoMtls: false", { enableAutoMtls: false }],
    ["replaces lists and messages wholly", "localityLbSetting: {}\ndefaultServiceExportTo: [.]", {
      localityLbSetting: {},
      defaultServiceExportTo: ["."],
    }],
    ["leaves what is null", "rootNamespace: null\ndefaultConfig: null", {
      rootNamespace: "istio-system",
    }],
    ["merges defaultConfig", "defaultConfig: {concurrency: 2, proxyMetadata: {A: b}}", {
      defaultConfig: {
        ...defaultMeshConfig().defaultConfig,
        concurrency: 2,
        proxyMetadata: { A: "b" },
      },
    }],
    ["forgets default_config", "default_config: {concurrency: 2}", {
      defaultConfig: defaultMeshConfig().defaultConfig,
    }],
    ["merges defaultProviders by field", "defaultProviders: {metrics: [a]}", {
      defaultProviders: { metrics: ["a"] },
    }],
    [
      "replaces extension providers by name, in place",
      "extensionProviders: [{name: q, zipkin: {}}, {name: prometheus, zipkin: {port: 1}}]",
      {
        extensionProviders: [
          { name: "prometheus", zipkin: { port: 1 } },
          ...providers.slice(1),
          { name: "q", zipkin: {} },
        ],
      },
    ],
    ["keeps extension providers over an empty list", "extensionProviders: []", {
      extensionProviders: providers,
    }],
    ["sorts trust domain aliases", "trustDomainAliases: [b, a, b]", {
      trustDomainAliases: ["a", "b"],
    }],
    ["ignores unknown fields", "unknown: {a: [1]}\n__proto__: {rootNamespace: x}", {
      rootNamespace: "istio-system",
    }],
  ];
  for (const [behaviour, text, want] of rows) {
    test(behaviour, () => {
      const { ...mesh } = parseMeshConfig(text);
      for (const key of Object.keys(want)) expect(mesh[key]).toEqual(want[key]);
    });
  }

  test("merges into a base without changing it", () => {
    const base = parseMeshConfig(
      "trustDomainAliases: [b]\ndefaultProviders: {metrics: [a]}\ndefaultConfig: {proxyMetadata: {A: a}}",
    );
    const mesh = parseMeshConfig(
      "trustDomainAliases: [a]\ndefaultProviders: {tracing: [t]}\ndefaultConfig: {proxyMetadata: {B: b}}",
      base,
    );
    expect(mesh.trustDomainAliases).toEqual(["a", "b"]);
    expect(mesh.defaultProviders).toEqual({ metrics: ["a"], tracing: ["t"] });
    expect(mesh.defaultConfig.proxyMetadata).toEqual({ A: "a", B: "b" });
    expect(base.defaultConfig.proxyMetadata).toEqual({ A: "a" });
  });

  test("returns a frozen value", () => {
    const text = "defaultConfig: {tracing: {customTags: {a: {literal: {value: x}}}}}";
    expect(isFrozen(parseMeshConfig(text))).toBe(true);
    expect(isFrozen(defaultMeshConfig())).toBe(true);
  });
});

describe("parseMeshConfig() refuses", () => {
  const proto = "failed to convert to proto. json: cannot unmarshal";
  const many = (...messages: string[]) =>
    `${messages.length} error${messages.length === 1 ? "" : "s"} occurred:\n\t* ${
      messages.join("\n\t* ")
    }\n\n`;
  const rows: [text: string, want: string][] = [
    ["5", `${proto} number into Go value of type map[string]json.RawMessage`],
    ["rootNamespace: 5", `${proto} number into Go value of type string`],
    [
      "defaultConfig: {statusPort: x}",
      "failed to convert to proto. invalid character 'x' looking for beginning of value",
    ],
    ["default_config: {proxyMetadata: {A: 5}}", `${proto} number into Go value of type string`],
    ["a: {b", "failed to convert to proto. yaml: line 1: did not find expected ',' or '}'"],
    [
      "proxyListenPort: 0",
      "invalid proxy listen port: port number 0 must be in the range 1..65535",
    ],
    ["connectTimeout: 0s", "invalid connect timeout: duration must be greater than 1ms"],
    ["connectTimeout: 2h", "invalid connect timeout: time 2h0m0s must be >1ms and <1h0m0s"],
    [
      "connectTimeout: 1.0001s",
      "invalid connect timeout: only durations to ms precision are supported",
    ],
    [
      "protocolDetectionTimeout: 1us",
      "invalid protocol detection timeout: only durations to ms precision are supported",
    ],
    ["trustDomain: ''", many("trustDomain: empty domain name not allowed")],
    [
      "trustDomainAliases: [a_b, c]",
      many('trustDomainAliases[0], domain `a_b` : trust domain name "a_b" invalid'),
    ],
    [
      "proxyListenPort: -1\nconnectTimeout: 1us",
      many(
        "invalid proxy listen port: port number -1 must be in the range 1..65535",
        "invalid connect timeout: duration must be greater than 1ms",
      ),
    ],
    [
      "meshMTLS: {ecdhCurves: [P-256]}",
      many("mesh TLS does not support ECDH curves configuration"),
    ],
    [
      "serviceSettings: [{hosts: ['*.a', a*, '', a.5]}]",
      many(
        'serviceSettings[0], host `a*`: domain name "a*" invalid (label "a*" invalid)',
        "serviceSettings[0], host ``: empty domain name not allowed",
        'serviceSettings[0], host `a.5`: domain name "5" invalid (top level domain "5" cannot be all-numeric)',
      ),
    ],
    [
      "localityLbSetting: {distribute: [{from: a, to: {b: 100}}], failover: [{from: a, to: b}]}",
      "can not simultaneously specify 'distribute' and 'failover'",
    ],
    [
      "localityLbSetting: {distribute: [{from: a, to: {b: 50}}]}",
      "total locality weight 50 != 100",
    ],
    [
      "localityLbSetting: {distribute: [{from: a/*, to: {b: 100}}, {from: a/b, to: {b: 100}}]}",
      "locality a/b overlap with previous specified ones",
    ],
    [
      "localityLbSetting: {failover: [{from: a/b, to: a/b}]}",
      many(
        "locality lb failover settings must specify different regions",
        "locality lb failover only specify region",
      ),
    ],
    [
      "zoneAwareLbSetting: {failoverPriority: [topology.kubernetes.io/zone]}",
      "'failover_priority' for zone aware lb must not use topology label " +
      "'topology.kubernetes.io/zone'; region- and zone-level routing are handled automatically",
    ],
    ["defaultTrafficPolicy: {connectionPool: {}}", "connection pool must have at least one field"],
    [
      "defaultTrafficPolicy: {connectionPool: {http: {maxRetries: -1}}, outlierDetection: {minHealthPercent: 101}}",
      many("max retries must be non-negative", "percentage 101 is not in range 0..100"),
    ],
    ["defaultConfig: {configPath: ''}", many("config path must be set")],
  ];
  for (const [text, want] of rows) {
    test(text, () => expect(outcome(() => parseMeshConfig(text))).toBe(`error: ${want}`));
  }
});

withShared("conformance", "settings of all versions can be read", () => {
  const CONFORMANCE = `${SHARED}/conformance`;
  const versions = readdirSync(CONFORMANCE)
    .filter((name) => existsSync(`${CONFORMANCE}/${name}/settings`));
  const readers: [file: string, read: (text: string) => unknown][] = [
    ["mesh.yaml", parseMeshConfig],
    ["values.json", parseValues],
    ["config.yaml", parseInjectionConfig],
  ];
  for (const version of versions) {
    test(`settings of Istio ${version} can be read`, () => {
      const settings = `${CONFORMANCE}/${version}/settings`;
      for (const hash of readdirSync(settings)) {
        for (const [file, read] of readers) {
          const path = `${settings}/${hash}/${file}`;
          if (existsSync(path)) expect(() => read(readFileSync(path, "utf8"))).not.toThrow();
        }
      }
    });
  }
});
