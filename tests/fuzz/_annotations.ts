/**
 * Annotations and labels that the injector or the shipped templates look at, with values that are
 * fine and values that are refused or surprising.
 */
import { PROXY_CONFIG } from "./_proxy_configs.ts";
import type { Random } from "./_random.ts";

export interface Choice {
  readonly good: readonly string[];
  readonly bad?: readonly string[];
}

const PORTS: Choice = {
  good: ["", "80", "80,8080", "4,5,6", "15020", " 80 , 81 ", "0", "65535"],
  bad: ["x", "70000", "-1", "80,", "1e3", "08", "+5", "*,80", "80;81", "８０"],
};
const RANGES: Choice = {
  good: ["", "10.96.0.2/24,10.96.0.3/24", "127.0.0.1/24", "2001:db8::/32", "0.0.0.0/0", "::/0"],
  bad: [
    "bad",
    "10.0.0.0/33",
    "10.0.0.0",
    " 10.0.0.0/8",
    "10.0.0.0/08",
    "fe80::1%eth0/64",
    ",",
    "/8",
    "1.2.3/8",
    "01.2.3.4/8",
    "10.0.0.0/-1",
    "*,10.0.0.0/8",
    "::ffff:1.2.3.4/96",
    "1.2.3.4.5/8",
  ],
};
const INTERFACES: Choice = {
  good: ["", "eth1", "net1,net2", " eth1 , eth2 ", "a.b_c-d", "abcdefghijklmno"],
  bad: ["1eth", "eth1,", "abcdefghijklmnop", "eth 1", "é", "eth0:1"],
};
const NUMBERS: Choice = {
  good: ["0", "7", "100", "300", "2147483647"],
  bad: ["a", "-1", "4294967295", "4294967296", " 1", "", "1.5", "2147483648"],
};
const BOOLEANS: Choice = {
  good: ["true", "false", "1", "0", "T", "F", "True", "FALSE"],
  bad: ["yes", "", "maybe", "tRue", " true"],
};
const QUANTITIES: Choice = {
  good: [
    "100m",
    "1",
    "0.5",
    "4000m",
    "200Mi",
    "1Gi",
    "1024Mi",
    "1e3",
    "0",
    "1.5Gi",
    "+5",
    "01",
    "12E",
    "1000000",
    ".5",
    "5.",
    "1e-3",
    "-1",
    "0.1Ki",
    "123456789n",
    "1u",
  ],
  bad: ["foo", "", "1 Gi", "1gi", "1mi", "Gi", "1\n", "1e", "٣", "0x10", "1Ki5"],
};
const LEVELS: Choice = {
  good: ["info", "debug", "default:debug", "ads:info", "rbac:trace,jwt:debug", "misc:error"],
  bad: [
    'a"b',
    "a\\b",
    "a\nb",
    "",
    "a: b",
    "# x",
    "ünï ✓",
    "\u2028",
    "a\tb",
    "<&>",
    "%s",
    "{{ . }}",
  ],
};

