/**
 * Reads the user's own version of an injected container. It is kept in an annotation, restored in the pod
 * that templates see, and merged over the template's output.
 */
import { isMap } from "../data/map.ts";
import { decodeJson } from "../go/json.ts";
import { normalise } from "../kube/normalise.ts";
import type { Behaviours } from "./compat.ts";
import { InjectionError } from "./errors.ts";
import { checkOverrides } from "./limits.ts";
import { OVERRIDES, STATUS } from "./names.ts";
import { type Container, containersOf, lookup, type Pod, withMeta, withSpec } from "./pod.ts";
import { clearPrometheusAnnotations, prometheusValue } from "./post/prometheus_annotations.ts";
import { previousStatus } from "./status.ts";

export interface Overrides {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
}

/** Parses the annotation into normalised containers. */
export function parseOverrides(pod: Pod): Overrides {
  const text = lookup(pod.metadata.annotations, OVERRIDES);
  if (text === undefined) return { containers: [], initContainers: [] };
  let overrides: Overrides;
  try {
    const spec = listsOf(decodeJson(text));
    // The same two lists as in a pod's spec, decoded the same way.
    const { spec: read } = normalise("Pod", { spec }) as unknown as Pod;
    overrides = { containers: read.containers ?? [], initContainers: read.initContainers ?? [] };
  } catch (error) {
    throw new InjectionError("bad_overrides", inOverrides((error as Error).message), {
      cause: error,
    });
  }
  checkOverrides(overrides);
  return overrides;
}

/** Returns the two lists. Other fields are ignored, whatever they hold. */
function listsOf(overrides: unknown): unknown {
  if (!isMap(overrides)) {
    return overrides ?? {};
  }
  const known = ["containers", "initcontainers"];
  return Object.fromEntries(
    Object.entries(overrides).filter(([key]) => known.includes(key.toLowerCase())),
  );
}

/** Rewrites a decoding error about a pod's spec for lists outside a spec. */
function inOverrides(message: string): string {
  return message
    .replace("Go struct field Pod.spec of type v1.PodSpec", "Go value of type inject.podOverrides")
    .replace("Go struct field PodSpec.spec.", "Go struct field podOverrides.")
    .replace(/(Go struct field \w+\.)spec\./, "$1");
}

/**
 * Returns the pod before an earlier injection, as templates see it: without what the status lists as
 * injected, and with the containers that the user had set.
 */
export function originalPod(pod: Pod, options: OriginalOptions): Pod {
  return reinsertOverrides(stripPod(pod, options));
}

export interface OriginalOptions {
  readonly statusPort: number;
  readonly behaviours: Behaviours;
}

function stripPod(pod: Pod, { statusPort, behaviours }: OriginalOptions): Pod {
  const status = previousStatus(pod);
  if (!status) return pod;
  const without = (list: readonly Container[], names: readonly string[]) => {
    const gone = new Set(names);
    return list.filter(({ name }) => !gone.has(name));
  };
  const spec: { containers: Container[]; initContainers?: Container[] } = {
    containers: without(containersOf(pod, "containers"), status.containers),
  };
  if (pod.spec.initContainers) {
    spec.initContainers = without(pod.spec.initContainers, status.initContainers);
  }
  let annotations = pod.metadata.annotations ?? {};
  if (prometheusValue(annotations, "prometheus.io/port", behaviours) === String(statusPort)) {
    annotations = clearPrometheusAnnotations(annotations, behaviours);
  }
  const { [STATUS]: _, ...rest } = annotations;
  return withMeta(withSpec(pod, spec), { annotations: rest });
}

function reinsertOverrides(pod: Pod): Pod {
  const overrides = parseOverrides(pod);
  const missing = (list: "containers" | "initContainers") => {
    const there = new Set(containersOf(pod, list).map(({ name }) => name));
    return overrides[list].filter(({ name }) => !there.has(name));
  };
  const added = { containers: missing("containers"), initContainers: missing("initContainers") };
  if (added.containers.length > 0) {
    pod = withSpec(pod, { containers: [...containersOf(pod, "containers"), ...added.containers] });
  }
  if (added.initContainers.length > 0) {
    const initContainers = [...containersOf(pod, "initContainers"), ...added.initContainers];
    pod = withSpec(pod, { initContainers });
  }
  return pod;
}
