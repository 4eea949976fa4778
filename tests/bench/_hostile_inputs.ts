/**
 * The worst-case inputs of the hostile benchmark: reviews that a tenant of the cluster, or a program that reaches
 * the webhook's port, can send. Each is made on demand, since together they take hundreds of megabytes.
 */

type Json = Record<string, unknown>;

export interface HostileInput {
  /** What the body holds, in a few words. */
  readonly name: string;
  readonly body: () => string;
}

const MB = 1024 * 1024;
/** The API server passes on objects of up to 3 MiB. */
const LARGE = 3 * MB;
/** The most that the webhook reads of a body; see MAX_BODY_BYTES in lib/server/inject_route.ts. */
const LARGEST = 7 * MB;

const INJECT = { "sidecar.istio.io/inject": "true" };

interface PodParts {
  readonly annotations?: Json;
  readonly labels?: Json;
  readonly metadata?: Json;
  readonly spec?: Json;
}

function podOf({ annotations = {}, labels = {}, metadata = {}, spec = {} }: PodParts): Json {
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name: "hostile",
      namespace: "tenant",
      labels: { ...INJECT, ...labels },
      annotations,
      ...metadata,
    },
    spec: { containers: [app()], ...spec },
  };
}

function app(fields: Json = {}): Json {
  return { name: "app", image: "app", ...fields };
}

function reviewOf(object: unknown): string {
  return JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "6f1c2a5e-0d55-4b1b-9d4e-3d1f0a9b7c11",
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace: "tenant",
      operation: "CREATE",
      object,
    },
  });
}

function pod(parts: PodParts): () => string {
  return () => reviewOf(podOf(parts));
}

/** The review of a pod that is only made when it is asked for. */
function lazy(parts: () => PodParts): () => string {
  return () => reviewOf(podOf(parts()));
}

function annotation(name: string, value: () => string): () => string {
  return lazy(() => ({ annotations: { [name]: value() } }));
}

function list<T>(count: number, item: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => item(i));
}

function map(count: number, entry: (i: number) => [string, unknown]): Json {
  return Object.fromEntries(list(count, entry));
}

/** As many items as fill so many bytes. */
function filled(bytes: number, item: (i: number) => unknown): unknown[] {
  return list(Math.floor(bytes / (JSON.stringify(item(100_000)).length + 1)), item);
}

/** A raw piece of JSON in place of the pod's spec. */
function raw(spec: () => string): () => string {
  return () => reviewOf(podOf({ spec: { hostile: "@" } })).replace('"@"', spec);
}

const TEMPLATES = "inject.istio.io/templates";
const OVERRIDES = "proxy.istio.io/overrides";
const CONFIG = "proxy.istio.io/config";
const STATUS = "sidecar.istio.io/status";
const TRAFFIC = "traffic.sidecar.istio.io/";
const USER_VOLUME = "sidecar.istio.io/userVolume";

const http = { httpGet: { path: "/", port: 80 } };
const port = (i: number) => ({ containerPort: i % 65_535 + 1, protocol: "TCP" });

const templateLists: HostileInput[] = [2_000, 8_000, 300_000].map((count) => ({
  name: `${TEMPLATES}: sidecar, ${count} times`,
  body: annotation(TEMPLATES, () => list(count, () => "sidecar").join(",")),
}));

const overridden = (count: number) =>
  JSON.stringify({ containers: list(count, (i) => ({ name: `c${i}` })) });

