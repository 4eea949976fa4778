/** Computes the labels and annotations that old injectors set, apart from the status. */
import { orderedJson } from "../_ordered_json.ts";
import { parseGoBool } from "../_go_bool.ts";
import type { MeshConfig } from "../../config/mod.ts";
import { MERGE_METRICS, NETWORK_LABEL, NETWORK_VARIABLE, PROMETHEUS_VARIABLE } from "../names.ts";
import { type Container, type EnvVar, lookup, type StringMap } from "../pod.ts";
import type { LegacyBehaviours } from "./compat.ts";

export const REVISION_LABEL = "istio.io/rev";
export const TLS_LABEL = "security.istio.io/tlsMode";
const CANONICAL_NAME = "service.istio.io/canonical-name";
const CANONICAL_REVISION = "service.istio.io/canonical-revision";

export interface LabelOptions {
  readonly revision: string;
  readonly workloadName: string;
  /** The injected containers. */
  readonly containers: readonly Container[];
  readonly behaviours: Pick<LegacyBehaviours, "tlsLabel" | "istiod" | "topology">;
}

/** Returns labels for a pod, sorted. Existing labels are kept. */
export function labelsFor(labels: StringMap | undefined, options: LabelOptions): StringMap {
  const { revision, workloadName, containers, behaviours } = options;
  if (!behaviours.tlsLabel) return {};
  if (!behaviours.istiod) return { [TLS_LABEL]: "istio" };
  const first = (...names: string[]) =>
    names.map((name) => lookup(labels, name)).find((value) => value !== undefined);
  const network = behaviours.topology ? networkOf(containers) : undefined;
  return {
    [REVISION_LABEL]: revision,
    [TLS_LABEL]: "istio",
    [CANONICAL_NAME]: first(CANONICAL_NAME, "app.kubernetes.io/name", "app") ?? workloadName,
    [CANONICAL_REVISION]: first(CANONICAL_REVISION, "app.kubernetes.io/version", "version") ??
      "latest",
    ...(network ? { [NETWORK_LABEL]: network } : {}),
  };
}

function networkOf(containers: readonly Container[]): string | undefined {
  return containers.flatMap(({ env = [] }) => env)
    .find(({ name }) => name === NETWORK_VARIABLE)?.value;
}

/** The Prometheus annotations that point at the agent, and the application's settings for the agent. */
export interface Scraping {
  readonly annotations: StringMap;
  /** Absent if the pod has no scrape annotations. */
  readonly variable?: EnvVar;
}

/** Returns `undefined` if neither the pod nor the mesh enables metrics merging. */
export function scrapingOf(
  annotations: StringMap | undefined,
  meshConfig: MeshConfig,
): Scraping | undefined {
  const wanted = parseGoBool(lookup(annotations, MERGE_METRICS) ?? "") ??
    meshConfig.enablePrometheusMerge ?? true;
  if (!wanted) return undefined;
  const own = (key: string) => lookup(annotations, `prometheus.io/${key}`) ?? "";
  const config = { scrape: own("scrape"), path: own("path"), port: own("port") };
  const isTold = Object.values(config).some((value) => value !== "");
  return {
    annotations: {
      "prometheus.io/path": "/stats/prometheus",
      "prometheus.io/port": String(meshConfig.defaultConfig.statusPort ?? 0),
      "prometheus.io/scrape": "true",
    },
    ...(isTold ? { variable: { name: PROMETHEUS_VARIABLE, value: orderedJson(config) } } : {}),
  };
}
