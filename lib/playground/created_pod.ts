/**
 * Converts between a workload and the pod that its controller would create. The webhook sees pods,
 * but users write Deployments, so the injected pod is put back into the pod template.
 */
import { controlledPod } from "../explain/mod.ts";
import type { ObjectMeta, Pod, WorkloadObject } from "../inject/mod.ts";

export interface CreatedPod {
  readonly pod: Pod;
  readonly namespace: string;
  /** The path from the object to the pod's metadata and spec. */
  readonly path: readonly string[];
  /** Returns the object with the injected pod in place of its own. */
  put(injected: Pod): WorkloadObject;
}

/** Returns `undefined` for an object without a pod. */
export function createdPod(object: WorkloadObject, namespace: string): CreatedPod | undefined {
  const made = controlledPod(object, { namespace });
  if (made === undefined) return undefined;
  const path = pathOf(made.kind);
  const pod = made.pod as unknown as Pod;
  const holder = at(object, path);
  const own = (holder.metadata ?? {}) as ObjectMeta;
  return {
    pod,
    namespace: made.namespace,
    path,
    put(injected) {
      const metadata = without(injected.metadata, { added: pod.metadata, own }) as ObjectMeta;
      // Deployments label their pods with a hash.
      const labels = without(metadata.labels ?? {}, {
        added: pod.metadata.labels ?? {},
        own: own.labels ?? {},
      });
      const isEmpty = Object.keys(labels).length === 0 && own.labels === undefined;
      return replace(object, path, {
        ...holder,
        metadata: { ...metadata, labels: isEmpty ? undefined : labels },
        spec: injected.spec,
      });
    },
  };
}

function pathOf(kind: string): readonly string[] {
  if (kind === "Pod") return [];
  return kind === "CronJob" ? ["spec", "jobTemplate", "spec", "template"] : ["spec", "template"];
}

type Fields = Readonly<Record<string, unknown>>;

/** Removes what a controller adds to its pods. */
function without(fields: Fields, { added, own }: { added: Fields; own: Fields }): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([key]) =>
      !Object.hasOwn(added, key) || Object.hasOwn(own, key) || key === "labels"
    ).map((
      [key, value],
    ) => [key, key === "namespace" && Object.hasOwn(own, key) ? own[key] : value]),
  );
}

function at(object: WorkloadObject, path: readonly string[]): WorkloadObject {
  let value: unknown = object;
  for (const key of path) value = (value as WorkloadObject)[key];
  return value as WorkloadObject;
}

function replace(
  object: WorkloadObject,
  [key, ...rest]: readonly string[],
  value: WorkloadObject,
): WorkloadObject {
  if (key === undefined) return value;
  return { ...object, [key]: replace(object[key] as WorkloadObject, rest, value) };
}