const lists: HostileInput[] = [
  ...[20_000, 100_000].map((count) => ({
    name: `${count} ports of one container`,
    body: lazy(() => ({ spec: { containers: [app({ ports: list(count, port) })] } })),
  })),
  {
    name: "100000 equal ports",
    body: lazy(() => ({ spec: { containers: [app({ ports: list(100_000, () => port(1)) })] } })),
  },
  {
    name: "60000 containers",
    body: lazy(() => ({ spec: { containers: list(60_000, (i) => ({ name: `c${i}` })) } })),
  },
  {
    name: "60000 init containers",
    body: lazy(() => ({ spec: { initContainers: list(60_000, (i) => ({ name: `c${i}` })) } })),
  },
  {
    name: "3 MB of containers named istio-proxy",
    body: lazy(() => ({
      spec: { containers: filled(LARGE, () => ({ name: "istio-proxy", image: "auto" })) },
    })),
  },
  {
    name: "3 MB of containers of one name",
    body: lazy(() => ({ spec: { containers: filled(LARGE, () => app()) } })),
  },
  {
    name: "3 MB of empty containers",
    body: lazy(() => ({ spec: { containers: filled(LARGE, () => ({})) } })),
  },
  {
    name: "10000 probes",
    body: lazy(() => ({
      spec: {
        containers: list(10_000, (i) => ({
          name: `c${i}`,
          readinessProbe: http,
          livenessProbe: http,
          startupProbe: http,
        })),
      },
    })),
  },
  {
    name: "3 MB of environment variables",
    body: lazy(() => ({
      spec: {
        containers: [
          app({ env: filled(LARGE, (i) => ({ name: `V${i}`, value: "v" })) }),
        ],
      },
    })),
  },
  {
    name: "3 MB of equal environment variables of istio-proxy",
    body: lazy(() => ({
      spec: {
        containers: [app(), {
          name: "istio-proxy",
          image: "auto",
          env: filled(LARGE, () => ({ name: "V", value: "v" })),
        }],
      },
    })),
  },
  {
    name: "20000 different ports of istio-proxy",
    body: lazy(() => ({
      spec: { containers: [app(), { name: "istio-proxy", ports: list(20_000, port) }] },
    })),
  },
  ...["volumes", "imagePullSecrets", "tolerations", "hostAliases", "topologySpreadConstraints"].map(
    (key) => ({
      name: `3 MB of ${key}`,
      body: lazy(() => ({
        spec: {
          [key]: filled(LARGE, (i) => ({
            name: `n${i}`,
            ...(key === "tolerations" ? { key: `k${i}` } : {}),
            ...(key === "hostAliases" ? { ip: `10.0.0.${i}` } : {}),
            ...(key === "topologySpreadConstraints" ? { topologyKey: `k${i}` } : {}),
          })),
        },
      })),
    }),
  ),
  {
    name: "3 MB of volume mounts",
    body: lazy(() => ({
      spec: {
        containers: [
          app({ volumeMounts: filled(LARGE, (i) => ({ name: `v${i}`, mountPath: `/m${i}` })) }),
        ],
      },
    })),
  },
  {
    name: "3 MB of owner references",
    body: lazy(() => ({
      metadata: {
        generateName: "a-",
        ownerReferences: filled(LARGE, (i) => ({
          apiVersion: "v1",
          kind: "A",
          name: `o${i}`,
          uid: `${i}`,
        })),
      },
    })),
  },
  {
    name: "3 MB of managed fields",
    body: lazy(() => ({
      metadata: { managedFields: filled(LARGE, (i) => ({ fieldsV1: { [`f:${i}`]: {} } })) },
    })),
  },
  {
    name: "everything twice, 3 MB of empty objects in each list",
    body: lazy(() => ({
      spec: Object.fromEntries(
        ["containers", "initContainers", "volumes", "imagePullSecrets", "tolerations"].map((
          key,
        ) => [
          key,
          filled(LARGE / 5, () => ({ name: "a", name2: "a" })),
        ]),
      ),
    })),
  },
];

const overrides: HostileInput[] = [
  {
    name: `${OVERRIDES} with 100000 containers`,
    body: annotation(OVERRIDES, () => overridden(100_000)),
  },
  {
    name: `${OVERRIDES} with 10000 containers in a pod of 10000`,
    body: lazy(() => ({
      annotations: { [OVERRIDES]: overridden(10_000) },
      spec: { containers: list(10_000, (i) => ({ name: `d${i}` })) },
    })),
  },
  {
    name: `${OVERRIDES} and ${STATUS} of 100000 names, 10000 containers`,
    body: lazy(() => ({
      annotations: {
        [OVERRIDES]: overridden(50_000),
        [STATUS]: JSON.stringify({ containers: list(100_000, (i) => `n${i}`) }),
      },
      spec: { containers: list(10_000, (i) => ({ name: `d${i}` })) },
    })),
  },
  {
    name: `${OVERRIDES} of istio-proxy with 50000 variables`,
    body: annotation(OVERRIDES, () =>
      JSON.stringify({
        containers: [{
          name: "istio-proxy",
          env: list(50_000, (i) => ({ name: `V${i}`, value: "v" })),
        }],
      })),
  },
];

