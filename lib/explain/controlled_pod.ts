/**
 * Builds the pod that a workload's controller would create, as the API server sends it to a
 * webhook: with the labels and annotations of the pod template, and an owner. By contrast, the
 * command line injects into the workload itself.
 */
import { isMap } from "../data/map.ts";
import { type Json, textOf, valueAt } from "./_json.ts";

export interface ControlledPod {
  readonly pod: Json;
  /** The kind and name, for example `Deployment "shop/cart"`. */
  readonly workload: string;
  readonly kind: string;
  readonly namespace: string;
  /** Metadata of the workload itself, if it is not the pod's own. */
  readonly workloadMetadata?: Json;
}

/** Paths of the pod template, deepest first. */
const TEMPLATES: readonly (readonly string[])[] = [
  ["spec", "jobTemplate", "spec", "template"],
  ["spec", "template"],
];

/**
 * The kind of object between a workload and its pods, the suffix of its name, and its API version.
 */
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

/** Returns `undefined` for an object without a pod. */
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
