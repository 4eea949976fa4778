/**
 * Parses the mesh config, the `mesh` key of the config map `istio`, over Istio's defaults, into checked and
 * frozen canonical JSON (see proto_json.ts).
 */
import { compareStrings } from "../data/bytes.ts";
import { ConfigError } from "./config_error.ts";
import { frozen } from "./_frozen.ts";
import { overlayMessage } from "./_overlay.ts";
import { readYaml } from "./_read_yaml.ts";
import { MESH_SCHEMA } from "./mesh_schema.ts";
import { validateMeshConfig } from "./mesh_validation.ts";
import { failureText } from "./multi_error.ts";
import { type MessageJson, ProtoJsonError } from "./proto_json.ts";
import {
  defaultProxyConfig,
  mergeProxyValue,
  type ProxyConfig,
  type SchemaOptions,
} from "./proxy_config.ts";

/** Canonical JSON of `istio.mesh.v1alpha1.MeshConfig`, with the fields that injection reads. */
export interface MeshConfig extends MessageJson {
  readonly defaultConfig: ProxyConfig;
  readonly enablePrometheusMerge?: boolean;
  readonly inboundTrafficPolicy?: { readonly mode?: string };
  readonly rootNamespace?: string;
}

const DEFAULTS: MeshConfig = frozen({
  proxyListenPort: 15001,
  proxyInboundListenPort: 15006,
  connectTimeout: "10s",
  protocolDetectionTimeout: "0s",
  ingressClass: "istio",
  ingressService: "istio-ingressgateway",
  ingressControllerMode: "STRICT",
  enableTracing: true,
  defaultConfig: defaultProxyConfig(),
  outboundTrafficPolicy: { mode: "ALLOW_ANY" },
  inboundTrafficPolicy: {},
  enableAutoMtls: true,
  trustDomain: "cluster.local",
  defaultServiceExportTo: ["*"],
  defaultVirtualServiceExportTo: ["*"],
  defaultDestinationRuleExportTo: ["*"],
  rootNamespace: "istio-system",
  localityLbSetting: { enabled: true },
  dnsRefreshRate: "60s",
  enablePrometheusMerge: true,
  extensionProviders: [
    { name: "prometheus", prometheus: {} },
    { name: "stackdriver", stackdriver: {} },
    { name: "envoy", envoyFileAccessLog: { path: "/dev/stdout" } },
  ],
  defaultProviders: {},
});

/** Returns Istio's default mesh config. */
export function defaultMeshConfig(): MeshConfig {
  return DEFAULTS;
}

/**
 * Parses a mesh config over a base. Fields in the text replace those of the base, except that
 * `defaultConfig` and `defaultProviders` merge by field, `extensionProviders` merge by name, and
 * `trustDomainAliases` are appended. Throws a {@link ConfigError}.
 *
 * @example
 * ```ts
 * parseMeshConfig("rootNamespace: mesh\ndefaultConfig: {concurrency: 2}").defaultConfig.statusPort; // 15020
 * ```
 */
export function parseMeshConfig(
  text: string,
  base: MeshConfig = defaultMeshConfig(),
  { schema = MESH_SCHEMA }: SchemaOptions = {},
): MeshConfig {
  const value = readYaml(text, {
    what: "mesh config",
    original: (yaml) => `failed to convert to proto. ${yaml}`,
  });
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  const read = decode(() => overlayMessage(schema.meshConfig, { base, value }));
  const mesh: Record<string, unknown> = {
    ...read,
    // Only the camelCase spellings merge. The snake_case ones are validated and then dropped.
    defaultConfig: mergeProxyValue(base.defaultConfig, own(given, "defaultConfig"), { schema }),
    defaultProviders: mergeProviders(base, own(given, "defaultProviders")),
    extensionProviders: mergeByName(listOf(base, "extensionProviders"), {
      over: listOf(read, "extensionProviders"),
    }),
    trustDomainAliases: [
      ...new Set([
        ...listOf<string>(base, "trustDomainAliases"),
        ...listOf<string>(read, "trustDomainAliases"),
      ]),
    ].sort(compareStrings),
  };
  for (const key of ["extensionProviders", "trustDomainAliases"]) {
    if ((mesh[key] as unknown[]).length === 0) delete mesh[key];
  }
  const problem = validateMeshConfig(mesh);
  if (problem !== undefined) {
    const original = failureText(problem);
    throw new ConfigError("invalid_value", `Cannot use mesh config: ${original.trimEnd()}`, {
      original,
    });
  }
  return frozen(mesh) as MeshConfig;
}

function decode<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProtoJsonError)) throw error;
    throw new ConfigError("bad_type", `Cannot read mesh config: ${error.message}`, {
      original: `failed to convert to proto. ${error.message}`,
      cause: error,
    });
  }
}

const PROVIDERS = MESH_SCHEMA.messages.get("istio.mesh.v1alpha1.MeshConfig.DefaultProviders")!;

function mergeProviders(base: MessageJson, value: unknown): MessageJson {
  return overlayMessage(PROVIDERS, { base: (base.defaultProviders ?? {}) as MessageJson, value });
}

interface Named {
  readonly name?: string;
}

/** Replaces items by name in place and appends new ones. */
function mergeByName(base: readonly Named[], { over }: { over: readonly Named[] }): Named[] {
  const merged = new Map(base.map((provider) => [provider.name, provider]));
  for (const provider of over) merged.set(provider.name, provider);
  return [...merged.values()];
}

function listOf<T>(message: MessageJson, key: string): readonly T[] {
  return (message[key] ?? []) as readonly T[];
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : null;
}
