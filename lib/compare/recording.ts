/**
 * The format of a recording: JSON Lines, each a configuration or a review answered with it. Every
 * file starts with a configuration, so that files can be read and deleted independently.
 */

import type { ProxyConfigResource } from "../config/proxy_config.ts";
import { isMap } from "../data/map.ts";
import type {
  ClusterFacts,
  CompatVersion,
  EngineSources,
  Node,
  StringMap,
  StructureGuard,
} from "../inject/mod.ts";
import type { Json } from "./_redact_fields.ts";
import { type RedactOptions, redactPod, redactProxyConfig } from "./redact.ts";

/** The data that an injector is made of. */
export interface RecordedConfig {
  readonly version: string;
  readonly sources: EngineSources;
  readonly settings: RecordedSettings;
}

export interface RecordedSettings {
  readonly revision: string;
  readonly compat: CompatVersion;
  readonly leftDelim?: string;
  readonly rightDelim?: string;
  readonly structureGuard?: StructureGuard;
  readonly clusterId?: string;
  readonly stamp?: boolean;
  /** The variables that are set, by istiod's names. */
  readonly variables: StringMap;
}

export interface RecordedReview {
  /** The version of the configuration that answered the review. */
  readonly config: string;
  /** In ISO 8601. */
  readonly time: string;
  /** The decoded path of the webhook's URL. */
  readonly path: string;
  readonly namespace: string;
  /** The redacted pod. */
  readonly object: unknown;
  /** The cluster facts that can affect this pod. */
  readonly cluster: RecordedCluster;
  /** The original result, before redaction. */
  readonly outcome: {
    readonly decision: string;
    readonly reason: string;
    readonly operations: number;
  };
}

export interface RecordedCluster {
  readonly nodes?: readonly Node[];
  readonly namespaceAnnotations?: StringMap;
  readonly proxyConfigs?: ClusterFacts["proxyConfigs"];
}

export type RecordLine =
  | { readonly config: RecordedConfig }
  | { readonly review: RecordedReview };

export interface ReviewToRecord {
  readonly time: number;
  readonly path: string;
  readonly namespace: string;
  readonly object: unknown;
  readonly cluster: ClusterFacts;
  readonly outcome: RecordedReview["outcome"];
}

export function configLine(config: RecordedConfig): string {
  return `${JSON.stringify({ config } satisfies RecordLine)}\n`;
}

export function reviewLine(
  { time, path, namespace, object, cluster, outcome }: ReviewToRecord,
  { config, ...redaction }: RedactOptions & { config: string },
): string {
  const { decision, reason, operations } = outcome;
  const review: RecordedReview = {
    config,
    time: new Date(time).toISOString(),
    path,
    namespace,
    object: redactPod(object, redaction),
    cluster: relevantFacts(cluster, { object, namespace }),
    outcome: { decision, reason, operations },
  };
  return `${JSON.stringify({ review } satisfies RecordLine)}\n`;
}

interface PodPlace {
  readonly spec?: { readonly nodeName?: unknown };
  readonly metadata?: { readonly namespace?: unknown };
}

/**
 * Selects the facts that can affect a pod. Of the nodes, only one matters: the pod's own, or else
 * the one with the oldest kubelet.
 */
function relevantFacts(
  { nodes, namespaceAnnotations, proxyConfigs }: ClusterFacts,
  { object, namespace }: { object: unknown; namespace: string },
): RecordedCluster {
  const { spec, metadata } = (object ?? {}) as PodPlace;
  const own = metadata?.namespace;
  const home = typeof own === "string" && own !== "" ? own : namespace;
  const node = nodes?.find(({ name }) => name === spec?.nodeName) ?? oldestNode(nodes ?? []);
  const annotations = namespaceAnnotations?.(home);
  return {
    ...(nodes === undefined ? {} : { nodes: node === undefined ? [] : [node] }),
    ...(namespaceAnnotations === undefined
      ? {}
      : { namespaceAnnotations: platformAnnotations(annotations) }),
    ...(proxyConfigs === undefined ? {} : { proxyConfigs: proxyConfigs.map(redacted) }),
  };
}

/** Redacts ProxyConfig resources, whose variables are added to the sidecar's environment. */
function redacted(resource: ProxyConfigResource): ProxyConfigResource {
  return { ...resource, config: redactProxyConfig(resource.config as Json) };
}

function oldestNode(nodes: readonly Node[]): Node | undefined {
  const minor = ({ kubeletVersion }: Node) => Number(/^v?1\.(\d+)/.exec(kubeletVersion)?.[1] ?? -1);
  return nodes.reduce<Node | undefined>(
    (oldest, node) => oldest === undefined || minor(node) < minor(oldest) ? node : oldest,
    undefined,
  );
}

/** Keeps OpenShift's ranges, the only annotations of a namespace that injection reads. */
function platformAnnotations(annotations: StringMap = {}): StringMap {
  return Object.fromEntries(
    Object.entries(annotations).filter(([name]) => name.startsWith("openshift.io/sa.scc.")),
  );
}

export class RecordingError extends Error {
  override readonly name = "RecordingError";
  readonly code = "bad_recording";
}

/** Parses a line. Throws a {@link RecordingError} that names the problem. */
export function readRecordLine(line: string): RecordLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new RecordingError("it is not JSON", { cause });
  }
  const parts = value as { config?: Partial<RecordedConfig>; review?: Partial<RecordedReview> };
  const { config, review } = typeof value === "object" && value !== null ? parts : {};
  if (config !== undefined) {
    const { version, sources, settings } = config;
    const isWhole = typeof version === "string" && typeof settings?.revision === "string" &&
      /^(today|-?\d+)$/.test(String(settings.compat)) && isMap(settings.variables) &&
      isMap(sources) &&
      ["config", "values", "mesh"].every((name) => typeof sources[name] === "string");
    if (isWhole) return { config: config as RecordedConfig };
  } else if (review !== undefined) {
    const { config: version, path, namespace, cluster, outcome } = review;
    const isWhole = [version, path, namespace].every((text) => typeof text === "string") &&
      isMap(cluster) && isMap(outcome) && Object.hasOwn(review, "object");
    if (isWhole) return { review: review as RecordedReview };
  }
  throw new RecordingError("it is neither a configuration nor a review");
}

/** Converts recorded facts to the injector's input. */
export function factsOf(cluster: RecordedCluster): ClusterFacts {
  const { namespaceAnnotations, ...facts } = cluster;
  return namespaceAnnotations === undefined
    ? facts
    : { ...facts, namespaceAnnotations: () => namespaceAnnotations };
}
