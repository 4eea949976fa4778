/** Stages of the injector that write into a pod without a template: what each does, and what has a say in it. */
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

/** `typed`: the pod was read into its type; the two after it are of the old era. */
export type ProvenanceStage = Stage | "typed" | "fs_group" | "defaults";

export const STAGE_NOTES: Readonly<Record<ProvenanceStage, string>> = {
  original: "the pod itself",
  template: "a template",
  overrides:
    "what the pod says of an injected container goes over the template, and is kept in an annotation",
  cluster_env: "the sidecar is told its cluster and network",
  prometheus: "Prometheus is pointed at the sidecar, which scrapes the application",
  probes: "probes ask the sidecar, which asks the application",
  metadata: "the injection is written down on the pod",
  order: "containers are put in the order in which they start",
  typed: "the object was read into its type and written anew",
  fs_group: "volumes are given to the sidecar's group",
  defaults: "what Kubernetes would set by default is filled in",
};

const META = (...rest: string[]): DataPath => ["ObjectMeta", "Annotations", ...rest];

/** What has a say in a stage, as paths of the template's data. */
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

/** Who wrote a part of a pod in the old era, which had few stages, each with marks of its own. */
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
