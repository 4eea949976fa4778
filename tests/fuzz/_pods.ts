/** Random pods as the API server might send them, before it has encoded them (the peer does that). */
import { type Mood, randomAnnotations, randomLabels } from "./_annotations.ts";
import { addOverrides, addStatus, compact, spoil } from "./_changes.ts";
import { type Json, randomContainer } from "./_containers.ts";
import type { Random } from "./_random.ts";

const NAMESPACES = [
  "default",
  "default",
  "default",
  "test-ns",
  "test-ns",
  "prod",
  "istio-system",
  "",
  "kube-system",
];
const PATHS = [
  "/inject",
  "/inject",
  "/inject",
  "/inject/",
  "/inject/cluster/c1/net/n1",
  "/inject/cluster/Kubernetes",
  "/inject/net/n1",
  "/inject/ISTIO_META_FOO/bar--slash--baz",
  "/inject/:ENV:cluster=c1:ENV:net=n1",
  "/inject/:ENV:A=b=c",
  "/inject/a/b/c",
  "/inject/net/",
  "/inject/net/n%2Fx/y",
  "/inject/x/%22q%22",
];
const OWNERS: readonly (readonly [string, string, string])[] = [
  ["apps/v1", "ReplicaSet", "hello-abc123"],
  ["apps/v1", "ReplicaSet", "other"],
  ["apps/v1", "StatefulSet", "web"],
  ["apps/v1", "DaemonSet", "d"],
  ["batch/v1", "Job", "j-27891234"],
  ["batch/v1", "Job", "job"],
  ["batch/v1", "Job", "j-1234567"],
  ["v1", "ReplicationController", "rc-1"],
  ["apps.openshift.io/v1", "DeploymentConfig", "dc"],
  ["argoproj.io/v1alpha1", "Rollout", "r"],
  ["apps/v1", "ReplicaSet", "-abc123"],
  ["apps/v1", "ReplicaSet", "abc123"],
];
/** Admission comes before validation, so names may be anything; templates put some in unquoted. */
const ODD = [
  'a"b',
  "yes",
  "5",
  "ü",
  "a: b",
  "{x}",
  "-",
  "",
  "#",
  "null",
  "1e3",
  "a'b",
  "*x",
  "a\nb",
  "<no value>",
  "\t",
  "~",
  "a #b",
  "toString",
];
const CONTAINERS = ["app1", "app2", "app3", "istio-proxy", "istio-init", "enable-core-dump"];

export interface RandomPod {
  readonly path: string;
  readonly namespace: string;
  readonly pod: Json;
}

export function randomPod(random: Random): RandomPod {
  const mood = { bad: random.pick([0, 0, 0, 0.02, 0.3]) };
  const pod: Json = {
    ...(random.chance(0.7) ? { kind: "Pod", apiVersion: "v1" } : {}),
    metadata: randomMetadata(random, mood),
    spec: randomSpec(random, mood),
    status: {},
  };
  if (random.chance(0.12)) addOverrides(random, pod, mood);
  if (random.chance(0.08)) addStatus(random, pod, mood);
  if (random.chance(0.03)) spoil(random, pod);
  return {
    path: random.pick(PATHS),
    namespace: random.pick(NAMESPACES),
    pod: compact(pod) as Json,
  };
}

function randomMetadata(random: Random, mood: Mood): Json {
  const odd = (usual: string) => random.chance(mood.bad / 3) ? random.pick(ODD) : usual;
  const name = random.pick([
    "hello",
    "a-very-long-pod-name-" + "z".repeat(60),
    "5",
    "true",
    "web-0",
  ]);
  const generated = random.chance(0.65);
  return {
    name: random.maybe(generated ? 0.2 : 0.95, () => odd(name)),
    generateName: generated ? random.pick(["hello-abc123-", "job-abc-", "-", "x"]) : undefined,
    namespace: random.maybe(0.4, () => odd(random.pick(NAMESPACES))),
    labels: randomLabels(random),
    annotations: randomAnnotations(random, mood),
    ownerReferences: random.maybe(
      0.6,
      () =>
        Array.from({ length: random.pick([1, 1, 1, 2]) }, (_, i) => {
          const [apiVersion, kind, owner] = random.pick(OWNERS);
          const controller = random.maybe(0.9, () => random.chance(0.85));
          return {
            apiVersion: odd(apiVersion),
            kind: odd(kind),
            name: odd(owner),
            uid: `u-${i}`,
            controller,
          };
        }),
    ),
    finalizers: random.maybe(0.05, () => ["a/b"]),
    creationTimestamp: random.maybe(0.1, () => random.pick([null, "2026-01-02T03:04:05Z"])),
    uid: random.maybe(0.1, () => "0b1e"),
    managedFields: random.maybe(0.1, () => [{
      manager: "m",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:metadata": {} },
    }]),
  };
}

