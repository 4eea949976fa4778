/** Random containers: what a user may write, istio-proxy and istio-init of the user's own included. */
import type { Mood } from "./_annotations.ts";
import type { Random } from "./_random.ts";

export type Json = Record<string, unknown>;

const IMAGES = [
  "nginx",
  "fake.docker.io/google-samples/hello-go-gke:1.0",
  "auto",
  "a/b@sha256:" + "0".repeat(64),
  "localhost:5000/x",
  "r.example:443/a/b:v1@sha256:" + "f".repeat(64),
  "",
];
const PORT_NAMES = ["http", "web", "grpc", "https", "metrics"];
const HOOKS = ["postStart", "preStop"];
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const TIMINGS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
];
const CPU = ["100m", "1", "500m", "2k", "0", "1500m"];
const MEMORY = ["64Mi", "1G", "1Gi", "128974848", "1e3", "0"];

export function randomContainer(random: Random, name: string, mood: Mood): Json {
  const isProxy = name === "istio-proxy";
  return {
    name,
    image: isProxy && random.chance(0.5) ? "auto" : random.pick(IMAGES),
    command: random.maybe(
      0.2,
      () => random.pick([["sh", "-c", 'echo "hi" && sleep 1'], ["run"], []]),
    ),
    args: random.maybe(0.15, () => random.pick([["a", "-u", "5"], ["--x=<y>"], ["-u"], [""]])),
    workingDir: random.maybe(0.05, () => "/w"),
    ports: random.maybe(0.6, () => randomPorts(random)),
    envFrom: random.maybe(0.1, () => randomEnvFrom(random)),
    env: random.maybe(0.4, () => randomEnv(random)),
    resources: randomResources(random),
    resizePolicy: random.maybe(0.05, () => [{ resourceName: "cpu", restartPolicy: "NotRequired" }]),
    volumeMounts: random.maybe(0.35, () => randomMounts(random)),
    volumeDevices: random.maybe(0.04, () => [{ name: "data", devicePath: "/dev/x" }]),
    ...Object.fromEntries(
      PROBES.map((probe) => [probe, random.maybe(0.4, () => randomProbe(random, mood))]),
    ),
    lifecycle: random.maybe(0.25, () => randomLifecycle(random, mood)),
    terminationMessagePath: random.maybe(0.1, () => "/dev/termination-log"),
    terminationMessagePolicy: random.maybe(0.1, () => "File"),
    imagePullPolicy: random.maybe(0.15, () => random.pick(["Always", "IfNotPresent", ""])),
    securityContext: random.maybe(isProxy ? 0.6 : 0.3, () => randomSecurity(random)),
    stdin: random.maybe(0.03, () => true),
    tty: random.maybe(0.03, () => random.chance(0.5)),
  };
}

export function randomPorts(random: Random): Json[] {
  return Array.from({ length: random.int(0, 3) }, () => ({
    name: random.maybe(0.6, () => random.pick(PORT_NAMES)),
    hostPort: random.maybe(0.05, () => random.pick([0, 8081])),
    containerPort: random.pick([80, 90, 443, 8080, 8443, 9090, 15020, 15090]),
    protocol: random.maybe(0.4, () => random.pick(["TCP", "UDP", "SCTP", "TCP"])),
    hostIP: random.maybe(0.03, () => "1.2.3.4"),
  }));
}

function randomEnv(random: Random): Json[] {
  return Array.from({ length: random.int(0, 4) }, () => {
    const name = random.pick([
      "A",
      "B",
      "ISTIO_META_X",
      "POD_NAME",
      "ISTIO_META_NETWORK",
      "ISTIO_META_CLUSTER_ID",
      "PROXY_CONFIG",
      "ISTIO_KUBE_APP_PROBERS",
      "ISTIO_PROMETHEUS_ANNOTATIONS",
      "ENVOY_SECURE_MERGED_METRICS_PORT",
      "FOO",
    ]);
    if (random.chance(0.7)) {
      const values = [
        "1",
        "$(POD)",
        "",
        "0",
        "15444",
        '{"a":1}',
        "{",
        "{}",
        "null",
        "ü✓",
        "<&>",
        "a\nb",
        '{"/app-health/app1/readyz":{"httpGet":{"path":"/old","port":1}}}',
      ];
      return { name, value: random.maybe(0.9, () => random.pick(values)) };
    }
    return {
      name,
      valueFrom: random.pick<Json>([
        { fieldRef: { fieldPath: "status.podIP" } },
        { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } },
        { resourceFieldRef: { containerName: "app1", resource: "limits.cpu", divisor: "0" } },
        {
          resourceFieldRef: { resource: "limits.memory", divisor: random.pick(["1", "1Mi", "0"]) },
        },
        { configMapKeyRef: { name: "c", key: "k", optional: random.chance(0.5) } },
        { secretKeyRef: { key: "k" } },
      ]),
    };
  });
}