const flowNesting = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const aliasBomb = (levels: number) =>
  list(
    levels,
    (i) => `a${i}: &a${i} [${list(10, () => (i === 0 ? "lol" : `*a${i - 1}`)).join(",")}]`,
  ).join("\n");

const annotations: HostileInput[] = [
  {
    name: `${CONFIG} with proxyMetadata of 200000 keys, YAML`,
    body: annotation(
      CONFIG,
      () => `proxyMetadata:\n${list(200_000, (i) => `  K${i}: v`).join("\n")}`,
    ),
  },
  {
    name: `${CONFIG} with proxyMetadata of 200000 keys, JSON`,
    body: annotation(
      CONFIG,
      () => JSON.stringify({ proxyMetadata: map(200_000, (i) => [`K${i}`, "v"]) }),
    ),
  },
  {
    name: `${CONFIG} with proxyMetadata of 15000 keys (256 KiB)`,
    body: annotation(
      CONFIG,
      () => JSON.stringify({ proxyMetadata: map(15_000, (i) => [`KEY${i}`, "v"]) }),
    ),
  },
  { name: `${CONFIG}: alias bomb`, body: annotation(CONFIG, () => aliasBomb(12)) },
  {
    name: `${CONFIG}: 3 MB of aliases`,
    body: annotation(CONFIG, () => `a: &a x\nb: [${"*a,".repeat(LARGE / 3)}]`),
  },
  {
    name: `${CONFIG}: flow nesting, 900 deep`,
    body: annotation(CONFIG, () => `a: ${flowNesting(900)}`),
  },
  {
    name: `${CONFIG}: flow nesting, 1000000 deep`,
    body: annotation(CONFIG, () => `a: ${flowNesting(1_000_000)}`),
  },
  {
    name: `${CONFIG}: flow list [a,a,…, 3 MB`,
    body: annotation(CONFIG, () => `a: [${"a,".repeat(LARGE / 2)}]`),
  },
  {
    name: `${CONFIG}: flow list [a,a,…, 250 KB`,
    body: annotation(CONFIG, () => `a: [${"a,".repeat(125_000)}]`),
  },
  {
    name: `${CONFIG}: question marks, 250 KB`,
    body: annotation(CONFIG, () => "? ".repeat(125_000)),
  },
  { name: `${CONFIG}: line breaks, 250 KB`, body: annotation(CONFIG, () => "a:\n".repeat(83_000)) },
  {
    name: `${CONFIG}: block list - - -, 250 KB`,
    body: annotation(CONFIG, () => "- ".repeat(125_000)),
  },
  {
    name: `${CONFIG}: a number of 200 KB`,
    body: annotation(CONFIG, () => `concurrency: ${"9".repeat(200_000)}`),
  },
  {
    name: `${CONFIG}: a duration of 200 KB`,
    body: annotation(CONFIG, () => `drainDuration: "${"1h".repeat(100_000)}"`),
  },
  {
    name: `${CONFIG}: a list of 20000 addresses in a text`,
    body: annotation(
      CONFIG,
      () => JSON.stringify({ discoveryAddress: `${"a.".repeat(20_000)}:15012` }),
    ),
  },
  {
    name: `${USER_VOLUME} with 80000 entries`,
    body: annotation(
      USER_VOLUME,
      () => JSON.stringify(map(80_000, (i) => [`v${i}`, { emptyDir: {} }])),
    ),
  },
  {
    name: `${USER_VOLUME} with 8000 entries`,
    body: annotation(
      USER_VOLUME,
      () => JSON.stringify(map(8_000, (i) => [`v${i}`, { emptyDir: {} }])),
    ),
  },
  {
    name: `${USER_VOLUME} and userVolumeMount with 5000 entries each`,
    body: lazy(() => ({
      annotations: {
        [USER_VOLUME]: JSON.stringify(map(5_000, (i) => [`v${i}`, {}])),
        "sidecar.istio.io/userVolumeMount": JSON.stringify(
          map(5_000, (i) => [`v${i}`, { mountPath: `/m${i}` }]),
        ),
      },
    })),
  },
  {
    name: `${USER_VOLUME}: alias bomb`,
    body: annotation(USER_VOLUME, () => `{"a": &a [1], "b": [${"*a,".repeat(80_000)}1]}`),
  },
  {
    name: `${USER_VOLUME}: nesting, 9000 deep`,
    body: annotation(USER_VOLUME, () => `{"v":${flowNesting(9_000)}}`),
  },
  ...["includeInboundPorts", "excludeInboundPorts", "excludeOutboundPorts"].flatMap((name) =>
    [250_000, LARGE].map((bytes) => ({
      name: `${TRAFFIC}${name}, ${bytes} bytes`,
      body: annotation(TRAFFIC + name, () => "1,".repeat(bytes / 2) + "1"),
    }))
  ),
  ...["includeOutboundIPRanges", "excludeOutboundIPRanges"].flatMap((name) =>
    [250_000, LARGE].map((bytes) => ({
      name: `${TRAFFIC}${name}, ${bytes} bytes`,
      body: annotation(TRAFFIC + name, () => "::/0,".repeat(bytes / 5) + "::/0"),
    }))
  ),
  {
    name: `${TRAFFIC}excludeInterfaces, 250000 bytes`,
    body: annotation(`${TRAFFIC}excludeInterfaces`, () => "e,".repeat(125_000) + "e"),
  },
  {
    name: "prometheus.istio.io/scrape-targets, 250000 bytes",
    body: annotation("prometheus.istio.io/scrape-targets", () => "1:/,".repeat(62_500) + "1"),
  },
  {
    name: "k8s.v1.cni.cncf.io/networks, 250000 bytes",
    body: annotation("k8s.v1.cni.cncf.io/networks", () => "a, ".repeat(83_000) + "a"),
  },
  ...["sidecar.istio.io/proxyCPU", "sidecar.istio.io/proxyMemoryLimit"].flatMap((name) => [
    { name: `${name}: 1e999999999`, body: annotation(name, () => "1e999999999") },
    { name: `${name}: 200 KB of digits`, body: annotation(name, () => "9".repeat(200_000)) },
    { name: `${name}: 1e-999999999`, body: annotation(name, () => "1e-999999999") },
  ]),
  {
    name: "container quantities 1e999999999 and 200 KB of digits",
    body: pod({
      spec: {
        containers: [
          app({ resources: { limits: { cpu: "1e999999999", memory: "9".repeat(200_000) } } }),
        ],
      },
    }),
  },
  {
    name: "a JSON number of 3 MB",
    body: raw(() => "9".repeat(LARGE)),
  },
  {
    name: "sidecar.istio.io/proxyImage: 250 KB of slashes",
    body: annotation("sidecar.istio.io/proxyImage", () => "/:@".repeat(83_000)),
  },
  {
    name: "sidecar.istio.io/proxyImageType: 250 KB",
    body: annotation("sidecar.istio.io/proxyImageType", () => "-a".repeat(125_000)),
  },
  {
    name: "status.sidecar.istio.io/port: 200 KB of digits",
    body: annotation("status.sidecar.istio.io/port", () => "9".repeat(200_000)),
  },
  {
    name: "owner Job of 250 KB of digits and dashes",
    body: lazy(() => ({
      metadata: {
        generateName: "a-",
        ownerReferences: [{
          controller: true,
          apiVersion: "batch/v1",
          kind: "Job",
          name: `${"-12345678".repeat(28_000)}x`,
          uid: "1",
        }],
      },
    })),
  },
  {
    name: "every annotation that is read, 250 KB of spaces and quotes together",
    body: lazy(() => ({
      annotations: Object.fromEntries(
        [
          "sidecar.istio.io/logLevel",
          "sidecar.istio.io/componentLogLevel",
          "sidecar.istio.io/agentLogLevel",
          "sidecar.istio.io/bootstrapOverride",
          "sidecar.istio.io/statsInclusionPrefixes",
          "sidecar.istio.io/extraStatTags",
          "apm.datadoghq.com/env",
          "istio.io/reroute-virtual-interfaces",
          "proxyless.istio.io/x",
          "prometheus.io/port",
          "resource.opentelemetry.io/service.version",
          "sidecar.istio.io/interceptionMode",
        ].map((name) => [name, ' "\\\n\u2028'.repeat(3_500)]),
      ),
    })),
  },
];

