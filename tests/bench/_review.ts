/**
 * A pod's AdmissionReview as kube-apiserver 1.35 sends it for a pod of a ReplicaSet: defaults filled in,
 * managed fields computed, the service account's token mounted. Where each request has a value of its
 * own (the review's uid, the random part of the token volume's name) the text has a mark of the same
 * length, so that whoever sends it can put a fresh value in without changing its length.
 */

export type Json = Record<string, unknown>;

/** Stands for the five random letters of `kube-api-access-…`. */
export const SUFFIX_MARK = "@@@@@";
/** Stands for the review's uid. */
export const UID_MARK = "########-####-####-####-############";

const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
const TOKEN_VOLUME = `kube-api-access-${SUFFIX_MARK}`;

/** What a workload's author writes. */
export interface Workload {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** With containers, initContainers and volumes at least as lists. */
  readonly spec: Json & { readonly containers: readonly Json[] };
}

/** The review of one of its pods, as text with marks. */
export function reviewText(workload: Workload): string {
  return JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: UID_MARK,
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      requestKind: { group: "", version: "v1", kind: "Pod" },
      requestResource: { group: "", version: "v1", resource: "pods" },
      namespace: workload.namespace,
      operation: "CREATE",
      userInfo: {
        username: "system:serviceaccount:kube-system:replicaset-controller",
        uid: "2b7a9c1e-5f0d-4c55-9a9e-6f1f4e0c7d21",
        groups: [
          "system:serviceaccounts",
          "system:serviceaccounts:kube-system",
          "system:authenticated",
        ],
        extra: {
          "authentication.kubernetes.io/credential-id": [
            "JTI=0d8f7e0a-3c1c-4a5e-b6a8-1b6c3cf0f3a1",
          ],
        },
      },
      object: podOf(workload),
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    },
  });
}

function podOf({ name, namespace, labels, annotations, spec }: Workload): Json {
  const hash = templateHash(name);
  const replicaSet = `${name}-${hash}`;
  const metadata = {
    generateName: `${replicaSet}-`,
    namespace,
    labels: { ...labels, "pod-template-hash": hash },
    ...(annotations === undefined ? {} : { annotations }),
    ownerReferences: [{
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: replicaSet,
      uid: "8d3fb1c4-8a39-4f0c-9c5e-7c1d4b1f6a90",
      controller: true,
      blockOwnerDeletion: true,
    }],
  };
  const written = podSpec(spec);
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      ...metadata,
      managedFields: [{
        manager: "kube-controller-manager",
        operation: "Update",
        apiVersion: "v1",
        time: "2026-09-01T08:30:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": fieldsOf({ ...metadata, namespace: undefined }),
          "f:spec": fieldsOf(written),
        },
      }],
    },
    spec: withToken(written),
    status: {},
  };
}

/** The spec with the defaults that decoding fills in. */
function podSpec(spec: Workload["spec"]): Json {
  const { volumes, initContainers, containers, serviceAccountName, ...rest } = spec;
  const lists = (list: unknown) => (list as readonly Json[]).map(container);
  return {
    ...(volumes === undefined ? {} : { volumes }),
    ...(initContainers === undefined ? {} : { initContainers: lists(initContainers) }),
    containers: lists(containers),
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    ...(serviceAccountName === undefined
      ? {}
      : { serviceAccountName, serviceAccount: serviceAccountName }),
    securityContext: {},
    schedulerName: "default-scheduler",
    enableServiceLinks: true,
    ...rest,
  };
}

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];

function container(written: Json): Json {
  const probes = PROBES.filter((name) => written[name] !== undefined).map((name) => {
    const defaults = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1 };
    return [name, { ...written[name] as Json, ...defaults, failureThreshold: 3 }];
  });
  return {
    resources: {},
    ...written,
    ...Object.fromEntries(probes),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  };
}

/** What the admission plugins before the webhooks add: token, tolerations, priority. */
function withToken(spec: Json): Json {
  const mount = { name: TOKEN_VOLUME, readOnly: true, mountPath: TOKEN_PATH };
  const mounted = (list: unknown) =>
    (list as readonly Json[]).map((container) => ({
      ...container,
      volumeMounts: [...(container.volumeMounts as Json[] | undefined ?? []), mount],
    }));
  const { volumes, initContainers, containers, serviceAccountName = "default", ...rest } = spec;
  return {
    volumes: [...(volumes as Json[] | undefined ?? []), tokenVolume()],
    ...(initContainers === undefined ? {} : { initContainers: mounted(initContainers) }),
    containers: mounted(containers),
    ...rest,
    serviceAccountName,
    serviceAccount: serviceAccountName,
    tolerations: ["not-ready", "unreachable"].map((state) => ({
      key: `node.kubernetes.io/${state}`,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    })),
    priority: 0,
    preemptionPolicy: "PreemptLowerPriority",
  };
}

function tokenVolume(): Json {
  return {
    name: TOKEN_VOLUME,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{
              path: "namespace",
              fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" },
            }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}

/** Keys that tell a list's items apart, by the field's name. */
const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ["name"],
  initContainers: ["name"],
  env: ["name"],
  volumes: ["name"],
  ports: ["containerPort", "protocol"],
  volumeMounts: ["mountPath"],
  ownerReferences: ["uid"],
};

/** Managed fields in the notation of FieldsV1; lists without keys are one field. */
function fieldsOf(value: Json): Json {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries.map(([name, field]) => [`f:${name}`, fieldOf(name, field)]));
}

function fieldOf(name: string, field: unknown): Json {
  if (Array.isArray(field)) {
    const keys = LIST_KEYS[name];
    if (keys === undefined) return {};
    const items = field.map((item) => {
      const key = JSON.stringify(Object.fromEntries(keys.map((key) => [key, item[key]])));
      return [`k:${key}`, { ".": {}, ...fieldsOf(item) }];
    });
    return { ".": {}, ...Object.fromEntries(items) };
  }
  if (typeof field !== "object" || field === null) return {};
  return name === "labels" || name === "annotations" || name === "resources"
    ? { ".": {}, ...fieldsOf(field as Json) }
    : fieldsOf(field as Json);
}

const SAFE = "bcdfghjklmnpqrstvwxz2456789";

/** Like a ReplicaSet's: the same for the same template. */
function templateHash(name: string): string {
  let state = 2166136261;
  for (const char of name) state = Math.imul(state ^ char.charCodeAt(0), 16777619) >>> 0;
  return Array.from({ length: 9 }, (_, i) => SAFE[Math.floor(state / 3 ** i) % SAFE.length])
    .join("");
}

/** The text with its marks replaced; each count gives other values. */
export function fillReview(text: string, count: number): string {
  let rest = count;
  const letters = Array.from({ length: SUFFIX_MARK.length }, () => {
    const letter = SAFE[rest % SAFE.length];
    rest = Math.floor(rest / SAFE.length);
    return letter;
  });
  const uid = `00000000-0000-4000-8000-${count.toString(16).padStart(12, "0")}`;
  return text.replaceAll(SUFFIX_MARK, letters.join("")).replace(UID_MARK, uid);
}
