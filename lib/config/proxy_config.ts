/**
 * The proxy config of one pod: layers of canonical JSON, low to high, and the rules by which one lies
 * over another. Both doors are here: the webhook's many layers, and kube-inject's two.
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

/** Canonical JSON of `istio.mesh.v1alpha1.ProxyConfig`; the fields that injection itself reads. */
export interface ProxyConfig extends MessageJson {
  readonly statusPort?: number;
  readonly interceptionMode?: string;
  readonly holdApplicationUntilProxyStarts?: boolean;
  readonly image?: { readonly imageType?: string };
  readonly proxyMetadata?: Readonly<Record<string, string>>;
}

/** A mesh config as far as this file needs one. */
interface WithProxyConfig extends MessageJson {
  readonly defaultConfig: ProxyConfig;
  readonly rootNamespace?: string;
}

const MESSAGE = MESH_SCHEMA.proxyConfig;

export interface SchemaOptions {
  /** Messages of an older version, which had other fields; today's if absent. */
  readonly schema?: MeshSchema;
}

/** What a proxy has before any configuration. */
export function defaultProxyConfig(): ProxyConfig {
  return DEFAULT_PROXY_CONFIG;
}

/**
 * A text (the annotation `proxy.istio.io/config`, or a part of the mesh config) over a proxy config.
 * Zeros that the text spells out override. Throws a {@link ConfigError}.
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

/** The same for a value that was parsed already. */
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
 * The mesh config with the annotation in its default proxy config: what kube-inject works with, and
 * what decides in both doors whether the application waits for the proxy.
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
  /** The annotation `proxy.istio.io/config`. One that cannot be read counts for nothing here. */
  readonly annotation?: string;
  readonly resources?: readonly ProxyConfigResource[];
  /** Makes layers merge into each other's parts, over the defaults given. */
  readonly deepOver?: ProxyConfig;
}

/**
 * The webhook's proxy config of a pod: the code's defaults, the mesh's, the resource of the root
 * namespace, that of the pod's namespace, the annotation, the resource that selects the pod. Every
 * layer goes without its zeros, so that none overrides one below.
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
 * A layer after the original's detour: it prints each as JSON and reads that as YAML. In quotes, YAML folds line breaks
 * that JSON leaves as they are (U+0085), and refuses some characters; a layer with one of those counts for nothing.
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

/** Two fields are still replaced as a whole, explicit zeros included. */
function deepOverlay(base: ProxyConfig, over: ProxyConfig, schema = MESH_SCHEMA): ProxyConfig {
  const { concurrency = base.concurrency, image = base.image } = over;
  return frozen({
    ...deepMerge(schema.proxyConfig, { base, over }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(image === undefined ? {} : { image }),
  }) as ProxyConfig;
}

/** Most pods bring no layer of their own: they share one object, and whatever was made of it. */
const lowest = new WeakMap<MeshSchema, WeakMap<ProxyConfig, ProxyConfig>>();

/** The code's defaults with the mesh's over them. */
function lowestLayers(config: ProxyConfig, schema = MESH_SCHEMA): ProxyConfig {
  let known = lowest.get(schema);
  if (known === undefined) lowest.set(schema, known = new WeakMap());
  let layers = known.get(config);
  if (layers === undefined) {
    known.set(config, layers = overlay(defaultProxyConfig(), config, schema));
  }
  return layers;
}

/** A ProxyConfig resource of the cluster, as far as it bears on injection. */
export interface ProxyConfigResource {
  readonly namespace: string;
  /** Labels that a pod must have; empty selects none. Absent: the resource is its namespace's. */
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

/** Reads ProxyConfig objects, the oldest first: of several that fit, it is the one that counts. */
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

/** A text on its own; undefined where it cannot be read. */
function proxyConfigOf(text: string, options: SchemaOptions): ProxyConfig | undefined {
  try {
    return mergeProxyConfig({}, text, options);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** The text read last: the checks, the layers and the question who waits all read one annotation of a pod. */
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
        // Exact, for the sake of messages about numbers out of range.
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

/** These of the headers' settings stay if an overlay sets others only. */
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