const texts: HostileInput[] = [
  { name: "a name of 3 MB", body: lazy(() => ({ metadata: { name: "n".repeat(LARGE) } })) },
  {
    name: "an unread annotation of 3 MB",
    body: annotation("example.com/a", () => "x".repeat(LARGE)),
  },
  {
    name: "an annotation of 3 MB beyond Latin-1",
    body: annotation("example.com/a", () => "\u4e2d".repeat(LARGE / 3)),
  },
  {
    name: "sidecar.istio.io/logLevel of 3 MB",
    body: annotation("sidecar.istio.io/logLevel", () => "x".repeat(LARGE)),
  },
  {
    name: "a label of 3 MB",
    body: lazy(() => ({ labels: { app: "x".repeat(LARGE) } })),
  },
  {
    name: "a variable of 3 MB",
    body: lazy(() => ({
      spec: { containers: [app({ env: [{ name: "A", value: "x".repeat(LARGE) }] })] },
    })),
  },
  {
    name: "a service account of 3 MB",
    body: lazy(() => ({ spec: { serviceAccountName: "x".repeat(LARGE) } })),
  },
  {
    name: "3 MB of annotations",
    body: lazy(() => ({ annotations: map(LARGE / 12, (i) => [`a${i}`, ""]) })),
  },
  {
    name: "3 MB of prometheus.io annotations",
    body: lazy(() => ({ annotations: map(LARGE / 24, (i) => [`prometheus.io/a${i}`, ""]) })),
  },
  {
    name: "3 MB of labels",
    body: lazy(() => ({ labels: map(LARGE / 12, (i) => [`l${i}`, ""]) })),
  },
  {
    name: "3 MB of labels in reverse order",
    body: lazy(() => ({ labels: map(LARGE / 12, (i) => [`l${999_999 - i}`, ""]) })),
  },
];

