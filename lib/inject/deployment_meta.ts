/** Finds the workload of a pod from its owner and its generated name. */
import { type Behaviours, behavioursOf } from "./compat.ts";
import { lookup, type ObjectMeta } from "./pod.ts";

export interface WorkloadMeta {
  readonly name: string;
  readonly namespace: string;
  readonly kind: string;
  readonly apiVersion: string;
}

/** Matches Job names of a CronJob, which end in the scheduled time: minutes (8 digits) or seconds (10). */
const CRON_JOB_NAME = /^(.+)-\d{8,10}$/;

const TODAY = behavioursOf("today");

export function deploymentMeta(
  metadata: ObjectMeta,
  { behaviours = TODAY }: { readonly behaviours?: Behaviours } = {},
): WorkloadMeta {
  const workload = ownerOf(metadata, behaviours);
  // The remaining owner name may be empty.
  return { ...workload, name: workload.name || (metadata.name ?? "") };
}

function ownerOf(metadata: ObjectMeta, behaviours: Behaviours): WorkloadMeta {
  const namespace = metadata.namespace ?? "";
  const owner = metadata.generateName
    ? metadata.ownerReferences?.find((reference) => reference.controller)
    : undefined;
  if (!owner) return { name: "", namespace, kind: "Pod", apiVersion: "v1" };
  const { name, kind, apiVersion } = owner;
  const workload = { name, namespace, kind, apiVersion };
  switch (owner.kind) {
    case "ReplicaSet": {
      const hashed = (label: string) => {
        const hash = lookup(metadata.labels, label);
        if (!hash || !owner.name.endsWith(hash)) return undefined;
        return owner.name.endsWith(`-${hash}`) ? owner.name.slice(0, -hash.length - 1) : owner.name;
      };
      const deployment = hashed("pod-template-hash");
      if (deployment !== undefined) return { ...workload, name: deployment, kind: "Deployment" };
      const rollout = hashed("rollouts-pod-template-hash");
      if (rollout === undefined || !behaviours.ownerRollout) return workload;
      return { ...workload, name: rollout, kind: "Rollout", apiVersion: "v1alpha1" };
    }
    case "ReplicationController": {
      const name = lookup(metadata.labels, "deploymentconfig");
      return !name || !behaviours.ownerDeploymentConfig
        ? workload
        : { ...workload, name, kind: "DeploymentConfig" };
    }
    case "Job": {
      const name = CRON_JOB_NAME.exec(owner.name)?.[1];
      if (name === undefined) return workload;
      return {
        ...workload,
        name,
        kind: "CronJob",
        apiVersion: behaviours.ownerCronJobBeta ? "batch/v1beta1" : "batch/v1",
      };
    }
  }
  return workload;
}