const TABLE: Readonly<Record<string, Choice>> = {
  "sidecar.istio.io/interceptionMode": {
    good: ["REDIRECT", "TPROXY", "NONE"],
    bad: ["bogus", "", "redirect"],
  },
  "status.sidecar.istio.io/port": {
    good: ["15020", "123", "0", " 80 "],
    bad: ["x", "-1", "65536", ""],
  },
  "readiness.status.sidecar.istio.io/initialDelaySeconds": NUMBERS,
  "readiness.status.sidecar.istio.io/periodSeconds": NUMBERS,
  "readiness.status.sidecar.istio.io/failureThreshold": NUMBERS,
  "readiness.status.sidecar.istio.io/applicationPorts": { good: ["", "1,2,3", "x"] },
  "traffic.sidecar.istio.io/includeOutboundIPRanges": {
    good: ["*", ...RANGES.good],
    bad: RANGES.bad,
  },
  "traffic.sidecar.istio.io/excludeOutboundIPRanges": {
    good: RANGES.good,
    bad: ["*", ...RANGES.bad!],
  },
  "traffic.sidecar.istio.io/includeInboundPorts": { good: ["*", ...PORTS.good], bad: PORTS.bad },
  "traffic.sidecar.istio.io/excludeInboundPorts": { good: PORTS.good, bad: ["*", ...PORTS.bad!] },
  "traffic.sidecar.istio.io/excludeOutboundPorts": { good: PORTS.good, bad: ["*", ...PORTS.bad!] },
  "traffic.sidecar.istio.io/includeOutboundPorts": { good: ["*", "7,8", "", "x"], bad: LEVELS.bad },
  "traffic.sidecar.istio.io/excludeInterfaces": INTERFACES,
  "traffic.sidecar.istio.io/kubevirtInterfaces": INTERFACES,
  "istio.io/reroute-virtual-interfaces": INTERFACES,
  "prometheus.istio.io/merge-metrics": BOOLEANS,
  "sidecar.istio.io/proxyCPU": QUANTITIES,
  "sidecar.istio.io/proxyMemory": QUANTITIES,
  "sidecar.istio.io/proxyCPULimit": QUANTITIES,
  "sidecar.istio.io/proxyMemoryLimit": QUANTITIES,
  "sidecar.istio.io/logLevel": LEVELS,
  "sidecar.istio.io/componentLogLevel": LEVELS,
  "sidecar.istio.io/agentLogLevel": LEVELS,
  "sidecar.istio.io/proxyImage": {
    good: ["docker.io/istio/proxyv2:x", "example.com/proxy:1", "distroless", ""],
    bad: ['a/"b', "a/b c", "a/\n", "ü/✓"],
  },
  "sidecar.istio.io/proxyImageType": {
    good: ["debug", "default", "distroless", ""],
    bad: ["x y", 'a"b'],
  },
  "sidecar.istio.io/rewriteAppHTTPProbers": BOOLEANS,
  "sidecar.istio.io/nativeSidecar": { good: ["true", "false"], bad: ["x", "", "True", "1"] },
  "sidecar.istio.io/capNetBindService": { good: ["true", "false"], bad: ["", "1"] },
  "sidecar.istio.io/bootstrapOverride": { good: ["bc", ""], bad: ['a"b', "a\nb", "5", "✓"] },
  "sidecar.istio.io/discoveryAddress": { good: ["foo:123"] },
  "sidecar.istio.io/controlPlaneAuthPolicy": { good: ["NONE"] },
  "sidecar.istio.io/enableCoreDump": { good: ["true", "false"] },
  "sidecar.istio.io/extraStatTags": { good: ["a,b"] },
  "sidecar.istio.io/statsInclusionPrefixes": { good: ["cluster_manager,http"] },
  "sidecar.istio.io/statsInclusionRegexps": { good: ["foo.*"] },
  "sidecar.istio.io/statsHistogramBuckets": { good: ['{"a":[1,2]}'] },
  "sidecar.istio.io/userVolume": {
    good: [
      '{"uv2":{"emptyDir":{}}}',
      '[{"name":"uv","emptyDir":{}}]',
      "{}",
      "[]",
      '{"a":{"emptyDir":{"medium":"Memory"}},"b":{"secret":{"secretName":"s","optional":true}}}',
      '{"data":{"configMap":{"name":"c","items":[{"key":"k","path":"p"}]}}}',
    ],
    bad: [
      "{",
      "null",
      "5",
      '"x"',
      '{"a":5}',
      '{"a":null}',
      '{"a":[1]}',
      '{"a":{"name":"z"}}',
      '{"a":{"emptyDir":5}}',
    ],
  },
  "sidecar.istio.io/userVolumeMount": {
    good: [
      '[{"name":"uv","mountPath":"/mnt/uv"}]',
      '{"uv":{"mountPath":"/mnt/uv","readOnly":true}}',
      '{"a":{"mountPath":"/x"},"b":{"mountPath":"/y","subPath":"s"}}',
      "{}",
    ],
    bad: [
      "{",
      "null",
      '{"a":{}}',
      '{"a":5}',
      '{"a":{"mountPath":5}}',
      '{"a":{"mountPath":"/etc/istio/proxy"}}',
    ],
  },
  "inject.istio.io/templates": {
    good: [
      "sidecar",
      "gateway",
      "grpc-agent",
      "grpc-simple",
      "sidecar,grpc-simple",
      "custom",
      "spire,sidecar",
      "sidecar,spire",
      "sidecar,custom",
      " sidecar , custom ",
      "gateway,sidecar",
      "sidecar,sidecar",
      "grpc-agent,sidecar",
    ],
    bad: ["nope", "", "waypoint", "kube-gateway", "sidecar,nope", "sidecar,", "agentgateway"],
  },
  "proxy.istio.io/config": PROXY_CONFIG,
  "sidecar.istio.io/inject": { good: ["true", ""], bad: ["false", "yes", "True", "enabled"] },
  "istio.io/rev": { good: ["canary"] },
  "k8s.v1.cni.cncf.io/networks": {
    good: [
      "",
      "net-a",
      "a,b",
      '[{"name":"n1"}]',
      '[{"name":"istio-cni","namespace":"default"}]',
      "default/istio-cni",
      "a, default/istio-cni",
      '[{"name":"n1","namespace":"x"},{"name":"n2"}]',
    ],
    bad: ["[]", "[", "]", "[{]", "a]b", "it's", '[{"name":5}]', "a\nb", " "],
  },
  "kubectl.kubernetes.io/default-container": { good: ["app1", ""] },
  "kubectl.kubernetes.io/default-logs-container": { good: ["app1"] },
  "apm.datadoghq.com/env": { good: ['{"A":"b"}'] },
  "gateway.istio.io/managed": { good: ["x"] },
  "resource.opentelemetry.io/service.namespace": { good: ["ns1", "", 'a"b'] },
  "resource.opentelemetry.io/service.version": { good: ["v9", ""] },
  "resource.opentelemetry.io/service.instance.id": { good: ["i-1", ""] },
  "security.istio.io/x": { good: ["1"] },
  "topology.istio.io/network": { good: ["x"] },
  note: {
    good: [
      "~",
      "null",
      "yes",
      "1e3",
      "0123",
      "line1\nline2",
      'a "quoted" one',
      "ünïcode ✓",
      "\u{1f600}",
      "\u2028",
      "<&>",
      "a\\b",
      "",
      "{{ .Values }}",
      "\u0000",
      "---",
      "*x",
      "&y",
      "# z",
      "a: b",
      "\ufeff",
    ],
  },
  toString: { good: ["1"] },
  constructor: { good: ["1"] },
};

