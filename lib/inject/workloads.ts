/**
 * Finds the pods in workloads, and replaces them. Takes typed objects (see lib/kube/normalise.ts). Kinds
 * are matched by name only, whatever the apiVersion: a Deployment of `extensions/v1beta1` holds its pod
 * where one of `apps/v1` does.
 */
import { quote } from "../go/strconv.ts";
import type { Behaviours } from "./compat.ts";
import { deploymentMeta, type WorkloadMeta } from "./deployment_meta.ts";
import { InjectionError } from "./errors.ts";
import type { ObjectMeta, Pod, PodSpec } from "./pod.ts";

export interface PodPlace {
  /** The keys to the pod's metadata and spec; empty means the object's own. */
  readonly metadata: readonly string[];
  readonly spec: readonly string[];
}

const TEMPLATE: PodPlace = {
  metadata: ["spec", "template", "metadata"],
  spec: ["spec", "template", "spec"],
};

const PLACES: ReadonlyMap<string, PodPlace> = new Map<string, PodPlace>([
  ["Pod", { metadata: ["metadata"], spec: ["spec"] }],
  ["ReplicationController", TEMPLATE],
  ["Deployment", TEMPLATE],
  ["DaemonSet", TEMPLATE],
  ["ReplicaSet", TEMPLATE],
  ["StatefulSet", TEMPLATE],
  ["Job", TEMPLATE],
  // The job's metadata, not its pod's: Istio writes labels and annotations there.
  ["CronJob", {
    metadata: ["spec", "jobTemplate", "metadata"],
    spec: ["spec", "jobTemplate", "spec", "template", "spec"],
  }],
  ["DeploymentConfig", TEMPLATE],
]);

/** Reports whether objects of a kind hold a pod, or are a List that may contain such objects. */
export function holdsPods(kind: string): boolean {
  return kind === "List" || PLACES.has(kind);
}

/** A workload after typed decoding. */
export type WorkloadObject = Readonly<Record<string, unknown>>;

/** Returns an object's pod. */
export function podOf(object: WorkloadObject): Pod {
  const place = placeOf(object);
  const metadata = at(object, place.metadata) as ObjectMeta | undefined;
  const spec = at(object, place.spec) as PodSpec | undefined;
  // The field is a pointer in two of the kinds and may be missing; in others it is an empty struct.
  if (spec === undefined || metadata === undefined) {
    throw new InjectionError("bad_pod", "spec.template is required value");
  }
  return { metadata, spec, status: {} };
}

/** Returns the object with another pod. */
export function withPod(object: WorkloadObject, pod: Pod): WorkloadObject {
  const place = placeOf(object);
  return put(put(object, place.metadata, pod.metadata), place.spec, pod.spec);
}

/**
 * Returns the owner that templates see: the object itself or a bare pod's owner, unless owners are
 * disabled.
 */
export function metaOf(
  object: WorkloadObject,
  { behaviours }: { readonly behaviours?: Behaviours } = {},
): WorkloadMeta {
  const metadata = object.metadata as ObjectMeta;
  if (object.kind === "Pod" && behaviours?.podOwner !== false) {
    return deploymentMeta(metadata, { behaviours });
  }
  const { name = "", namespace = "" } = metadata;
  const { kind, apiVersion = "" } = object as { kind: string; apiVersion?: string };
  return { name, namespace, kind, apiVersion };
}

/** Formats a workload for warnings, as kind and `namespace/name`. */
export function describeWorkload(object: WorkloadObject): string {
  const { name, namespace, kind } = metaOf(object);
  // The template's name wins over the owner's, but its namespace does not.
  const own = at(object, placeOf(object).metadata) as ObjectMeta | undefined;
  const full = quote(`${namespace && `${namespace}/`}${own?.name || name}`);
  // An owner may lack a kind.
  return kind ? `${kind} ${full}` : full;
}

/** Returns the place of the pod in an object. */
export function placeOf({ kind }: WorkloadObject): PodPlace {
  const place = PLACES.get(kind as string);
  if (place === undefined) throw new TypeError(`Cannot find a pod in kind ${JSON.stringify(kind)}`);
  return place;
}

function at(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const key of path) value = (value as WorkloadObject | undefined | null)?.[key];
  return value;
}

function put(
  object: WorkloadObject,
  [key, ...rest]: readonly string[],
  value: unknown,
): WorkloadObject {
  const inner = rest.length === 0 ? value : put(object[key] as WorkloadObject, rest, value);
  return { ...object, [key]: inner };
}
