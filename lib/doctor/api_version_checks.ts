/**
 * Finds API versions that Kubernetes no longer serves. A file with such a version is rejected. An object
 * that was applied from such a file keeps working until the file is applied again.
 */

import { type DoctorFacts, minorOf } from "./facts.ts";
import { type Finding, Report } from "./finding.ts";

/** A removed version, its kinds, the minor version of Kubernetes that removed it, and its replacement. */
type Row = readonly [apiVersion: string, kinds: string, since: number, now: string];

/** The kinds of an injector and of workloads, from Kubernetes' deprecated API migration guide. */
const REMOVED: readonly Row[] = [
  ["extensions/v1beta1", "Deployment DaemonSet ReplicaSet", 16, "apps/v1"],
  ["extensions/v1beta1", "NetworkPolicy", 16, "networking.k8s.io/v1"],
  ["extensions/v1beta1", "Ingress", 22, "networking.k8s.io/v1"],
  ["apps/v1beta1", "Deployment StatefulSet", 16, "apps/v1"],
  ["apps/v1beta2", "Deployment StatefulSet DaemonSet ReplicaSet", 16, "apps/v1"],
  [
    "admissionregistration.k8s.io/v1beta1",
    "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    22,
    "admissionregistration.k8s.io/v1",
  ],
  ["apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", 22, "apiextensions.k8s.io/v1"],
  ["certificates.k8s.io/v1beta1", "CertificateSigningRequest", 22, "certificates.k8s.io/v1"],
  ["coordination.k8s.io/v1beta1", "Lease", 22, "coordination.k8s.io/v1"],
  ["networking.k8s.io/v1beta1", "Ingress IngressClass", 22, "networking.k8s.io/v1"],
  [
    "rbac.authorization.k8s.io/v1beta1",
    "Role RoleBinding ClusterRole ClusterRoleBinding",
    22,
    "rbac.authorization.k8s.io/v1",
  ],
  ["scheduling.k8s.io/v1beta1", "PriorityClass", 22, "scheduling.k8s.io/v1"],
  ["batch/v1beta1", "CronJob", 25, "batch/v1"],
  ["discovery.k8s.io/v1beta1", "EndpointSlice", 25, "discovery.k8s.io/v1"],
  ["events.k8s.io/v1beta1", "Event", 25, "events.k8s.io/v1"],
  ["policy/v1beta1", "PodDisruptionBudget", 25, "policy/v1"],
  ["autoscaling/v2beta1", "HorizontalPodAutoscaler", 25, "autoscaling/v2"],
  ["autoscaling/v2beta2", "HorizontalPodAutoscaler", 26, "autoscaling/v2"],
];

export function checkApiVersions({ sources, isLive, apiServer }: DoctorFacts): Finding[] {
  const minor = apiServer === undefined ? undefined : minorOf(apiServer);
  return sources.flatMap(({ about, kind, apiVersion }) => {
    const row = REMOVED.find(([version, kinds]) =>
      version === apiVersion && kinds.split(" ").includes(kind)
    );
    if (row === undefined) return [];
    const [, , since, now] = row;
    if (minor !== undefined && minor < since) return [];
    const report = new Report("versions", about);
    const look = `kubectl explain ${kind.toLowerCase()} --api-version=${now}`;
    if (isLive) {
      report.warn(
        `it was applied as ${apiVersion}, which Kubernetes 1.${since} removed: ` +
          `change the manifest to ${now}, or applying it again will fail`,
        look,
      );
    } else {
      report.error(
        `Kubernetes 1.${since} removed ${apiVersion}: change it to ${now}`,
        look,
      );
    }
    return report.problems();
  });
}
