/**
 * What is sent while measuring: replicas of one workload, a thousand workloads that differ, large pods,
 * and pods of chosen sizes. The same on every run.
 */
import { Random } from "../fuzz/_random.ts";
import { type Json, reviewText, SUFFIX_MARK, UID_MARK, type Workload } from "./_review.ts";

export const LOADS = ["replicas", "distinct", "unseen", "large"] as const;
export type LoadName = typeof LOADS[number];

export const TITLES: Readonly<Record<LoadName, string>> = {
  replicas: "replicas of one workload",
  distinct: "1,000 distinct workloads",
  unseen: "workloads never seen before",
  large: "large pods (20 containers, 200 env)",
};

const DISTINCT = 1000;
/** Enough that a large pod is not one workload's again and again. */
const LARGE = 50;

/** Reviews with marks in them (see `fillReview`), sent one after the other and then again. */
export function reviewsOf(load: LoadName): string[] {
  switch (load) {
    case "replicas":
      return [reviewText(replicated())];
    case "distinct": {
      const random = new Random(9);
      return Array.from({ length: DISTINCT }, (_, i) => reviewText(distinct(random, i)));
    }
    case "unseen": {
      const random = new Random(11);
      return Array.from({ length: DISTINCT }, (_, i) => reviewText(unseen(distinct(random, i))));
    }
    case "large": {
      const random = new Random(10);
      return Array.from({ length: LARGE }, (_, i) => reviewText(large(random, i)));
    }
  }
}

/** An ordinary web service with probes, a configuration and a secret. */
function replicated(): Workload {
  return {
    name: "checkout",
    namespace: "shop",
    labels: { app: "checkout", version: "v3", "app.kubernetes.io/part-of": "shop" },
    annotations: {
      "prometheus.io/scrape": "true",
      "prometheus.io/port": "9102",
      "prometheus.io/path": "/metrics",
    },
    spec: {
      volumes: [{ name: "settings", configMap: { name: "checkout-settings", defaultMode: 420 } }],
      containers: [{
        name: "checkout",
        image: "registry.example.com/shop/checkout:3.14.1",
        args: ["--listen=:8080", "--settings=/etc/checkout/settings.yaml"],
        ports: [
          { name: "http", containerPort: 8080, protocol: "TCP" },
          { name: "metrics", containerPort: 9102, protocol: "TCP" },
        ],
        env: [
          { name: "LOG_LEVEL", value: "info" },
          { name: "CART_ADDRESS", value: "http://cart.shop.svc.cluster.local:8080" },
          {
            name: "DATABASE_PASSWORD",
            valueFrom: { secretKeyRef: { name: "checkout-database", key: "password" } },
          },
          {
            name: "POD_IP",
            valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } },
          },
        ],
        resources: {
          limits: { memory: "512Mi" },
          requests: { cpu: "250m", memory: "256Mi" },
        },
        volumeMounts: [{ name: "settings", readOnly: true, mountPath: "/etc/checkout" }],
        livenessProbe: { httpGet: { path: "/healthz", port: "http", scheme: "HTTP" } },
        readinessProbe: { httpGet: { path: "/readyz", port: 8080, scheme: "HTTP" } },
        securityContext: {
          capabilities: { drop: ["ALL"] },
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
        },
      }],
      serviceAccountName: "checkout",
    },
  };
}

const NOUNS = ["cart", "mail", "search", "ledger", "stock", "price", "image", "login", "queue"];
const ROLES = ["api", "worker", "cache", "sync", "export", "proxy", "web"];
const CPU = ["50m", "100m", "250m", "500m", "1", "2"];
const MEMORY = ["64Mi", "128Mi", "256Mi", "512Mi", "1Gi", "2Gi"];

/** What some workloads say of their sidecar. */
const ANNOTATIONS: readonly ((random: Random) => Record<string, string>)[] = [
  (random) => ({ "sidecar.istio.io/proxyCPU": random.pick(CPU) }),
  (random) => ({ "sidecar.istio.io/proxyMemory": random.pick(MEMORY) }),
  (random) => ({
    "traffic.sidecar.istio.io/excludeOutboundPorts": String(random.int(1024, 65535)),
  }),
  (random) => ({ "traffic.sidecar.istio.io/includeInboundPorts": `80,${random.int(1024, 9999)}` }),
  (random) => ({ "proxy.istio.io/config": `concurrency: ${random.int(1, 8)}\n` }),
  (random) => ({ "prometheus.io/scrape": "true", "prometheus.io/port": `${random.int(80, 9999)}` }),
  (random) => ({ "sidecar.istio.io/logLevel": random.pick(["debug", "info", "warning"]) }),
];

