/**
 * Settings besides those of the conformance data: the default ones with values, mesh config and
 * injection config changed at random. Both injectors read them from files, so they are written.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Random } from "./_random.ts";

type Changes = Readonly<Record<string, readonly unknown[]>>;

/** By dotted path, what a value may be instead. */
const VALUES: Changes = {
  "global.hub": ["h", "example.com/a"],
  "global.tag": ["1.2-debug", "1.2-distroless", 1.1, 1000000, "1.10", true],
  "global.variant": ["debug", "distroless", "default"],
  "global.caAddress": ["ca:1"],
  "global.caName": ["GkeWorkloadCertificate"],
  "global.imagePullPolicy": ["Always", "Never"],
  "global.imagePullSecrets": [["a"], ["b", "regcred"], ["5"], ["yes"]],
  "global.istioNamespace": ["sys", "5"],
  "global.logAsJson": [true],
  "global.logging.level": ["debug", 'a"b'],
  "global.meshID": ["m", "5"],
  "global.mountMtlsCerts": [true],
  "global.multiCluster.clusterName": ["c9", "Kubernetes"],
  "global.nativeNftables": [true],
  "global.network": ["n9", "5"],
  "global.pilotCertProvider": ["custom", "kubernetes"],
  "global.proxy.clusterDomain": ["x.y", "5"],
  "global.proxy.capNetBindService": ["true", true, "false"],
  "global.proxy.componentLogLevel": ["", "misc:debug"],
  "global.proxy.excludeIPRanges": ["10.0.0.0/8"],
  "global.proxy.excludeInboundPorts": ["4,5", "15020"],
  "global.proxy.excludeOutboundPorts": ["6"],
  "global.proxy.includeIPRanges": ["", "10.0.0.0/8"],
  "global.proxy.includeInboundPorts": ["", "80"],
  "global.proxy.includeOutboundPorts": ["9", "*"],
  "global.proxy.image": ["example.com/i:1", "p", ""],
  "global.proxy.logLevel": ["info", ""],
  "global.proxy.outlierLogPath": ["/x"],
  "global.proxy.privileged": [true],
  "global.proxy.readinessFailureThreshold": [30, "5", 1000000],
  "global.proxy.resources": [null, {}, { limits: null }, { requests: { cpu: "1", memory: null } }, {
    limits: { cpu: 2 },
  }],
  "global.proxy.seccompProfile": [{ type: "RuntimeDefault" }],
  "global.proxy.lifecycle": [{ preStop: { exec: { command: ["x"] } } }, {
    postStart: { httpGet: { port: 80 } },
  }],
  "global.proxy.startupProbe.enabled": [false],
  "global.proxy.statusPort": [0, 123, "15020", 1500000],
  "global.proxy.tracer": ["lightstep", "datadog", "zipkin"],
  "global.proxy.holdApplicationUntilProxyStarts": [true, false],
  "global.proxy_init.image": ["example.com/init:2", "q"],
  "global.proxy_init.forceApplyIptables": [true],
  "global.sds.token.aud": ["y", "5", "a: b"],
  "global.sts.servicePort": [8080],
  "global.trustBundleName": ["t"],
  "pilot.cni.enabled": [true],
  "pilot.cni.provider": ["multus"],
  "pilot.env.ENABLE_CLUSTER_TRUST_BUNDLE_API": [true],
  "pilot.crlConfigMapName": ["crl"],
  revision: ["r1"],
  "sidecarInjectorWebhook.rewriteAppHTTPProbe": [false],
};

const MESH: Changes = {
  trustDomain: ["td"],
  proxyListenPort: [15002, 0],
  proxyInboundListenPort: [15007],
  enablePrometheusMerge: [false],
  "inboundTrafficPolicy.mode": ["LOCALHOST"],
  "defaultConfig.interceptionMode": ["TPROXY", "NONE"],
  "defaultConfig.holdApplicationUntilProxyStarts": [true],
  "defaultConfig.statusPort": [1234, 0],
  "defaultConfig.concurrency": [3, 0],
  "defaultConfig.proxyMetadata": [{ A: "b" }, { ISTIO_META_ENABLE_HBONE: "true", Z: "1" }, {
    ENVOY_SECURE_MERGED_METRICS_PORT: "15444",
  }],
  "defaultConfig.image": [{ imageType: "debug" }, {}],
  "defaultConfig.drainDuration": ["1m0s"],
  "defaultConfig.tracing": [{ zipkin: { address: "z:1" } }, { sampling: 7.25 }, {
    tlsSettings: { mode: "SIMPLE", caCertificates: "/a/b.pem" },
  }],
  "defaultConfig.discoveryAddress": ["d:1"],
  "defaultConfig.gatewayTopology": [{ numTrustedProxies: 3 }],
  "defaultConfig.proxyHeaders": [{ server: { disabled: true }, requestId: {} }],
  extensionProviders: [[{
    name: "o",
    opentelemetry: {
      service: "s",
      port: 1,
      serviceAttributeEnrichment: "OTEL_SEMANTIC_CONVENTIONS",
    },
  }]],
};

