/**
 * Parses the mesh config as old versions did, over the built-in defaults of the version. Only types are
 * checked: those versions did not validate the mesh config here, and Istio's rules have changed since.
 */
import {
  ConfigError,
  type MeshConfig,
  type MessageJson,
  type ProxyConfig,
} from "../../config/mod.ts";
import { type MeshMessage, type MeshSchema, meshSchema } from "../../config/mesh_schema.ts";
import { decodeProtoJson, ProtoJsonError } from "../../config/proto_json.ts";
import { mergeProxyValue } from "../../config/proxy_config.ts";
import { parseYaml, YamlError } from "../../yaml/mod.ts";
import type { LegacyVersion } from "./compat.ts";

const PROXY: ProxyConfig = {
  configPath: "/etc/istio/proxy",
  binaryPath: "/usr/local/bin/envoy",
  serviceCluster: "istio-proxy",
  drainDuration: "45s",
  parentShutdownDuration: "60s",
  discoveryAddress: "istio-pilot:15010",
  proxyAdminPort: 15000,
  statNameLength: 189,
};

/** Each entry applies over the earlier ones. */
const PROXY_DEFAULTS: readonly (readonly [since: LegacyVersion, ProxyConfig])[] = [
  [1, { connectTimeout: "1s" }],
  [4, { envoyMetricsService: {}, envoyAccessLogService: {} }],
  [6, {
    connectTimeout: undefined,
    configPath: "./etc/istio/proxy",
    discoveryAddress: "istiod.istio-system.svc:15012",
    concurrency: 2,
    statusPort: 15020,
    tracing: { zipkin: { address: "zipkin.istio-system:9411" } },
  }],
  [7, { controlPlaneAuthPolicy: "MUTUAL_TLS", terminationDrainDuration: "5s" }],
];

/** 0.8 and 1.0 used another protocol to talk to Pilot. */
const OLDEST_PROXY: ProxyConfig = {
  configPath: "/etc/istio/proxy",
  binaryPath: "/usr/local/bin/envoy",
  serviceCluster: "istio-proxy",
  drainDuration: "2s",
  parentShutdownDuration: "3s",
  discoveryAddress: "istio-pilot:15007",
  discoveryRefreshDelay: "1s",
  connectTimeout: "1s",
  proxyAdminPort: 15000,
};

const MESH: MessageJson = {
  proxyListenPort: 15001,
  connectTimeout: "1s",
  ingressService: "istio-ingressgateway",
  enableTracing: true,
  accessLogFile: "/dev/stdout",
  outboundTrafficPolicy: { mode: "ALLOW_ANY" },
  defaultServiceExportTo: ["*"],
  defaultVirtualServiceExportTo: ["*"],
  defaultDestinationRuleExportTo: ["*"],
  rootNamespace: "istio-system",
  dnsRefreshRate: "5s",
  disablePolicyChecks: true,
};

const MESH_DEFAULTS: readonly (readonly [since: LegacyVersion, MessageJson])[] = [
  [4, { enableAutoMtls: false, protocolDetectionTimeout: "0.100s", trustDomainAliases: [] }],
  [6, {
    connectTimeout: "10s",
    accessLogFile: undefined,
    enableAutoMtls: true,
    protocolDetectionTimeout: "5s",
    ingressClass: "istio",
    ingressControllerMode: "STRICT",
    localityLbSetting: { enabled: true },
    sdsUdsPath: "unix:./etc/istio/proxy/SDS",
    trustDomain: "cluster.local",
    disableMixerHttpReports: true,
    reportBatchMaxEntries: 100,
    reportBatchMaxTime: "1s",
    certificates: [],
    serviceSettings: [],
    thriftConfig: {},
  }],
  [8, {
    protocolDetectionTimeout: "0s",
    sdsUdsPath: undefined,
    disableMixerHttpReports: undefined,
    disablePolicyChecks: undefined,
    reportBatchMaxEntries: undefined,
    reportBatchMaxTime: undefined,
  }],
];

const OLDEST_MESH: MessageJson = {
  proxyListenPort: 15001,
  connectTimeout: "1s",
  ingressClass: "istio",
  ingressControllerMode: "STRICT",
  rdsRefreshDelay: "1s",
  enableTracing: true,
  accessLogFile: "/dev/stdout",
};

/**
 * The versions of proxy config fields. A field that the version does not have must not reach the template.
 * Fields not listed were added after 1.8.
 */
