/** The API resources that this program uses. */

/** An API resource: a kind and its path. */
export interface Resource {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The plural name in paths: `configmaps`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

function inNamespaces(apiVersion: string, kind: string): Resource {
  return { apiVersion, kind, plural: pluralOf(kind), namespaced: true };
}

function clusterWide(apiVersion: string, kind: string): Resource {
  return { apiVersion, kind, plural: pluralOf(kind), namespaced: false };
}

/** Returns the plural; all kinds below are regular. */
function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`;
}

export const CONFIG_MAPS = inNamespaces("v1", "ConfigMap");
export const SECRETS = inNamespaces("v1", "Secret");
export const PODS = inNamespaces("v1", "Pod");
export const SERVICES = inNamespaces("v1", "Service");
export const SERVICE_ACCOUNTS = inNamespaces("v1", "ServiceAccount");
export const NODES = clusterWide("v1", "Node");
export const NAMESPACES = clusterWide("v1", "Namespace");

export const DEPLOYMENTS = inNamespaces("apps/v1", "Deployment");
export const REPLICA_SETS = inNamespaces("apps/v1", "ReplicaSet");
export const STATEFUL_SETS = inNamespaces("apps/v1", "StatefulSet");
export const DAEMON_SETS = inNamespaces("apps/v1", "DaemonSet");
export const JOBS = inNamespaces("batch/v1", "Job");

export const LEASES = inNamespaces("coordination.k8s.io/v1", "Lease");
export const EVENTS = inNamespaces("events.k8s.io/v1", "Event");
export const ENDPOINT_SLICES = inNamespaces("discovery.k8s.io/v1", "EndpointSlice");
export const POD_DISRUPTION_BUDGETS = inNamespaces("policy/v1", "PodDisruptionBudget");
export const MUTATING_WEBHOOK_CONFIGURATIONS = clusterWide(
  "admissionregistration.k8s.io/v1",
  "MutatingWebhookConfiguration",
);
export const SUBJECT_ACCESS_REVIEWS = clusterWide(
  "authorization.k8s.io/v1",
  "SubjectAccessReview",
);
export const CERTIFICATE_SIGNING_REQUESTS = clusterWide(
  "certificates.k8s.io/v1",
  "CertificateSigningRequest",
);

/** A custom resource of Istio; it may not be installed. */
export const PROXY_CONFIGS = inNamespaces("networking.istio.io/v1beta1", "ProxyConfig");