const bodies: HostileInput[] = [
  { name: "YAML: x: [a,a,…, 6.8 MB", body: () => `x: [${"a,".repeat(3_400_000)}a]` },
  {
    name: "YAML: a review with 2 MB of labels",
    body: () => `request: {}\n${"a: b\n".repeat(400_000)}`,
  },
  { name: "JSON broken at its end, 7 MB", body: () => `{"a":[${"1,".repeat(LARGEST / 2 - 10)}` },
  {
    name: "JSON broken at its end, 7 MB of objects",
    body: () => `{"a":[${"{},".repeat(LARGEST / 3 - 10)}`,
  },
  {
    name: "JSON broken at its end, a text of 7 MB",
    body: () => `{"a":"${"x".repeat(LARGEST - 20)}`,
  },
  { name: "JSON nested 3500000 deep", body: () => `{"a":${flowNesting(3_500_000)}}` },
  {
    name: "JSON nested 9000 deep in the pod",
    body: raw(() => `${"[".repeat(9_000)}${"]".repeat(9_000)}`),
  },
  {
    name: "JSON objects nested 500000 deep",
    body: raw(() => `${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`),
  },
  { name: "7 MB of empty lists", body: raw(() => `[${"[],".repeat(LARGEST / 3 - 200)}1]`) },
  { name: "7 MB of empty objects", body: raw(() => `[${"{},".repeat(LARGEST / 3 - 200)}1]`) },
  { name: "7 MB of numbers", body: raw(() => `[${"1,".repeat(LARGEST / 2 - 300)}1]`) },
  { name: "7 MB of long numbers", body: raw(() => `[${"1.234567890123e-5,".repeat(400_000)}1]`) },
  {
    name: "7 MB of one-member objects with different keys",
    body: raw(() => `[${list(400_000, (i) => `{"k${i}":1}`).join(",")}]`),
  },
  {
    name: "7 MB of one key again and again",
    body: raw(() => `{${'"a":1,'.repeat(LARGEST / 6 - 200)}"a":1}`),
  },
  {
    name: "7 MB of different keys",
    body: raw(() => `{${list(500_000, (i) => `"k${i}":1`).join(",")}}`),
  },
  {
    name: "a text of 7 MB in escapes",
    body: raw(() => `"${"\\u00e9".repeat(LARGEST / 6 - 200)}"`),
  },
  { name: "a text of 6.9 MB", body: raw(() => `"${"x".repeat(LARGEST - 1_000)}"`) },
  {
    name: "7 MB of spaces",
    body: () => " ".repeat(LARGEST - 2) + "{}",
  },
  {
    name: "7 MB without kind",
    body: () => JSON.stringify({ request: { object: "x".repeat(LARGEST - 100) } }),
  },
  {
    name: "an apiVersion of 7 MB",
    body: () => JSON.stringify({ kind: "AdmissionReview", apiVersion: "x".repeat(LARGEST - 100) }),
  },
  {
    name: "a uid of 7 MB",
    body: () => reviewOf(podOf({})).replace("6f1c2a5e-", () => "0".repeat(LARGEST - 2_000)),
  },
  {
    name: "7 MB of times and token names",
    body: raw(() =>
      `[${'"kube-api-access-abcde",{"time":"2026-01-01T00:00:00Z"},'.repeat(120_000)}1]`
    ),
  },
  {
    name: "userInfo with 7 MB of groups",
    body: () => {
      const review = JSON.parse(reviewOf(podOf({})));
      review.request.userInfo = { groups: filled(LARGEST - 4_000, (i) => `g${i}`) };
      return JSON.stringify(review);
    },
  },
];