const PROXY_FIELDS: ReadonlyMap<string, { since?: LegacyVersion; until?: LegacyVersion }> = new Map(
  [
    ..."configPath binaryPath serviceCluster drainDuration parentShutdownDuration discoveryAddress \
discoveryRefreshDelay zipkinAddress statsdUdpAddress envoyMetricsServiceAddress proxyAdminPort \
availabilityZone controlPlaneAuthPolicy customConfigFile statNameLength concurrency \
proxyBootstrapTemplatePath interceptionMode tracing sds envoyAccessLogService envoyMetricsService"
      .split(" ").map((name) => [name, {}] as const),
    // Charts kept setting it.
    ["connectTimeout", { until: 6 }],
    ..."proxyMetadata statusPort extraStatTags gatewayTopology".split(" ")
      .map((name) => [name, { since: 6 }] as const),
    ["terminationDrainDuration", { since: 7 }],
    ["meshId", { since: 7 }],
    ["readinessProbe", { since: 8 }],
    ["proxyStatsMatcher", { since: 8 }],
    ["holdApplicationUntilProxyStarts", { since: 8 }],
  ],
);

/** Returns the messages that a version parses its mesh config with. */
export function legacyMeshSchema(version: LegacyVersion): MeshSchema {
  // 0.8 had a subset of the types of 1.0.
  const schema = meshSchema(Math.max(version, 0));
  const fields = schema.proxyConfig.fields.filter(({ json }) => {
    const span = PROXY_FIELDS.get(json);
    return span !== undefined && version >= (span.since ?? -Infinity) &&
      version < (span.until ?? Infinity);
  });
  return { ...schema, proxyConfig: { ...schema.proxyConfig, fields } };
}

/** Returns a version's built-in mesh config. */
export function legacyMeshDefaults(version: LegacyVersion): MeshConfig {
  if (version < 1) return { ...OLDEST_MESH, defaultConfig: OLDEST_PROXY };
  return {
    ...layered(MESH, MESH_DEFAULTS, version),
    defaultConfig: layered(PROXY, PROXY_DEFAULTS, version) as ProxyConfig,
  };
}

function layered(
  base: MessageJson,
  layers: readonly (readonly [since: LegacyVersion, MessageJson])[],
  version: LegacyVersion,
): MessageJson {
  const merged = Object.assign(
    {},
    base,
    ...layers.filter(([since]) => version >= since).map(([, layer]) => layer),
  );
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

export interface MeshOptions {
  readonly defaults: MeshConfig;
  readonly schema: MeshSchema;
}

/**
 * Parses a mesh config over the defaults. Fields replace the defaults, except that `defaultConfig` merges
 * by field. Throws a {@link ConfigError}.
 */
export function parseLegacyMesh(text: string, { defaults, schema }: MeshOptions): MeshConfig {
  const value = readMesh(text);
  const given = (value ?? {}) as MessageJson;
  const mesh = overlay(schema.meshConfig, { base: defaults, given });
  const own = Object.hasOwn(given, "defaultConfig") ? given.defaultConfig : null;
  return Object.freeze({
    ...mesh,
    defaultConfig: mergeProxyValue(defaults.defaultConfig, own, { schema }),
  });
}

function readMesh(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ConfigError("bad_yaml", `Cannot read mesh config: ${error.message}`, {
      original: `failed to convert to proto. ${error.message}`,
      cause: error,
    });
  }
}

function overlay(
  message: MeshMessage,
  { base, given }: { base: MessageJson; given: MessageJson },
): MessageJson {
  let decoded: MessageJson;
  try {
    decoded = decodeProtoJson(message, given);
  } catch (error) {
    if (!(error instanceof ProtoJsonError)) throw error;
    throw new ConfigError("bad_type", `Cannot read mesh config: ${error.message}`, {
      original: `failed to convert to proto. ${error.message}`,
      cause: error,
    });
  }
  const out: Record<string, unknown> = { ...base, ...decoded };
  // An explicit zero is absent from canonical JSON, but still removes the default.
  for (const { json, proto } of message.fields) {
    const key = Object.hasOwn(given, json) ? json : proto;
    const isGiven = Object.hasOwn(given, key) && given[key] !== null;
    if (isGiven && !Object.hasOwn(decoded, json)) delete out[json];
  }
  return out;
}