/** Prometheus annotations go together, in one of several spellings. */
const PROMETHEUS: readonly (readonly [string, Choice])[] = [
  ["prometheus.io/scrape", BOOLEANS],
  ["prometheus.io/port", {
    good: ["80", "8080", "15020", "9090"],
    bad: ["", "x", "0", "70000", "15090", "15021", "15000", "1234", " 80"],
  }],
  ["prometheus.io/path", { good: ["/metrics", "/m", "", '/a?b="c"&d=<e>'] }],
  ["prometheus.istio.io/scrape-targets", {
    good: ["80", "80:/a,81:/b", " 8080 : /m , 9090", "80:", "80,,81", "15014:/metrics"],
    bad: ["", ",", ":/a", "x:/a", "15020", "15090:/x", "0", "80:/a:b", "70000", "80,15001"],
  }],
  ["prometheus.istio.io/secure-port", { good: ["15444", ""] }],
];

const LABELS: Readonly<Record<string, readonly string[]>> = {
  app: ["ratings", "hello", "123", "x".repeat(70), "", "-a-", "ü".repeat(40), "yes", "a.b_c"],
  version: ["v1", "v2", "", "1.10"],
  tier: ["web"],
  "job-name": ["j"],
  "app.kubernetes.io/name": ["k8sname", "", "true"],
  "app.kubernetes.io/version": ["1.2.3", "5", ""],
  "istio.io/rev": ["canary", "default"],
  "pod-template-hash": ["abc123", "5f"],
  "rollouts-pod-template-hash": ["abc123"],
  deploymentconfig: ["dc", ""],
  "security.istio.io/tlsMode": ["disabled", "", "istio"],
  "service.istio.io/canonical-name": ["cn", "", "_cn."],
  "service.istio.io/canonical-revision": ["cr", ""],
  "service.istio.io/workload-name": ["wl", ""],
  "sidecar.istio.io/inject": ["true", "true", "true", "false", "maybe", ""],
  "topology.istio.io/network": ["n2", "", 'n"3'],
  "networking.istio.io/tunnel": ["http", "none", ""],
  "istio.io/dataplane-mode": ["none", "ambient"],
  "gateway.networking.k8s.io/gateway-name": ["gw"],
};

/** How often values are valid: a denial hides everything after it. */
export interface Mood {
  readonly bad: number;
}

export function randomAnnotations(random: Random, mood: Mood): Record<string, string> | undefined {
  if (random.chance(0.1)) return undefined;
  const annotations: Record<string, string> = {};
  const choose = (name: string, { good, bad }: Choice) => {
    annotations[name] = random.pick(bad && random.chance(mood.bad) ? bad : good);
  };
  for (const [name, choice] of random.some(Object.entries(TABLE), random.pick([1, 3, 6, 10]))) {
    choose(name, choice);
  }
  if (random.chance(0.25)) choose("proxy.istio.io/config", PROXY_CONFIG);
  if (random.chance(0.25)) {
    const spelling = random.pick([
      (name: string) => name,
      (name: string) => name.replace(/[./]/g, "_"),
      (name: string) => name.replace(/\//, "-"),
    ]);
    for (const [name, choice] of random.some(PROMETHEUS, 4)) choose(spelling(name), choice);
  }
  return annotations;
}

export function randomLabels(random: Random): Record<string, string> | undefined {
  if (random.chance(0.15)) return undefined;
  const labels: Record<string, string> = {};
  for (const [name, values] of random.some(Object.entries(LABELS), 6)) {
    labels[name] = random.pick(values);
  }
  return labels;
}
