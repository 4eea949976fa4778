/** Finds the pod's owner, which templates see as `DeploymentMeta` and `TypeMeta`. */
import { lookup, type ObjectMeta } from "../pod.ts";
import type { LegacyBehaviours } from "./compat.ts";

/** The owner. Its metadata is the pod's own, under the owner's name. */
export interface Owner {
  readonly metadata: ObjectMeta;
  readonly kind: string;
  readonly apiVersion: string;
}

/** Matches Job names of a CronJob, which end in a ten-digit time. */
const CRON_JOB_NAME = /^(.+)-(?:\d|[+-](?=\d))\d{9}$/;

export interface OwnerOptions {
  /** The request's namespace. */
  readonly namespace: string;
  readonly behaviours: Pick<LegacyBehaviours, "owner" | "ownerOfJob" | "ownerByHash">;
}

export function ownerOf(metadata: ObjectMeta, { namespace, behaviours }: OwnerOptions): Owner {
  const pod = { kind: "Pod", apiVersion: "v1" };
  if (!behaviours.owner) return { metadata, ...pod };
  // Before 1.8 the request's namespace wins over the pod's.
  const { namespace: own, ...rest } = metadata;
  const where = behaviours.ownerByHash ? own : namespace;
  const named = (name: string | undefined): ObjectMeta => ({
    ...rest,
    ...(where ? { namespace: where } : {}),
    ...(name ? { name } : {}),
  });
  const reference = metadata.generateName
    ? metadata.ownerReferences?.find(({ controller }) => controller)
    : undefined;
  if (!reference) return { metadata: named(metadata.name), ...pod };
  const { name, kind, apiVersion } = reference;
  if (kind === "ReplicaSet") {
    const hash = lookup(metadata.labels, "pod-template-hash") ?? "";
    if (name.endsWith(hash) && (hash !== "" || !behaviours.ownerByHash)) {
      const end = `-${hash}`;
      const deployment = name.endsWith(end) ? name.slice(0, -end.length) : name;
      return { metadata: named(deployment), kind: "Deployment", apiVersion };
    }
  }
  if (kind === "Job" && behaviours.ownerOfJob) {
    const cronJob = CRON_JOB_NAME.exec(name)?.[1];
    if (cronJob !== undefined) {
      return { metadata: named(cronJob), kind: "CronJob", apiVersion: "batch/v1beta1" };
    }
  }
  return { metadata: named(name), kind, apiVersion };
}
