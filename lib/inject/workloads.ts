/**
 * Workloads: which kinds hold pods, and where. Typed objects go in (see lib/kube/normalise.ts), the pod
 * that stands in them comes out, and goes back in changed. Kinds go by their name alone, whatever the
 * apiVersion says: a Deployment of `extensions/v1beta1` holds its pod where one of `apps/v1` does.
 */
import { quote } from "../go/strconv.ts";
import type { Behaviours } from "./compat.ts";
import { deploymentMeta, type WorkloadMeta } from "./deployment_meta.ts";
import { InjectionError } from "./errors.ts";
import type { ObjectMeta, Pod, PodSpec } from "./pod.ts";

export interface PodPlace {
  /** Keys to the pod's metadata and to its spec; none: the object's own. */
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
  // Metadata of the job, not of its pod: Istio writes its labels and annotations there.
  ["CronJob", {
    metadata: ["spec", "jobTemplate", "metadata"],
    spec: ["spec", "jobTemplate", "spec", "template", "spec"],
  }],
  ["DeploymentConfig", TEMPLATE],
]);

/** Whether objects of a kind hold a pod, or, as a List, may hold such objects. */
export function holdsPods(kind: string): boolean {
  return kind === "List" || PLACES.has(kind);
}

/** An object of one of those kinds as a typed decode leaves it. */
export type WorkloadObject = Readonly<Record<string, unknown>>;

/** The pod that an object holds. */
export function podOf(object: WorkloadObject): Pod {
  const place = placeOf(object);
  const metadata = at(object, place.metadata) as ObjectMeta | undefined;
  const spec = at(object, place.spec) as PodSpec | undefined;
  // A pointer in two of the kinds, so that it can be missing; elsewhere there is an empty one.
  if (spec === undefined || metadata === undefined) {
    throw new InjectionError("bad_pod", "spec.template is required value");
  }
  return { metadata, spec, status: {} };
}

/** The object with another pod in it. */
export function withPod(object: WorkloadObject, pod: Pod): WorkloadObject {
  const place = placeOf(object);
  return put(put(object, place.metadata, pod.metadata), place.spec, pod.spec);
}

/**
 * What templates are told of the pod's owner: the object itself, or that of a bare pod, unless it is
 * not to be looked for.
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

/** A workload in the words of warnings: kind and `namespace/name`. */
export function describeWorkload(object: WorkloadObject): string {
  const { name, namespace, kind } = metaOf(object);
  // The name of the template goes before the owner's, though its namespace does not.
  const own = at(object, placeOf(object).metadata) as ObjectMeta | undefined;
  const full = quote(`${namespace && `${namespace}/`}${own?.name || name}`);
  // An owner may come without a kind.
  return kind ? `${kind} ${full}` : full;
}

/** Where the pod stands in an object. */
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