/** As much as the limits of lib/inject/limits.ts let through. */
const probed = (name: string) => ({
  name,
  readinessProbe: http,
  livenessProbe: http,
  startupProbe: http,
  ports: list(4, port),
});
const keys = (bytes: number) => map(Math.floor(bytes / 14), (i) => [`K${10_000 + i}`, "v"]);
const variables = (count: number) => list(count, (i) => ({ name: `V${i}`, value: "v" }));
const atLimits: HostileInput[] = [
  {
    name: "at the limits: 16 templates",
    body: annotation(TEMPLATES, () => list(16, () => "sidecar").join(",")),
  },
  {
    name: "at the limits: 1024 ports",
    body: lazy(() => ({ spec: { containers: [app({ ports: list(1_024, port) })] } })),
  },
  {
    name: "at the limits: 1024 ports, 16 templates",
    body: lazy(() => ({
      annotations: { [TEMPLATES]: list(16, () => "sidecar").join(",") },
      spec: { containers: [app({ ports: list(1_024, port) })] },
    })),
  },
  {
    name: "at the limits: 500 containers with 3 probes and 4 ports",
    body: lazy(() => ({ spec: { containers: list(500, (i) => probed(`c${i}`)) } })),
  },
  {
    name: "at the limits: 500 containers, 16 templates",
    body: lazy(() => ({
      annotations: { [TEMPLATES]: list(16, () => "sidecar").join(",") },
      spec: { containers: list(500, (i) => probed(`c${i}`)) },
    })),
  },
  {
    name: "at the limits: 500 containers named istio-proxy",
    body: lazy(() => ({ spec: { containers: list(500, () => probed("istio-proxy")) } })),
  },
  {
    name: "at the limits: 250 KB of overrides of istio-proxy",
    body: annotation(OVERRIDES, () =>
      JSON.stringify({
        containers: [{
          name: "istio-proxy",
          env: list(8_000, (i) => ({ name: `V${i}`, value: "v" })),
        }],
      })),
  },
  {
    name: "at the limits: 250 KB of proxyMetadata",
    body: annotation(CONFIG, () => JSON.stringify({ proxyMetadata: keys(250_000) })),
  },
  {
    name: "at the limits: 250 KB of proxyMetadata, 16 templates",
    body: lazy(() => ({
      annotations: {
        [CONFIG]: JSON.stringify({ proxyMetadata: keys(250_000) }),
        [TEMPLATES]: list(16, () => "sidecar").join(","),
      },
    })),
  },
  {
    name: "at the limits: 30 KB of proxyMetadata, 16 templates",
    body: lazy(() => ({
      annotations: {
        [CONFIG]: JSON.stringify({ proxyMetadata: keys(30_000) }),
        [TEMPLATES]: list(16, () => "sidecar").join(","),
      },
    })),
  },
  {
    name: "at the limits: 32000 variables",
    body: lazy(() => ({ spec: { containers: [app({ env: variables(32_000) })] } })),
  },
  {
    name: "at the limits: 25000 variables, 1000 ports, 150 containers, 150 KB of annotations",
    body: lazy(() => ({
      annotations: {
        [CONFIG]: JSON.stringify({ proxyMetadata: keys(50_000) }),
        [USER_VOLUME]: JSON.stringify(map(1_000, (i) => [`v${i}`, {}])),
        "a/b": "x".repeat(50_000),
      },
      spec: {
        containers: [
          ...list(150, (i) => probed(`c${i}`)),
          app({ ports: list(400, port), env: variables(25_000) }),
        ],
      },
    })),
  },
  {
    name: "at the limits: 12000 variables, 500 ports, 100 containers, 20 KB of annotations",
    body: lazy(() => ({
      annotations: { [CONFIG]: JSON.stringify({ proxyMetadata: keys(20_000) }) },
      spec: {
        containers: [
          ...list(100, (i) => probed(`c${i}`)),
          app({ ports: list(100, port), env: variables(12_000) }),
        ],
      },
    })),
  },
  {
    name: "at the limits: 95000 values that nobody reads",
    body: raw(() => `[${"{},".repeat(47_500)}1]`),
  },
  {
    name: "at the limits: 9000 labels",
    body: lazy(() => ({ labels: map(9_000, (i) => [`l${i}`, ""]) })),
  },
  {
    name: "at the limits: 9000 labels, 32000 tolerations",
    body: lazy(() => ({
      labels: map(9_000, (i) => [`l${i}`, ""]),
      spec: { tolerations: list(32_000, (i) => ({ key: `k${i}` })) },
    })),
  },
  {
    name: "at the limits: 90000 small values and 5 MB of text",
    body: lazy(() => ({
      metadata: { name: "n".repeat(5 * MB) },
      spec: { tolerations: list(45_000, (i) => ({ key: `k${i}` })) },
    })),
  },
  {
    name: "at the limits: 1000 levels, 80 times",
    body: raw(() => `[${list(80, () => flowNesting(990)).join(",")}]`),
  },
];

