import { describe, expect, test } from "bun:test";
import { MESH_SCHEMA, meshSchema } from "../../lib/config/mesh_schema.ts";
import {
  decodeProtoJson,
  durationText,
  encodeProtoJson,
  ProtoJsonError,
} from "../../lib/config/proto_json.ts";

const { proxyConfig, meshConfig } = MESH_SCHEMA;

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

function roundTrip(message: typeof proxyConfig, value: unknown): string {
  return encodeProtoJson(message, decodeProtoJson(message, deepFreeze(value)));
}

/** The output of Istio's own library for these inputs. */
const PROXY_CONFIGS: [unknown, string][] = [
  [{ drainDuration: "1m30s" }, '{"drainDuration":"90s"}'],
  [{ drainDuration: null, serviceCluster: null, extraStatTags: null }, "{}"],
  [null, "{}"],
  [{ statusPort: "15", concurrency: "3" }, '{"concurrency":3,"statusPort":15}'],
  [{ statusPort: " 5" }, '{"statusPort":5}'],
  [{ statusPort: 0, configPath: "", interceptionMode: "REDIRECT" }, "{}"],
  [{ interceptionMode: 1 }, '{"interceptionMode":"TPROXY"}'],
  [{ interceptionMode: 7 }, '{"interceptionMode":7}'],
  [{ config_path: "snake", configPath: "camel" }, '{"configPath":"camel"}'],
  [{ config_path: "snake" }, '{"configPath":"snake"}'],
  [{ ConfigPath: "upper", unknown: { x: 1 } }, "{}"],
  [
    { serviceCluster: "a", tracingServiceName: "CANONICAL_NAME_ONLY" },
    '{"tracingServiceName":"CANONICAL_NAME_ONLY"}',
  ],
  [{ tracingServiceName: 0 }, '{"tracingServiceName":"APP_LABEL_AND_NAMESPACE"}'],
  [{ serviceCluster: "" }, '{"serviceCluster":""}'],
  [{ proxyMetadata: { B: null, A: "1" } }, '{"proxyMetadata":{"A":"1","B":""}}'],
  [{ proxyMetadata: {}, extraStatTags: [] }, "{}"],
  [{ extraStatTags: ["a", null] }, '{"extraStatTags":["a",""]}'],
  [{ concurrency: 0 }, '{"concurrency":0}'],
  [{ holdApplicationUntilProxyStarts: false }, '{"holdApplicationUntilProxyStarts":false}'],
  [{ tracing: {} }, '{"tracing":{}}'],
  [
    { tracing: { zipkin: { address: "a<b>&c\u2028" } } },
    '{"tracing":{"zipkin":{"address":"a\\u003cb\\u003e\\u0026c\\u2028"}}}',
  ],
  [
    { tracing: { sampling: 0.1, customTags: { b: { literal: { value: "x" } }, a: {} } } },
    '{"tracing":{"customTags":{"a":{},"b":{"literal":{"value":"x"}}},"sampling":0.1}}',
  ],
  [{ tracing: { sampling: "Infinity" } }, '{"tracing":{"sampling":"Infinity"}}'],
  [
    { tracing: { stackdriver: { maxNumberOfAttributes: 5, maxNumberOfAnnotations: "6" } } },
    '{"tracing":{"stackdriver":{"maxNumberOfAttributes":"5","maxNumberOfAnnotations":"6"}}}',
  ],
  [
    { fileFlushInterval: "1.000001s", drainDuration: "-1.5s", terminationDrainDuration: "0s" },
    '{"drainDuration":"-1.500s","terminationDrainDuration":"0s","fileFlushInterval":"1.000001s"}',
  ],
];

const MESH_CONFIGS: [unknown, string][] = [
  [{ extensionProviders: [null, {}] }, '{"extensionProviders":[{},{}]}'],
  [
    { extensionProviders: [{ name: "z", zipkin: { service: "s" }, datadog: { service: "d" } }] },
    '{"extensionProviders":[{"name":"z","datadog":{"service":"d"}}]}',
  ],
  [
    { mesh_mTLS: { minProtocolVersion: "TLSV1_3" }, h2_upgrade_policy: "UPGRADE" },
    '{"h2UpgradePolicy":"UPGRADE","meshMTLS":{"minProtocolVersion":"TLSV1_3"}}',
  ],
  [
    { localityLbSetting: { distribute: [{ from: "a", to: { b: "50", a: 50 } }] } },
    '{"localityLbSetting":{"distribute":[{"from":"a","to":{"a":50,"b":50}}]}}',
  ],
  [
    {
      extensionProviders: [{ envoyFileAccessLog: { logFormat: { labels: { b: 1, a: [null] } } } }],
    },
    '{"extensionProviders":[{"envoyFileAccessLog":{"logFormat":{"labels":{"a":[null],"b":1}}}}]}',
  ],
];

