/**
 * Computes the proxy config of a pod by merging layers of canonical JSON, lowest first. Serves the webhook,
 * which has many layers, and kube-inject, which has two.
 */
import { parseYaml, YamlError } from "../yaml/mod.ts";
import { compareStrings } from "../data/bytes.ts";
import { ConfigError } from "./config_error.ts";
import { deepMerge } from "./_deep_merge.ts";
import { frozen } from "./_frozen.ts";
import { overlayMessage } from "./_overlay.ts";
import { readYaml } from "./_read_yaml.ts";
import {
  DEFAULT_PROXY_CONFIG,
  MESH_SCHEMA,
  type MeshMessage,
  type MeshSchema,
} from "./mesh_schema.ts";
import {
  decodeProtoJson,
  encodeProtoJson,
  type MessageJson,
  ProtoJsonError,
} from "./proto_json.ts";

/** Canonical JSON of `istio.mesh.v1alpha1.ProxyConfig`, with the fields that injection reads. */
export interface ProxyConfig extends MessageJson {
  readonly statusPort?: number;
  readonly interceptionMode?: string;
  readonly holdApplicationUntilProxyStarts?: boolean;
  readonly image?: { readonly imageType?: string };
  readonly proxyMetadata?: Readonly<Record<string, string>>;
}

/** The part of a mesh config used here. */
interface WithProxyConfig extends MessageJson {
  readonly defaultConfig: ProxyConfig;
  readonly rootNamespace?: string;
}

const MESSAGE = MESH_SCHEMA.proxyConfig;

export interface SchemaOptions {
  /** The message schema of an older version; defaults to the current one. */
  readonly schema?: MeshSchema;
}

/** Returns the proxy config of a proxy that has no configuration. */
export function defaultProxyConfig(): ProxyConfig {
  return DEFAULT_PROXY_CONFIG;
}

/**
 * Merges a text (the annotation `proxy.istio.io/config`, or a part of the mesh config) into a proxy config.
 * Explicit zeros override. Throws a {@link ConfigError}.
 *
 * @example
 * ```ts
 * mergeProxyConfig(defaultProxyConfig(), "statusPort: 15021").statusPort; // 15021
 * ```
 */
export function mergeProxyConfig(
  base: ProxyConfig,
  text: string,
  options?: SchemaOptions,
): ProxyConfig {
  return mergeProxyValue(base, readProxyYaml(text), options);
}

/** Merges an already parsed value into a proxy config, like {@link mergeProxyConfig}. */
export function mergeProxyValue(
  base: ProxyConfig,
  value: unknown,
  options?: SchemaOptions,
): ProxyConfig {
  try {
    return overlay(base, value, options?.schema);
  } catch (error) {
    if (!(error instanceof ProtoJsonError)) throw error;
    throw new ConfigError("bad_type", `Cannot read proxy config: ${error.message}`, {
      original: `could not parse proxy config: ${error.message}`,
      cause: error,
    });
  }
}

/**
 * Returns the mesh config with the annotation merged into its default proxy config. kube-inject uses the
 * result; both kube-inject and the webhook use it to decide whether the application waits for the proxy.
 */
export function applyProxyConfig<T extends WithProxyConfig>(
  mesh: T,
  text: string,
  options?: SchemaOptions,
): T {
  const defaultConfig = mergeProxyConfig(mesh.defaultConfig, text, options);
  return Object.freeze({ ...mesh, defaultConfig });
}

export interface EffectiveOptions extends SchemaOptions {
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The annotation `proxy.istio.io/config`; ignored if it cannot be parsed. */
  readonly annotation?: string;
  readonly resources?: readonly ProxyConfigResource[];
  /** Merges layers deeply over these defaults. */
  readonly deepOver?: ProxyConfig;
}

/**
 * Returns the webhook's proxy config for a pod. The layers, lowest first: the built-in defaults, the mesh
 * config, the root namespace's resource, the pod namespace's resource, the annotation, and the resource
 * that selects the pod. Zero values are dropped from each layer, so they never override a lower one.
 */