const SELECTORS = [
  [],
  [{}],
  [{ matchLabels: { app: "hello" } }],
  [{ matchExpressions: [{ key: "tier", operator: "Exists" }] }],
  [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["ratings"] }] }],
  [{ matchExpressions: [{ key: "app", operator: "Bogus" }] }, { matchLabels: { version: "v1" } }],
];

const HEAD: Changes = {
  policy: ["enabled", "enabled", "enabled", "disabled", "off", ""],
  defaultTemplates: [[], ["sidecar"], ["sidecar", "extra"], ["both"], ["custom", "sidecar"], [
    "nope",
  ]],
  aliases: [{ both: ["sidecar", "extra"], gateway: ["sidecar"] }, { sidecar: [] }],
  neverInjectSelector: SELECTORS,
  alwaysInjectSelector: SELECTORS,
  injectedAnnotations: [{ a: "b" }, { "prometheus.io/port": "1", note: "n" }, null, {
    "sidecar.istio.io/status": "x",
  }],
};

/** Templates that do to a pod what the shipped ones never do. */
const TEMPLATES: readonly string[] = [
  'spec:\n  containers:\n  {{- range .Spec.Containers }}\n  - name: {{ .Name }}\n    env:\n    - name: SOME\n      value: "x"\n  {{- end }}',
  "spec:\n  $patch: replace\n  containers: []",
  "spec:\n  containers:\n  - name: app1\n    $patch: delete",
  "spec:\n  volumes:\n  - name: data\n    $retainKeys: [name, secret]\n    secret: {secretName: s}",
  "spec:\n  dnsConfig: null\n  imagePullSecrets:\n  - name: z\n  - name: regcred\n  tolerations: [{key: t}]\n  hostAliases: [{ip: 1.2.3.4, hostnames: [a]}]",
  "spec:\n  $setElementOrder/containers:\n  - name: app2\n  - name: app1\n  containers:\n  - name: app1\n    image: i",
  "metadata:\n  labels:\n    x: {{ .DeploymentMeta.Name | quote }}\n    k: {{ .TypeMeta.Kind }}\n  finalizers: [z/z, a/b]\n  annotations:\n    o: {{ structToJSON .Spec | quote }}",
  "spec:\n  securityContext: {fsGroup: 1}\n  terminationGracePeriodSeconds: {{ .Spec.TerminationGracePeriodSeconds | default 5 }}\n  containers:\n  - name: app1\n    ports: [{containerPort: 80, name: p}, {containerPort: 81}]\n    livenessProbe: {tcpSocket: {port: 5}}\n    args: [q]",
  "metadata:\n  labels: {n: {{ len .Spec.Containers }}}",
  "spec: {containers: [{image: x}]}",
  "- a\n",
  '{{ fail "no" }}',
  "",
  "null",
  "a: [",
  "metadata: {labels: {toJSON: {{ toJSON .ObjectMeta.Labels | quote }}}}",
  "spec:\n  initContainers:\n  - name: extra-init\n    image: x\n    readinessProbe: {httpGet: {port: http}}\n  containers:\n  - name: istio-proxy\n    env: [{name: A, value: null}, {name: B, value: b}]\n    lifecycle: null",
  'metadata:\n  annotations:\n    prometheus.io/scrape: "true"\n    prometheus.io/port: "{{ range .Spec.Containers }}{{ range .Ports }}{{ .ContainerPort }}{{ end }}{{ end }}"',
];

/** Writes settings into a new folder and gives its path. */
export function randomSettings(
  random: Random,
  { base, directory }: { base: string; directory: string },
): string {
  mkdirSync(directory, { recursive: true });
  const values = JSON.parse(readFileSync(`${base}/values.json`, "utf8"));
  const config = readFileSync(`${base}/config.yaml`, "utf8");
  const mesh = {
    defaultConfig: { discoveryAddress: "istiod.istio-system.svc:15012" },
    rootNamespace: "istio-system",
  };
  const head = { policy: "enabled", defaultTemplates: ["sidecar"] };
  change(random, values, { changes: VALUES, most: 6 });
  change(random, mesh, { changes: MESH, most: 3 });
  if (random.chance(0.5)) change(random, head, { changes: HEAD, most: 3 });
  const templates = config.slice(config.indexOf("\ntemplates:"));
  const extra = ["extra", "custom"].map((name) => {
    const text = JSON.stringify(random.pick(TEMPLATES));
    return `  ${name}: ${text}\n`;
  });
  writeFileSync(`${directory}/values.json`, JSON.stringify(values));
  writeFileSync(`${directory}/mesh.yaml`, JSON.stringify(mesh));
  const lines = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  writeFileSync(
    `${directory}/config.yaml`,
    lines.join("") + templates.trim() + "\n" + extra.join(""),
  );
  return directory;
}

function change(
  random: Random,
  target: object,
  { changes, most }: { changes: Changes; most: number },
): void {
  for (const [path, choices] of random.some(Object.entries(changes), most)) {
    const keys = path.split(".");
    let at = target as Record<string, unknown>;
    for (const key of keys.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>;
    at[keys.at(-1)!] = random.pick(choices);
  }
}
