/**
 * The pod that a workload's controller would create, as the API server would send it to a webhook: a workload of any
 * kind goes in, a pod comes out. Unlike the command line's injection, which writes into workloads, this is about
 * what the cluster sees: labels and annotations of the pod template, and an owner.
 */
import { isMap } from "../data/map.ts";
import { type Json, textOf, valueAt } from "./_json.ts";

export interface ControlledPod {
  readonly pod: Json;
  /** As in `Deployment "shop/cart"`. */
  readonly workload: string;
  readonly kind: string;
  readonly namespace: string;
  /** Metadata of the workload itself, where that is not the pod's own. */
  readonly workloadMetadata?: Json;
}

/** Where a pod template stands, the deepest first. */
const TEMPLATES: readonly (readonly string[])[] = [
  ["spec", "jobTemplate", "spec", "template"],
  ["spec", "template"],
];

/** What stands between a workload and its pods: the kind of the pods' owner, and what its name ends in. */
const OWNERS: ReadonlyMap<string, readonly [kind: string, end: string, apiVersion?: string]> =
  new Map([
    ["Deployment", ["ReplicaSet", "-5d5f8b7c9d", "apps/v1"]],
    ["Rollout", ["ReplicaSet", "-5d5f8b7c9d", "apps/v1"]],
    ["CronJob", ["Job", "-28000000", "batch/v1"]],
    ["DeploymentConfig", ["ReplicationController", "-1", "v1"]],
  ]);

const HASHES: ReadonlyMap<string, string> = new Map([
  ["Deployment", "pod-template-hash"],
  ["Rollout", "rollouts-pod-template-hash"],
]);

/** `undefined` for an object that holds no pod. */
export function controlledPod(
  object: unknown,
  { namespace: given = "default" }: { namespace?: string } = {},
): ControlledPod | undefined {
  if (!isMap(object)) return undefined;
  const kind = typeof object.kind === "string" ? object.kind : "Pod";
  const metadata = isMap(object.metadata) ? object.metadata : {};
  const namespace = textOf(metadata.namespace) || given;
  const name = textOf(metadata.name) || textOf(metadata.generateName);
  const workload = `${kind} ${JSON.stringify(`${namespace}/${name}`)}`;
  if (kind === "Pod") {
    const pod = { ...object, metadata: { ...metadata, namespace } };
    return { pod, workload, kind, namespace };
  }
  const template = TEMPLATES.map((path) => valueAt(object, path)).find(isMap);
  if (template === undefined || !isMap(template.spec)) return undefined;
  const [ownerKind, end, apiVersion = textOf(object.apiVersion)] = OWNERS.get(kind) ?? [kind, ""];
  const own = isMap(template.metadata) ? template.metadata : {};
  const hash = HASHES.get(kind);
  const labels = isMap(own.labels) ? own.labels : {};
  return {
    workload,
    kind,
    namespace,
    workloadMetadata: metadata,
    pod: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        ...own,
        namespace,
        generateName: `${name}${end}-`,
        ...(hash === undefined ? {} : { labels: { ...labels, [hash]: end.slice(1) } }),
        ownerReferences: [
          { apiVersion, kind: ownerKind, name: `${name}${end}`, controller: true, uid: "" },
        ],
      },
      spec: template.spec,
    },
  };
}