export function effectiveProxyConfig(
  mesh: WithProxyConfig,
  options: EffectiveOptions,
): ProxyConfig {
  const { namespace, annotation, labels = {}, schema } = options;
  const root = mesh.rootNamespace ?? "";
  const resources = options.resources ?? [];
  const ofNamespace = (wanted: string) =>
    resources.find((resource) => resource.namespace === wanted && resource.selector === undefined);
  const layers: (ProxyConfig | undefined)[] = [
    root === "" ? undefined : ofNamespace(root)?.config,
    namespace === root ? undefined : ofNamespace(namespace)?.config,
    annotation === undefined ? undefined : proxyConfigOf(annotation, { schema }),
    resources.find((resource) => resource.namespace === namespace && selects(resource, labels))
      ?.config,
  ];
  if (options.deepOver) {
    return [mesh.defaultConfig, ...layers].reduce<ProxyConfig>(
      (below, layer) => layer === undefined ? below : deepOverlay(below, layer, schema),
      options.deepOver,
    );
  }
  return layers.map((layer) => layer && asPrinted(layer, schema)).reduce<ProxyConfig>(
    (below, layer) => layer === undefined ? below : overlay(below, layer, schema),
    lowestLayers(mesh.defaultConfig, schema),
  );
}

/**
 * Returns a layer after Istio's round trip: Istio prints each layer as JSON and parses it as YAML. In a
 * quoted string, YAML folds line breaks that JSON leaves alone (U+0085) and rejects some characters; a
 * layer that contains such a character is dropped.
 */
function asPrinted(layer: ProxyConfig, schema = MESH_SCHEMA): ProxyConfig | undefined {
  const text = encodeProtoJson(schema.proxyConfig, layer);
  if (!/[^ -~]/.test(text)) return layer;
  try {
    return decodeProtoJson(schema.proxyConfig, parseYaml(text)) as ProxyConfig;
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}

/** Merges deeply, except for two fields that are replaced entirely, including explicit zeros. */
function deepOverlay(base: ProxyConfig, over: ProxyConfig, schema = MESH_SCHEMA): ProxyConfig {
  const { concurrency = base.concurrency, image = base.image } = over;
  return frozen({
    ...deepMerge(schema.proxyConfig, { base, over }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(image === undefined ? {} : { image }),
  }) as ProxyConfig;
}

/**
 * Caches the lowest layers. Most pods add none of their own, so they share one object and everything
 * derived from it.
 */
const lowest = new WeakMap<MeshSchema, WeakMap<ProxyConfig, ProxyConfig>>();

/** Returns the built-in defaults with the mesh's proxy config merged in. */
function lowestLayers(config: ProxyConfig, schema = MESH_SCHEMA): ProxyConfig {
  let known = lowest.get(schema);
  if (known === undefined) lowest.set(schema, known = new WeakMap());
  let layers = known.get(config);
  if (layers === undefined) {
    known.set(config, layers = overlay(defaultProxyConfig(), config, schema));
  }
  return layers;
}

/** A ProxyConfig resource, reduced to what injection reads. */
export interface ProxyConfigResource {
  readonly namespace: string;
  /**
   * Labels that a pod must have; an empty map selects no pods. If absent, the resource applies to its whole
   * namespace.
   */
  readonly selector?: Readonly<Record<string, string>>;
  readonly config: ProxyConfig;
}

const RESOURCE: MeshMessage = {
  name: "istio.networking.v1beta1.ProxyConfig",
  goName: "v1beta1.ProxyConfig",
  legacy: false,
  fields: [
    field("selector", {
      kind: "message",
      message: {
        name: "istio.type.v1beta1.WorkloadSelector",
        goName: "v1beta1.WorkloadSelector",
        legacy: false,
        fields: [field("matchLabels", { kind: "map", elem: { kind: "string" } })],
      },
    }),
    field("concurrency", { kind: "wrapper", of: "int32" }),
    field("environmentVariables", { kind: "map", elem: { kind: "string" } }),
    field("image", MESSAGE.fields.find(({ json }) => json === "image")!.type),
  ],
};

function field(json: string, type: MeshMessage["fields"][number]["type"]) {
  const proto = json.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { json, proto, go: json[0].toUpperCase() + json.slice(1), type };
}

interface KubernetesObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly creationTimestamp?: string;
  };
  readonly spec?: unknown;
}

