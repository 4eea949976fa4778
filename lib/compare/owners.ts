/** Finds the workload that owns a pod, for example its Deployment instead of the ReplicaSet. */

export interface Workload {
  readonly namespace: string;
  /** For example `Deployment` or `StatefulSet`; `Pod` for a pod without an owner. */
  readonly kind: string;
  readonly name: string;
}

/** An object's metadata. */
export interface Owned {
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** The objects between pods and workloads (ReplicaSets, Jobs), by `namespace/kind/name`. */
export type Between = ReadonlyMap<string, Owned>;

export function between(objects: readonly Owned[], kind: string): [string, Owned][] {
  return objects.map((object) => [keyOf({ ...placeOf(object), kind }), object]);
}

export function workloadOf(pod: Owned, known: Between): Workload {
  let workload: Workload = { ...placeOf(pod), kind: "Pod" };
  let at: Owned | undefined = pod;
  // Pod, ReplicaSet or Job, Deployment or CronJob, and custom resources above them.
  for (let step = 0; step < 4 && at !== undefined; step++) {
    const owner = controllerOf(at);
    if (owner === undefined) break;
    workload = { ...owner, namespace: workload.namespace };
    at = known.get(keyOf(workload));
  }
  return workload;
}

function placeOf({ metadata }: Owned): Pick<Workload, "namespace" | "name"> {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

export function keyOf({ namespace, kind, name }: Workload): string {
  return `${namespace}/${kind}/${name}`;
}

function controllerOf({ metadata }: Owned): Pick<Workload, "kind" | "name"> | undefined {
  const references = Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : [];
  const owner = references.find((one) => one?.controller === true);
  return typeof owner?.kind === "string" && typeof owner.name === "string"
    ? { kind: owner.kind, name: owner.name }
    : undefined;
}