function distinct(random: Random, index: number): Workload {
  const name = `${random.pick(NOUNS)}-${random.pick(ROLES)}-${index}`;
  const annotations = Object.assign(
    { "example.com/commit": random.int(0, 2 ** 31).toString(16) },
    ...random.some(ANNOTATIONS, 3).map((make) => make(random)),
  );
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  const hasInit = random.chance(0.3);
  return {
    name,
    namespace: `team-${random.int(1, 50)}`,
    labels: {
      app: name,
      version: `v${random.int(1, 9)}`,
      "app.kubernetes.io/name": name,
      ...(random.chance(0.5) ? { tier: random.pick(["front", "back", "data"]) } : {}),
    },
    annotations,
    spec: {
      volumes: [
        { name: "config", configMap: { name: `${name}-config`, defaultMode: 420 } },
        ...(random.chance(0.4) ? [{ name: "scratch", emptyDir: {} }] : []),
        ...(random.chance(0.3)
          ? [{ name: "certs", secret: { secretName: `${name}-certs`, defaultMode: 420 } }]
          : []),
      ],
      ...(hasInit
        ? { initContainers: [{ name: "migrate", image: image(random), args: ["migrate", name] }] }
        : {}),
      containers: Array.from({ length: count }, (_, i) => someContainer(random, i)),
      ...(random.chance(0.7) ? { serviceAccountName: name } : {}),
      ...(random.chance(0.3) ? { nodeSelector: { pool: random.pick(["general", "fast"]) } } : {}),
      ...(random.chance(0.3)
        ? { securityContext: { runAsUser: random.int(1000, 9999), fsGroup: 2000 } }
        : {}),
    },
  };
}

/** The same under a name, a label and an image that each request replaces by others. */
function unseen(workload: Workload): Workload {
  const name = `${workload.name}-${SUFFIX_MARK}`;
  return {
    ...workload,
    name,
    labels: { ...workload.labels, app: name },
    spec: {
      ...workload.spec,
      containers: workload.spec.containers.map((container) => ({
        ...container,
        image: `${container.image}-${SUFFIX_MARK}`,
      })),
    },
  };
}

function image(random: Random): string {
  const version = `${random.int(0, 9)}.${random.int(0, 30)}.${random.int(0, 30)}`;
  return `registry.example.com/${random.pick(NOUNS)}/${random.pick(ROLES)}:${version}`;
}

function someContainer(random: Random, index: number): Json {
  const port = random.int(1024, 9999);
  const probe = (): Json =>
    random.pick<Json>([
      { httpGet: { path: `/health/${random.int(1, 99)}`, port, scheme: "HTTP" } },
      { httpGet: { path: "/ready", port: `port-${index}`, scheme: "HTTP" } },
      { tcpSocket: { port } },
      { grpc: { port, service: "" } },
      { exec: { command: ["cat", "/run/healthy"] } },
    ]);
  return {
    name: index === 0 ? "app" : `helper-${index}`,
    image: image(random),
    ...(random.chance(0.5) ? { args: [`--port=${port}`, `--shard=${random.int(0, 99)}`] } : {}),
    ports: [{ name: `port-${index}`, containerPort: port, protocol: "TCP" }],
    env: environment(random, random.int(1, 12)),
    resources: {
      limits: { cpu: random.pick(CPU), memory: random.pick(MEMORY) },
      requests: { cpu: random.pick(CPU), memory: random.pick(MEMORY) },
    },
    volumeMounts: [{ name: "config", readOnly: true, mountPath: "/etc/app" }],
    ...(random.chance(0.7) ? { livenessProbe: probe() } : {}),
    ...(random.chance(0.7) ? { readinessProbe: probe() } : {}),
    ...(random.chance(0.2) ? { startupProbe: probe() } : {}),
    ...(random.chance(0.3) ? { lifecycle: { preStop: { sleep: { seconds: 5 } } } } : {}),
  };
}

function environment(random: Random, count: number): Json[] {
  return Array.from({ length: count }, (_, i) => {
    const name = `${random.pick(NOUNS)}_${random.pick(ROLES)}_${i}`.toUpperCase();
    return random.chance(0.8)
      ? { name, value: `http://${random.pick(NOUNS)}.${random.int(1, 50)}.svc:${8000 + i}` }
      : { name, valueFrom: { secretKeyRef: { name: "shared", key: `key-${i}` } } };
  });
}

const LARGE_CONTAINERS = 20;
const LARGE_ENV = 200;

function large(random: Random, index: number): Workload {
  const base = distinct(random, index);
  return {
    ...base,
    name: `large-${index}`,
    spec: {
      ...base.spec,
      containers: Array.from({ length: LARGE_CONTAINERS }, (_, i) => ({
        ...someContainer(random, i),
        env: environment(random, LARGE_ENV / LARGE_CONTAINERS),
      })),
    },
  };
}

/** A bare pod that environment variables fill up to so many bytes, review included. */
export function reviewOfSize(bytes: number): string {
  const review = (count: number) => {
    const env = Array.from({ length: count }, (_, i) => ({
      name: `VARIABLE_${String(i).padStart(6, "0")}`,
      value: `value ${i} of a setting that is neither short nor long`,
    }));
    return JSON.stringify({
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1",
      request: {
        uid: UID_MARK,
        kind: { group: "", version: "v1", kind: "Pod" },
        resource: { group: "", version: "v1", resource: "pods" },
        namespace: "default",
        operation: "CREATE",
        object: {
          kind: "Pod",
          apiVersion: "v1",
          metadata: { name: "grown", namespace: "default", labels: { app: "grown" } },
          spec: { containers: [{ name: "app", image: "app", ...(count > 0 ? { env } : {}) }] },
          status: {},
        },
      },
    });
  };
  const empty = review(0).length;
  const each = (review(1000).length - empty) / 1000;
  return review(Math.max(0, Math.round((bytes - empty) / each)));
}