/** Parses ProxyConfig objects, oldest first: if several match, the oldest wins. */
export function readProxyConfigResources(
  objects: readonly KubernetesObject[],
): readonly ProxyConfigResource[] {
  const age = ({ metadata }: KubernetesObject) =>
    Date.parse(metadata?.creationTimestamp ?? "") || 0;
  const place = ({ metadata }: KubernetesObject) =>
    `${metadata?.name ?? ""}.${metadata?.namespace ?? ""}`;
  return objects.toSorted((a, b) => age(a) - age(b) || compareStrings(place(a), place(b)))
    .map(readResource);
}

function readResource({ metadata, spec }: KubernetesObject): ProxyConfigResource {
  let read: MessageJson;
  try {
    read = decodeProtoJson(RESOURCE, spec);
  } catch (error) {
    if (!(error instanceof ProtoJsonError)) throw error;
    const where = `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;
    const message = `Cannot read ProxyConfig "${where}": ${error.message}`;
    throw new ConfigError("bad_type", message, { original: error.message, cause: error });
  }
  const { selector, concurrency, environmentVariables, image } = read;
  return frozen({
    namespace: metadata?.namespace ?? "",
    ...(selector === undefined
      ? {}
      : { selector: (selector as { matchLabels?: Record<string, string> }).matchLabels ?? {} }),
    config: {
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(environmentVariables === undefined ? {} : { proxyMetadata: environmentVariables }),
      ...(image === undefined ? {} : { image }),
    } as ProxyConfig,
  });
}

function selects(
  { selector }: ProxyConfigResource,
  labels: Readonly<Record<string, string>>,
): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 &&
    wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/** Parses a text on its own; returns undefined if it is invalid. */
function proxyConfigOf(text: string, options: SchemaOptions): ProxyConfig | undefined {
  try {
    return mergeProxyConfig({}, text, options);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Caches the last text parsed: several checks parse the same annotation of a pod. */
let lastRead: { readonly text: string; readonly value?: unknown; readonly error?: unknown } = {
  text: "",
  value: null,
};

function readProxyYaml(text: string): unknown {
  if (lastRead.text !== text) {
    try {
      const value = readYaml(text, {
        what: "proxy config",
        original: (yaml) => `could not parse proxy config: ${yaml}`,
        // Keep integers exact for messages about numbers out of range.
        bigints: true,
      });
      lastRead = { text, value: frozen(value) };
    } catch (error) {
      lastRead = { text, error };
    }
  }
  if (lastRead.error !== undefined) throw lastRead.error;
  return lastRead.value;
}

/** Header settings kept when an overlay sets only others. */
const KEPT_HEADERS = [
  "forwardedClientCert",
  "requestId",
  "attemptCount",
  "server",
  "envoyDebugHeaders",
];

function overlay(base: ProxyConfig, value: unknown, schema = MESH_SCHEMA): ProxyConfig {
  const merged: Record<string, unknown> = {
    ...overlayMessage(schema.proxyConfig, { base, value }),
  };
  if (base.proxyMetadata !== undefined) {
    merged.proxyMetadata = { ...base.proxyMetadata, ...merged.proxyMetadata as object };
  }
  const before = base.proxyHeaders as MessageJson | undefined;
  const after = merged.proxyHeaders as MessageJson | undefined;
  if (before !== undefined && after !== undefined) {
    const kept = KEPT_HEADERS.filter((name) => Object.hasOwn(before, name));
    const old = Object.fromEntries(kept.map((name) => [name, before[name]]));
    merged.proxyHeaders = { ...old, ...after };
  }
  return frozen(merged) as ProxyConfig;
}