function randomEnvFrom(random: Random): Json[] {
  return random.some<Json>([
    { configMapRef: { name: "c" } },
    { prefix: "P_", secretRef: { name: "s", optional: false } },
    { secretRef: { name: "t" } },
  ], 2);
}

function randomResources(random: Random): Json {
  return {
    limits: random.maybe(0.15, () => ({ cpu: random.pick(CPU), "nvidia.com/gpu": "1" })),
    requests: random.maybe(0.3, () => ({ cpu: random.pick(CPU), memory: random.pick(MEMORY) })),
    claims: random.maybe(0.03, () => [{ name: "claim" }]),
  };
}

function randomMounts(random: Random): Json[] {
  return Array.from({ length: random.int(1, 3) }, () => ({
    name: random.pick(["data", "certs", "kube-api-access-x7k2p", "istio-token"]),
    readOnly: random.maybe(0.3, () => random.chance(0.7)),
    mountPath: random.pick([
      "/etc/certs",
      "/data",
      "/etc/istio/proxy",
      "/var/run/secrets/tokens",
      "/mnt/uv",
      "/var/run/secrets/kubernetes.io/serviceaccount",
    ]),
    subPath: random.maybe(0.1, () => "s"),
    mountPropagation: random.maybe(0.05, () => "HostToContainer"),
  }));
}

function randomPort(random: Random, mood: Mood): unknown {
  const named = random.pick([...PORT_NAMES, "80", ""]);
  if (random.chance(mood.bad / 5)) return random.pick(["nope", 0, -1, 70000, "8080"]);
  return random.chance(0.35) ? named : random.pick([80, 90, 443, 8080, 9090, 15020, 15021]);
}

function randomHttp(random: Random, mood: Mood): Json {
  return {
    path: random.maybe(
      0.85,
      () => random.pick(["/", "/healthz", "/live?x=1", "", "ready", "/ü<&>"]),
    ),
    port: randomPort(random, mood),
    host: random.maybe(0.1, () => "1.2.3.4"),
    scheme: random.maybe(0.4, () => random.pick(["HTTP", "HTTPS", "https", ""])),
    httpHeaders: random.maybe(
      0.2,
      () => random.pick([[{ name: "X-A", value: "v" }], [{ name: "Host", value: "" }]]),
    ),
  };
}

function randomTcp(random: Random, mood: Mood): Json {
  return { port: randomPort(random, mood), host: random.maybe(0.15, () => "h") };
}

export function randomProbe(random: Random, mood: Mood): Json {
  const handlers: Readonly<Record<string, () => Json>> = {
    httpGet: () => randomHttp(random, mood),
    tcpSocket: () => randomTcp(random, mood),
    grpc: () => ({
      port: random.pick([9090, 15020, 80, 0]),
      service: random.pick([null, "", "svc"]),
    }),
    exec: () => ({ command: random.pick([["true"], ["cat", "/x"], []]) }),
  };
  const probe: Json = {};
  const kind = random.pick(["httpGet", "httpGet", "httpGet", "tcpSocket", "grpc", "exec", "none"]);
  if (kind !== "none") probe[kind] = handlers[kind]();
  if (random.chance(mood.bad / 8)) probe.tcpSocket = handlers.tcpSocket();
  for (const timing of random.some(TIMINGS, 3)) probe[timing] = random.int(0, 30);
  if (random.chance(0.05)) probe.terminationGracePeriodSeconds = random.pick([0, 30]);
  return probe;
}

function randomLifecycle(random: Random, mood: Mood): Json {
  const lifecycle: Json = {};
  for (const hook of random.some(HOOKS, 2)) {
    lifecycle[hook] = random.pick<() => Json>([
      () => ({ httpGet: randomHttp(random, mood) }),
      () => ({ tcpSocket: randomTcp(random, mood) }),
      () => ({ exec: { command: ["true"] } }),
      () => ({ sleep: { seconds: random.int(0, 5) } }),
      () => ({}),
    ])();
  }
  if (random.chance(0.05)) lifecycle.stopSignal = "SIGUSR1";
  return lifecycle;
}

function randomSecurity(random: Random): Json {
  return {
    capabilities: random.maybe(
      0.3,
      () => random.pick<Json>([{ drop: ["ALL"] }, { add: ["NET_ADMIN"], drop: ["ALL"] }, {}]),
    ),
    privileged: random.maybe(0.2, () => random.chance(0.5)),
    seLinuxOptions: random.maybe(0.05, () => ({ level: "s0" })),
    runAsUser: random.maybe(0.5, () => random.pick([0, 1000, 1337, 4321, 1000620000])),
    runAsGroup: random.maybe(0.3, () => random.pick([0, 1000, 1337])),
    runAsNonRoot: random.maybe(0.2, () => random.chance(0.5)),
    readOnlyRootFilesystem: random.maybe(0.15, () => random.chance(0.5)),
    allowPrivilegeEscalation: random.maybe(0.15, () => random.chance(0.5)),
    procMount: random.maybe(0.03, () => "Default"),
    seccompProfile: random.maybe(0.1, () => ({ type: "RuntimeDefault" })),
  };
}