const ERRORS: [unknown, string][] = [
  [{ drainDuration: "bad" }, 'bad Duration: time: invalid duration "bad"'],
  [{ drainDuration: 5 }, "json: cannot unmarshal number into Go value of type string"],
  [{ statusPort: "x" }, "invalid character 'x' looking for beginning of value"],
  [{ statusPort: "" }, "unexpected end of JSON input"],
  [{ statusPort: 1.5 }, "json: cannot unmarshal number 1.5 into Go value of type int32"],
  [
    { statusPort: 3000000000 },
    "json: cannot unmarshal number 3000000000 into Go value of type int32",
  ],
  [{ statusPort: "1e3" }, "json: cannot unmarshal number 1e3 into Go value of type int32"],
  [{ statusPort: [1] }, "json: cannot unmarshal array into Go value of type int32"],
  [{ statusPort: '"q"' }, "invalid character '\\\\' looking for beginning of value"],
  [{ fileFlushMinSizeKb: -1 }, "json: cannot unmarshal number -1 into Go value of type uint32"],
  [
    { interceptionMode: "BAD" },
    'unknown value "\\"BAD\\"" for enum istio.mesh.v1alpha1.ProxyConfig.InboundInterceptionMode',
  ],
  [
    { interceptionMode: true },
    "json: cannot unmarshal bool into Go value of type protoreflect.EnumNumber",
  ],
  [{ configPath: 5 }, "json: cannot unmarshal number into Go value of type string"],
  [{ proxyMetadata: { A: 1 } }, "json: cannot unmarshal number into Go value of type string"],
  [
    { proxyMetadata: [] },
    "json: cannot unmarshal array into Go value of type map[string]json.RawMessage",
  ],
  [{ extraStatTags: "a" }, "json: cannot unmarshal string into Go value of type []json.RawMessage"],
  [{ concurrency: { value: 3 } }, "json: cannot unmarshal object into Go value of type int32"],
  [
    { holdApplicationUntilProxyStarts: "true" },
    "json: cannot unmarshal string into Go value of type bool",
  ],
  [[], "json: cannot unmarshal array into Go value of type map[string]json.RawMessage"],
  [5, "json: cannot unmarshal number into Go value of type map[string]json.RawMessage"],
];

describe("decodeProtoJson() and encodeProtoJson()", () => {
  for (const [given, text] of PROXY_CONFIGS) {
    test(`of ${JSON.stringify(given)}`, () => expect(roundTrip(proxyConfig, given)).toBe(text));
  }
  for (const [given, text] of MESH_CONFIGS) {
    test(`of ${JSON.stringify(given)}`, () => expect(roundTrip(meshConfig, given)).toBe(text));
  }

  test("keep canonical JSON unchanged", () => {
    for (const [given] of PROXY_CONFIGS) {
      const once = decodeProtoJson(proxyConfig, given);
      expect(decodeProtoJson(proxyConfig, once)).toEqual(once);
    }
  });

  for (const [given, message] of ERRORS) {
    test(`refuses ${JSON.stringify(given)}`, () => {
      expect(() => decodeProtoJson(proxyConfig, given)).toThrow(new ProtoJsonError(message));
    });
  }

  test("treats __proto__ and constructor as ordinary keys", () => {
    const given = JSON.parse('{"proxyMetadata":{"__proto__":"a","constructor":"b"}}');
    expect(roundTrip(proxyConfig, given)).toBe(
      '{"proxyMetadata":{"__proto__":"a","constructor":"b"}}',
    );
    expect(decodeProtoJson(proxyConfig, JSON.parse('{"__proto__":{"configPath":"x"}}'))).toEqual(
      {},
    );
  });

  test("omits zeros in non-canonical JSON", () => {
    const text = encodeProtoJson(proxyConfig, {
      interceptionMode: "REDIRECT",
      statusPort: 0,
      meshId: "m",
    });
    expect(text).toBe('{"meshId":"m"}');
  });

  test("keeps empty lists in old versions, like their library", () => {
    const { meshConfig } = meshSchema(6);
    expect(roundTrip(meshConfig, { certificates: [], disablePolicyChecks: true })).toBe(
      '{"disablePolicyChecks":true,"certificates":[]}',
    );
  });
});

describe("durationText()", () => {
  const ROWS: [bigint, string][] = [
    [0n, "0s"],
    [45_000_000_000n, "45s"],
    [3_661_500_000_000n, "3661.500s"],
    [-1_500_000_000n, "-1.500s"],
    [-1n, "-0.000000001s"],
    [1_000n, "0.000001s"],
    [1_000_000_100n, "1.000000100s"],
  ];
  for (const [ns, text] of ROWS) {
    test(`${ns} is ${text}`, () => expect(durationText(ns)).toBe(text));
  }
});
