/**
 * The injector's stages that change a pod without a template: what each does, and what it reads.
 */
import type { Typed } from "../go/value.ts";
import {
  type DataPath,
  PROBERS_VARIABLE,
  PROMETHEUS_VARIABLE,
  type Stage,
  STATUS,
} from "../inject/mod.ts";
import { type NamedSource, namedSources } from "./named_source.ts";
import type { PodNode } from "./_pod_nodes.ts";

/**
 * The stages. `typed` decodes the pod into its type; `fs_group` and `defaults` are of legacy
 * configs.
 */
export type ProvenanceStage = Stage | "typed" | "fs_group" | "defaults";

export const STAGE_NOTES: Readonly<Record<ProvenanceStage, string>> = {
  original: "the pod itself",
  template: "a template",
  overrides:
    "the pod's settings for an injected container override the template, and are saved in an annotation",
  cluster_env: "the sidecar's cluster and network are set",
  prometheus: "Prometheus is redirected to the sidecar, which scrapes the application",
  probes: "probes are redirected to the sidecar, which probes the application",
  metadata: "the injection is recorded on the pod",
  order: "containers are sorted in start order",
  typed: "the object was decoded and encoded again",
  fs_group: "volumes are made accessible to the sidecar's group",
  defaults: "Kubernetes defaults are filled in",
};

const META = (...rest: string[]): DataPath => ["ObjectMeta", "Annotations", ...rest];

/** The data paths that a stage reads. */
const READS: Readonly<Partial<Record<ProvenanceStage, readonly DataPath[]>>> = {
  cluster_env: [
    ["Values", "global", "multiCluster", "clusterName"],
    ["Values", "global", "network"],
    ["ObjectMeta", "Labels", "topology.istio.io/network"],
  ],
  prometheus: [
    ["MeshConfig", "EnablePrometheusMerge"],
    META("prometheus.istio.io/merge-metrics"),
    META("prometheus.io/scrape"),
    META("prometheus.io/port"),
    META("prometheus.io/path"),
    ["MeshConfig", "DefaultConfig", "StatusPort"],
  ],
  probes: [
    META("sidecar.istio.io/rewriteAppHTTPProbers"),
    ["Values", "sidecarInjectorWebhook", "rewriteAppHTTPProbe"],
    META("status.sidecar.istio.io/port"),
  ],
  metadata: [["Revision"]],
  order: [
    ["ProxyConfig", "HoldApplicationUntilProxyStarts"],
    ["Values", "global", "proxy", "holdApplicationUntilProxyStarts"],
  ],
  fs_group: [["MeshConfig", "SdsUdsPath"]],
};

export function stageSources(
  stage: ProvenanceStage,
  data: Typed | undefined,
): NamedSource[] {
  return namedSources(READS[stage] ?? [], data);
}

/**
 * Returns the stage that wrote a part of a pod with a legacy config, which has few stages, each
 * with distinct results.
 */
export function legacyStage(
  { id, path }: PodNode,
  { isRendered }: { isRendered: boolean },
): ProvenanceStage {
  const [part, second, ...rest] = path;
  if (part === "metadata") {
    if (second === "annotations" && String(rest[0]).startsWith("prometheus.io/")) {
      return "prometheus";
    }
    return second === "annotations" && rest[0] !== STATUS && isRendered ? "template" : "metadata";
  }
  if (id.includes(`[${PROBERS_VARIABLE}]`)) return "probes";
  if (id.includes(`[${PROMETHEUS_VARIABLE}]`)) return "prometheus";
  if (isRendered) return "template";
  if (/\0(?:liveness|readiness|startup)Probe\0/.test(id)) return "probes";
  return second === "securityContext" ? "fs_group" : "defaults";
}