/** What was at the limits of an earlier version. */
const pastLimits: HostileInput[] = [
  {
    name: "2048 ports",
    body: lazy(() => ({ spec: { containers: [app({ ports: list(2_048, port) })] } })),
  },
  {
    name: `${TEMPLATES}: sidecar, 32 times`,
    body: annotation(TEMPLATES, () => list(32, () => "sidecar").join(",")),
  },
  {
    name: "65000 variables",
    body: lazy(() => ({ spec: { containers: [app({ env: variables(65_000) })] } })),
  },
  {
    name: "50000 variables, 2048 ports, 200 containers, 150 KB of annotations",
    body: lazy(() => ({
      annotations: {
        [CONFIG]: JSON.stringify({ proxyMetadata: keys(50_000) }),
        [USER_VOLUME]: JSON.stringify(map(1_000, (i) => [`v${i}`, {}])),
        "a/b": "x".repeat(50_000),
      },
      spec: {
        containers: [
          ...list(200, (i) => probed(`c${i}`)),
          app({ ports: list(1_200, port), env: variables(50_000) }),
        ],
      },
    })),
  },
  {
    name: "190000 values that nobody reads",
    body: raw(() => `[${"{},".repeat(95_000)}1]`),
  },
  {
    name: "190000 labels",
    body: lazy(() => ({ labels: map(190_000, (i) => [`l${i}`, ""]) })),
  },
  {
    name: "190000 small values and 5 MB of text",
    body: lazy(() => ({
      metadata: { name: "n".repeat(5 * MB) },
      spec: { tolerations: list(63_000, (i) => ({ key: `k${i}` })) },
    })),
  },
];

export const HOSTILE_INPUTS: readonly HostileInput[] = [
  ...templateLists,
  ...lists,
  ...overrides,
  ...annotations,
  ...texts,
  ...bodies,
  ...atLimits,
  ...pastLimits,
];
