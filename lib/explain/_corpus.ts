/**
 * Pods to test a template with: one for each pod feature that templates check, and one for each
 * annotation that a template names. The API server would accept all of them.
 */
import { INJECT, NATIVE_SIDECAR, PROXY_CONTAINER } from "../inject/mod.ts";

type Json = Readonly<Record<string, unknown>>;

export interface CorpusPod {
  /** The feature of the pod, for messages. */
  readonly what: string;
  readonly pod: Json;
}

const APP = { name: "app", image: "registry.example.org/app:1.2" };

interface Parts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly metadata?: Json;
  readonly spec?: Json;
}

/** Builds an ordinary pod with these parts. */
export function corpusPod({ labels, annotations, metadata, spec }: Parts): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: "app-5d5f8b7c9d-",
      namespace: "shop",
      labels: { app: "app", "pod-template-hash": "5d5f8b7c9d", ...labels, [INJECT]: "true" },
      ...(annotations ? { annotations } : {}),
      ownerReferences: [{
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "app-5d5f8b7c9d",
        controller: true,
        uid: "1",
      }],
      ...metadata,
    },
    spec: { serviceAccountName: "app", containers: [APP], ...spec },
  };
}

const probe = (handler: Json) => ({ ...APP, livenessProbe: handler, readinessProbe: handler });

const SHAPES: readonly (readonly [what: string, parts: Parts])[] = [
  ["a plain pod", {}],
  ["a pod without labels or owner", {
    metadata: { name: "bare", generateName: "", ownerReferences: [] },
  }],
  ["labels of a canonical service", {
    labels: {
      "app.kubernetes.io/name": "shop",
      "app.kubernetes.io/version": "v2",
      version: "v2",
      "service.istio.io/canonical-name": "shop",
      "service.istio.io/canonical-revision": "v2",
      "topology.istio.io/network": "net1",
    },
  }],
  ["ports with and without names", {
    spec: {
      containers: [{ ...APP, ports: [{ containerPort: 80, name: "http" }, { containerPort: 81 }] }],
    },
  }],
  ["several containers", { spec: { containers: [APP, { ...APP, name: "second" }] } }],
  ["HTTP probes", { spec: { containers: [probe({ httpGet: { port: 80, path: "/" } })] } }],
  ["TCP probes", { spec: { containers: [probe({ tcpSocket: { port: 80 } })] } }],
  ["gRPC probes", { spec: { containers: [probe({ grpc: { port: 80 } })] } }],
  ["init containers and volumes", {
    spec: {
      initContainers: [{ name: "init", image: "init" }],
      volumes: [{ name: "data", emptyDir: {} }],
      imagePullSecrets: [{ name: "secret" }],
    },
  }],
  ["a security context", {
    spec: {
      securityContext: {
        runAsUser: 1000,
        fsGroup: 1000,
        seccompProfile: { type: "RuntimeDefault" },
      },
    },
  }],
  ["a custom istio-proxy container as its only container", {
    spec: {
      containers: [{ name: PROXY_CONTAINER, image: "auto", ports: [{ containerPort: 8080 }] }],
    },
  }],
  ["a custom istio-proxy container beside the application", {
    spec: { containers: [APP, { name: PROXY_CONTAINER, resources: { limits: { cpu: "1" } } }] },
  }],
  ["no service account and a custom DNS policy", {
    spec: {
      serviceAccountName: "",
      dnsPolicy: "Default",
      hostAliases: [{ ip: "10.0.0.1", hostnames: ["a"] }],
    },
  }],
  ["a native sidecar", { annotations: { [NATIVE_SIDECAR]: "true" } }],
];

/** Typical values of annotations, by the end of their names; the first match applies. */
const USUAL: readonly (readonly [RegExp, readonly string[]])[] = [
  [/interceptionMode$/, ["REDIRECT", "TPROXY", "NONE"]],
  [/userVolume$/, ['{"extra": {"emptyDir": {}}}']],
  [/userVolumeMount$/, ['{"extra": {"mountPath": "/extra"}}']],
  [/(?:CPU|CPULimit)$/, ["100m"]],
  [/(?:Memory|MemoryLimit)$/, ["128Mi"]],
  [/IPRanges$/, ["*", "10.0.0.0/8"]],
  [/Ports?$|port$/, ["*", "8080", "0"]],
  [/(?:Seconds|Threshold)$/, ["5"]],
  [/Interfaces$/, ["eth0"]],
  [/proxy\.istio\.io\/config$/, [
    "holdApplicationUntilProxyStarts: true",
    "proxyMetadata: {ISTIO_META_DNS_CAPTURE: 'true', IPTABLES_TRACE_LOGGING: 'true'}",
    "interceptionMode: TPROXY",
    "statusPort: 0",
    "image: {imageType: distroless}",
    "tracing: {lightstep: {address: 'a:1', accessToken: t}}",
    "tracing: {datadog: {address: 'a:1'}}",
    "tracing: {tlsSettings: {mode: SIMPLE, caCertificates: /etc/ca/ca.pem}, zipkin: {address: 'a:1'}}",
    "availabilityZone: zone",
    "concurrency: 4",
  ]],
  [/[Ll]ogLevel$/, ["debug"]],
  [/proxyImage$/, ["proxyv2-other", "registry.example.org/proxy:1"]],
  [/(?:Override|Name)$/, ["my-name"]],
  [/networks$/, ["net1", '[{"name": "net1"}]']],
  [/./, ["true", "false", "value"]],
];

/** Returns the feature pods, and a pod for each typical value of each annotation. */
export function corpus(annotations: readonly string[]): CorpusPod[] {
  const shapes = SHAPES.map(([what, parts]) => ({ what, pod: corpusPod(parts) }));
  const annotated = annotations.flatMap((name) =>
    usualValues(name).map((value) => ({
      what: `annotation ${name}: ${value}`,
      pod: corpusPod({ annotations: { [name]: value } }),
    }))
  );
  return [...shapes, ...annotated];
}

export function usualValues(annotation: string): readonly string[] {
  return USUAL.find(([pattern]) => pattern.test(annotation))![1];
}

/** Valid annotation values that YAML parses differently if they are not quoted. */
export const ODD_TEXTS: readonly string[] = [
  "yes",
  "1.10",
  "null",
  "a: b",
  "it's",
  'say "no"',
  "#x",
  "a #b",
  "- x",
  "[x",
  "*x",
  "@x",
  "two\nlines: 1",
];

/** The same for labels and names, which allow fewer characters. */
export const ODD_LABELS: readonly string[] = ["yes", "1.10", "null", "0123", "1e3"];
export const ODD_NAMES: readonly string[] = ["true", "123", "1e3", "null"];