function randomSpec(random: Random, mood: Mood): Json {
  const names = random.some(CONTAINERS.slice(0, 3), 3);
  if (names.length === 0 && random.chance(0.9)) names.push("app1");
  if (random.chance(0.2)) names.splice(random.int(0, names.length), 0, "istio-proxy");
  if (random.chance(mood.bad / 4)) names.push(random.pick([...CONTAINERS, ...ODD]));
  if (random.chance(mood.bad / 8)) names.unshift(random.pick(ODD));
  const inits = random.maybe(0.4, () => {
    const list = random.some([
      "init1",
      "init2",
      "istio-init",
      "istio-validation",
      "istio-proxy",
      "enable-core-dump",
    ], 3);
    return list.map((name) => ({
      ...randomContainer(random, name, mood),
      restartPolicy: random.maybe(0.25, () => "Always"),
    }));
  });
  return {
    volumes: random.maybe(0.5, () => randomVolumes(random)),
    initContainers: inits,
    containers: names.map((name) => randomContainer(random, name, mood)),
    ephemeralContainers: random.maybe(
      0.02,
      () => [{ name: "debug", image: "busybox", resources: {} }],
    ),
    restartPolicy: random.maybe(0.2, () => random.pick(["Always", "Never"])),
    terminationGracePeriodSeconds: random.maybe(0.15, () => random.pick([0, 30])),
    activeDeadlineSeconds: random.maybe(0.03, () => 5),
    dnsPolicy: random.maybe(0.2, () => random.pick(["ClusterFirst", "Default", "None"])),
    nodeSelector: random.maybe(0.08, () => ({ disk: "ssd" })),
    serviceAccountName: random.maybe(
      0.3,
      () => random.pick(["sa", "default", random.chance(mood.bad) ? random.pick(ODD) : "x"]),
    ),
    serviceAccount: random.maybe(0.1, () => "sa"),
    automountServiceAccountToken: random.maybe(0.1, () => random.chance(0.5)),
    nodeName: random.maybe(0.1, () => random.pick(["node-1", "node-2", "node-x"])),
    hostNetwork: random.maybe(0.04, () => random.chance(0.7)),
    hostPID: random.maybe(0.03, () => true),
    shareProcessNamespace: random.maybe(0.08, () => random.chance(0.5)),
    securityContext: random.maybe(0.25, () => ({
      runAsUser: random.maybe(0.4, () => random.pick([0, 1000])),
      runAsNonRoot: random.maybe(0.4, () => true),
      fsGroup: random.maybe(0.4, () => random.pick([0, 1337])),
      supplementalGroups: random.maybe(0.1, () => [1, 2]),
      sysctls: random.maybe(0.1, () => [{ name: "a", value: "1" }]),
    })),
    imagePullSecrets: random.maybe(
      0.2,
      () => random.some<Json>([{ name: "regcred" }, { name: "barSecret" }, { name: "z" }, {}], 3),
    ),
    hostname: random.maybe(0.05, () => "h"),
    affinity: random.maybe(0.05, () => ({
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{
          weight: 1,
          podAffinityTerm: { topologyKey: "zone" },
        }],
      },
    })),
    schedulerName: random.maybe(0.1, () => "default-scheduler"),
    tolerations: random.maybe(
      0.15,
      () => [{
        key: "node.kubernetes.io/not-ready",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      }],
    ),
    hostAliases: random.maybe(0.05, () => [{ ip: "1.2.3.4", hostnames: ["h"] }]),
    priority: random.maybe(0.05, () => 0),
    dnsConfig: random.maybe(0.08, () =>
      random.pick<Json>([
        { searches: ["x"], options: [{ name: "ndots", value: "2" }, { name: "edns0" }] },
        { nameservers: ["1.1.1.1"] },
        {},
      ])),
    readinessGates: random.maybe(0.03, () => [{ conditionType: "x" }]),
    enableServiceLinks: random.maybe(0.1, () => random.chance(0.5)),
    preemptionPolicy: random.maybe(0.03, () => "Never"),
    overhead: random.maybe(0.03, () => ({ cpu: "250m" })),
    topologySpreadConstraints: random.maybe(0.05, () => [
      {
        maxSkew: 1,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { a: "b" } },
      },
    ]),
    unknownFutureField: random.maybe(0.04, () => ({ a: 1 })),
  };
}

function randomVolumes(random: Random): Json[] {
  return random.some<Json>([
    { name: "data", emptyDir: {} },
    { name: "certs", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
    { name: "istio-envoy", emptyDir: {} },
    { name: "workload-socket", hostPath: { path: "/x", type: "" } },
    { name: "istio-token", secret: { secretName: "t" } },
    {
      name: "cm",
      configMap: { name: "c", items: [{ key: "k", path: "p", mode: 0 }], optional: false },
    },
    { name: "uv", persistentVolumeClaim: { claimName: "p" } },
    {
      name: "kube-api-access-x7k2p",
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
    },
  ], 4);
}
