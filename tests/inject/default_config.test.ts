/**
 * Tests the shipped config: our templates and values make the same pods as Istio's,
 * Istio values files can be merged over ours, and the facts that users rely on hold.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { parseYaml } from "../../lib/yaml/mod.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { admit } from "../../lib/inject/admit.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import { createEngine, type Engine, type EngineSources } from "../../lib/inject/engine.ts";
import { InjectionError } from "../../lib/inject/errors.ts";
import { kubeInject } from "../../lib/inject/kube_inject.ts";
import { urlEnv } from "../../lib/inject/url_env.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import {
  type Case,
  casesOf,
  clusterFor,
  CONFORMANCE,
  SHARED,
  type WebhookCase,
  webhookCases,
} from "./_conformance.ts";
import { withShared } from "../_shared.ts";

type Json = Readonly<Record<string, unknown>>;
type Strings = Readonly<Record<string, string>>;
type Named = Json & { readonly name: string };
interface Container extends Named {
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly Named[];
  readonly securityContext: Json;
}
interface Pod {
  readonly metadata: { readonly labels: Strings; readonly annotations: Strings };
  readonly spec: Json & {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly volumes: readonly Named[];
  };
}

const sprig = sprigFunctions(testSprigHost());
/** Caches engines by their inputs, since many cases share one. */
const engines = new Map<string, Engine>();

function kept(key: unknown, make: () => Engine): Engine {
  const text = JSON.stringify(key);
  const engine = engines.get(text) ?? make();
  engines.set(text, engine);
  return engine;
}

function engineOf(sources: EngineSources, env: Strings = {}, revision = ""): Engine {
  return createEngine(sources, {
    sprig,
    revision,
    env: (name) => Object.hasOwn(env, name) ? env[name] : undefined,
  });
}

interface Asked {
  readonly annotations?: Strings;
  readonly labels?: Strings;
  /** Merged over ours. */
  readonly values?: string;
  readonly mesh?: string;
  readonly env?: Strings;
  readonly spec?: object;
}

/** The result of injecting a pod with a single container `app`, with accessors for its facts. */
function inject({ annotations, labels, values, mesh, env, spec }: Asked) {
  const engine = kept({ values, mesh, env }, () => {
    const sources = defaultConfig({ values });
    return engineOf(mesh === undefined ? sources : { ...sources, mesh }, env);
  });
  const pod = {
    metadata: { name: "hello", annotations, labels },
    spec: { containers: [{ name: "app", image: "app", ports: [{ containerPort: 80 }] }], ...spec },
  };
  const { patch } = admit({ object: pod, namespace: "shop", proxyEnv: {} }, engine);
  const injected = applyPatch(pod, patch ?? []) as unknown as Pod;
  const { containers, initContainers = [], volumes } = injected.spec;
  const proxy = [...containers, ...initContainers].find(({ name }) => name === "istio-proxy")!;
  const init = initContainers.find(({ name }) => name !== "istio-proxy");
  return {
    ...injected.metadata,
    spec: injected.spec,
    containers: namesOf(containers),
    inits: namesOf(initContainers),
    proxy,
    init: init!,
    /** Returns the value of a flag in the arguments of istio-init. */
    rule: (flag: string) => init?.args.includes(flag) && init.args[init.args.indexOf(flag) + 1],
    env: (name: string) => proxy.env!.find((it) => it.name === name)?.value,
    volume: (name: string) => volumes.find((it) => it.name === name),
  };
}

function namesOf(list: readonly Named[]): string {
  return list.map(({ name }) => name).join(" ");
}

type Look = (pod: ReturnType<typeof inject>) => unknown;

const NATIVE = { ENABLE_NATIVE_SIDECARS: "true" };
const CNI = "pilot: { cni: { enabled: true } }";
const MODE = "sidecar.istio.io/interceptionMode";
const STATUS_PORT = "status.sidecar.istio.io/port";
const PROXY_CONFIG = "proxy.istio.io/config";
const TRAFFIC = "traffic.sidecar.istio.io/";
const REROUTE = "istio.io/reroute-virtual-interfaces";
const NETWORKS = "k8s.v1.cni.cncf.io/networks";
const NAME = "service.istio.io/canonical-name";
const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";
const RESOURCES = {
  limits: { cpu: "2", memory: "1Gi" },
  requests: { cpu: "100m", memory: "128Mi" },
};
/** The security context of an unprivileged container. */
const CONFINED = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  privileged: false,
  readOnlyRootFilesystem: true,
  runAsGroup: 1337,
  runAsNonRoot: true,
  runAsUser: 1337,
};
const ROOT = { runAsNonRoot: false, runAsUser: 0 };

describe("sidecar.yaml", () => {
  // deno-fmt-ignore: a case a line
  const rows: [name: string, asked: Asked, look: Look, want: unknown][] = [
    ["puts the sidecar behind the application", {}, (pod) => pod.containers, "app istio-proxy"],
    ["puts istio-init among the init containers", {}, (pod) => pod.inits, "istio-init"],
    ["puts a native sidecar among them too", { env: NATIVE }, (pod) => pod.inits, "istio-init istio-proxy"],
    ["lets a native sidecar stay", { env: NATIVE }, ({ proxy }) => proxy.restartPolicy, "Always"],
    ["hears a pod that wants none", { env: NATIVE, annotations: { "sidecar.istio.io/nativeSidecar": "false" } }, (pod) => pod.containers, "app istio-proxy"],
    ["hears a pod that wants one", { annotations: { "sidecar.istio.io/nativeSidecar": "true" } }, (pod) => pod.inits, "istio-init istio-proxy"],
    ["only validates where CNI intercepts", { values: CNI }, (pod) => pod.inits, "istio-validation"],
    ["keeps the pod's init containers with NONE", { annotations: { [MODE]: "NONE" }, spec: { initContainers: [{ name: "mine" }] } }, (pod) => pod.inits, "mine"],
    ["keeps a native sidecar with NONE", { env: NATIVE, annotations: { [MODE]: "NONE" } }, (pod) => pod.inits, "istio-proxy"],

    ["takes hub and tag from values", { values: "global: { hub: h, tag: t }" }, ({ proxy }) => proxy.image, "h/proxyv2:t"],
    ["takes a variant", { values: "global: { hub: h, tag: t, variant: debug }" }, ({ proxy }) => proxy.image, "h/proxyv2:t-debug"],
    ["takes a whole image from values", { values: "global: { proxy: { image: x/y:z } }" }, ({ proxy }) => proxy.image, "x/y:z"],
    ["takes a whole image from the pod, for both", { annotations: { "sidecar.istio.io/proxyImage": "x/y:z" } }, ({ proxy, init }) => [proxy.image, init.image], ["x/y:z", "x/y:z"]],
    ["sets no pull policy", {}, ({ proxy }) => proxy.imagePullPolicy, undefined],
    ["sets the pull policy", { values: "global: { imagePullPolicy: Always }" }, ({ proxy, init }) => [proxy.imagePullPolicy, init.imagePullPolicy], ["Always", "Always"]],
    ["adds pull secrets", { values: "global: { imagePullSecrets: [a, b] }" }, ({ spec }) => spec.imagePullSecrets, [{ name: "a" }, { name: "b" }]],

    ["intercepts everything", {}, ({ rule }) => ["-m", "-i", "-x", "-b", "-d", "-q", "-o"].map(rule), ["REDIRECT", "*", "", "*", "15090,15021,15020", false, false]],
    ["takes ranges from the pod", { annotations: { [`${TRAFFIC}includeOutboundIPRanges`]: "10.0.0.0/8" } }, ({ rule }) => rule("-i"), "10.0.0.0/8"],
    ["takes ranges from values", { values: "global: { proxy: { excludeIPRanges: 10.0.0.0/8 } }" }, ({ rule }) => rule("-x"), "10.0.0.0/8"],
    ["leaves out the status port besides the pod's", { annotations: { [`${TRAFFIC}excludeInboundPorts`]: "8080" } }, ({ rule }) => rule("-d"), "15090,15021,8080,15020"],
    ["leaves out no status port 0", { annotations: { [STATUS_PORT]: "0" } }, ({ rule }) => rule("-d"), "15090,15021"],
    ["takes outbound ports even if empty", { annotations: { [`${TRAFFIC}includeOutboundPorts`]: "" } }, ({ rule }) => rule("-q"), ""],
    ["takes outbound ports from values", { values: "global: { proxy: { excludeOutboundPorts: '1' } }" }, ({ rule }) => rule("-o"), "1"],
    ["prefers rerouted interfaces to kubevirt's", { annotations: { [REROUTE]: "a", [`${TRAFFIC}kubevirtInterfaces`]: "b" } }, ({ rule }) => rule("-k"), "a"],
    ["takes kubevirt's interfaces", { annotations: { [`${TRAFFIC}kubevirtInterfaces`]: "b" } }, ({ rule }) => rule("-k"), "b"],
    ["leaves out interfaces", { annotations: { [`${TRAFFIC}excludeInterfaces`]: "c" } }, ({ rule }) => rule("-c"), "c"],
    ["takes the listening ports from the mesh", { mesh: "proxyListenPort: 16001" }, ({ rule }) => [rule("-p"), rule("-z")], ["16001", "15006"]],
    ["tells the CNI plugin what values say", { values: CNI }, ({ annotations }) => ["includeOutboundIPRanges", "includeInboundPorts", "excludeInboundPorts", "excludeOutboundPorts"].map((what) => annotations[TRAFFIC + what]), ["*", "*", "15020", undefined]],
    ["tells the CNI plugin the mesh's mode", { values: CNI, mesh: "defaultConfig: { interceptionMode: TPROXY }" }, ({ annotations }) => annotations[MODE], "TPROXY"],
    ["adds the Multus network", { values: "pilot: { cni: { enabled: true, provider: multus } }", annotations: { [NETWORKS]: "a" } }, ({ annotations }) => annotations[NETWORKS], "a, default/istio-cni"],

    ["takes resources from values", {}, ({ proxy, init }) => [proxy.resources, init.resources], [RESOURCES, RESOURCES]],
    ["takes resources from annotations alone", { annotations: { "sidecar.istio.io/proxyCPU": "1" } }, ({ proxy }) => proxy.resources, { requests: { cpu: "1" } }],
    ["has no resources where values have none", { values: "global: { proxy: { resources: null } }" }, ({ proxy }) => proxy.resources, {}],
    ["leaves out a resource that is null", { values: "global: { proxy: { resources: { limits: { cpu: null } } } }" }, ({ proxy }) => proxy.resources, { ...RESOURCES, limits: { memory: "1Gi" } }],

    ["confines the sidecar", {}, ({ proxy }) => proxy.securityContext, CONFINED],
    ["is root with TPROXY", { annotations: { [MODE]: "TPROXY" } }, ({ proxy }) => proxy.securityContext, { ...CONFINED, ...ROOT, capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] } }],
    ["is root for low ports", { annotations: { "sidecar.istio.io/capNetBindService": "true" } }, ({ proxy }) => proxy.securityContext, { ...CONFINED, ...ROOT, capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] } }],
    ["is privileged to trace iptables", { annotations: { [PROXY_CONFIG]: 'proxyMetadata: { IPTABLES_TRACE_LOGGING: "true" }' } }, ({ proxy }) => proxy.securityContext, { ...CONFINED, ...ROOT, allowPrivilegeEscalation: true, capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] }, privileged: true }],
    ["has a seccomp profile", { values: "global: { proxy: { seccompProfile: { type: RuntimeDefault } } }" }, ({ proxy, init }) => [proxy, init].map((it) => it.securityContext.seccompProfile), [{ type: "RuntimeDefault" }, { type: "RuntimeDefault" }]],
    ["makes rules as root", {}, ({ init }) => init.securityContext, { ...CONFINED, ...ROOT, capabilities: { add: ["NET_ADMIN", "NET_RAW"], drop: ["ALL"] }, readOnlyRootFilesystem: false, runAsGroup: 0 }],
    ["validates without capabilities", { values: CNI }, ({ init }) => init.securityContext, CONFINED],

    ["probes the sidecar", {}, ({ proxy }) => proxy.readinessProbe, { failureThreshold: 4, httpGet: { path: "/healthz/ready", port: 15021 }, periodSeconds: 15, timeoutSeconds: 3 }],
    ["probes it as the pod says", { annotations: { "readiness.status.sidecar.istio.io/periodSeconds": "7" } }, ({ proxy }) => (proxy.readinessProbe as Json).periodSeconds, 7],
    ["waits for it to start", {}, ({ proxy }) => proxy.startupProbe, { failureThreshold: 600, httpGet: { path: "/healthz/ready", port: 15021 }, periodSeconds: 1, timeoutSeconds: 3 }],
    ["probes nothing with status port 0", { annotations: { [STATUS_PORT]: "0" } }, ({ proxy }) => [proxy.readinessProbe, proxy.startupProbe], [undefined, undefined]],
    ["has no lifecycle", {}, ({ proxy }) => proxy.lifecycle, undefined],
    ["holds the application, by proxy config", { annotations: { [PROXY_CONFIG]: "holdApplicationUntilProxyStarts: true" } }, ({ proxy }) => proxy.lifecycle, { postStart: { exec: { command: ["pilot-agent", "wait"] } } }],
    ["holds the application, by values", { values: "global: { proxy: { holdApplicationUntilProxyStarts: true } }" }, (pod) => pod.containers, "istio-proxy app"],
    ["drains a native sidecar", { env: NATIVE }, ({ proxy }) => proxy.lifecycle, { preStop: { exec: { command: ["pilot-agent", "request", "--debug-port=15020", "POST", "drain"] } } }],
    ["takes the lifecycle from values", { env: NATIVE, values: "global: { proxy: { lifecycle: { preStop: { sleep: { seconds: 5 } } } } }" }, ({ proxy }) => proxy.lifecycle, { preStop: { sleep: { seconds: 5 } } }],

    ["labels the pod", { labels: { app: "shop", version: "v2" } }, ({ labels }) => labels, { app: "shop", version: "v2", "security.istio.io/tlsMode": "istio", [NAME]: "shop", "service.istio.io/canonical-revision": "v2" }],
    ["cuts a name to a label's length", { labels: { app: "a".repeat(62) + "-b" } }, ({ labels }) => labels[NAME], "a".repeat(62)],
    ["keeps the pod's own tlsMode", { labels: { "security.istio.io/tlsMode": "disabled" } }, ({ labels }) => labels["security.istio.io/tlsMode"], "disabled"],
    ["labels a tunnel", { mesh: 'defaultConfig: { proxyMetadata: { ISTIO_META_ENABLE_HBONE: "true" } }' }, ({ labels }) => labels["networking.istio.io/tunnel"], "http"],
    ["names the default container", {}, ({ annotations }) => annotations[DEFAULT_CONTAINER], "app"],
    ["keeps the pod's own default container", { annotations: { [DEFAULT_CONTAINER]: "x" } }, ({ annotations }) => annotations[DEFAULT_CONTAINER], "x"],

    ["tells the sidecar its config", { annotations: { [PROXY_CONFIG]: "concurrency: 2" } }, ({ env }) => env("PROXY_CONFIG"), '{"concurrency":2}\n'],
    ["tells it the ports", {}, ({ env }) => env("ISTIO_META_POD_PORTS"), '[\n    {"containerPort":80}\n]'],
    ["tells it that there are none", { spec: { containers: [{ name: "a" }, { name: "b" }] } }, ({ env }) => [env("ISTIO_META_POD_PORTS"), env("ISTIO_META_APP_CONTAINERS")], ["[\n]", "a,b"]],
    ["tells it the ports of a second container", { spec: { containers: [{ name: "a" }, { name: "b", ports: [{ containerPort: 1 }, { containerPort: 2 }] }] } }, ({ env }) => env("ISTIO_META_POD_PORTS"), '[\n    {"containerPort":1}\n    ,{"containerPort":2}\n]'],
    ["tells it its owner", {}, ({ env }) => env("ISTIO_META_OWNER"), "kubernetes://apis/v1/namespaces/shop/pods/hello"],
    ["tells it the workload's own name", { labels: { "service.istio.io/workload-name": "w" } }, ({ env }) => env("ISTIO_META_WORKLOAD_NAME"), "w"],
    ["finds istiod by revision and namespace", { values: "{ revision: canary, global: { istioNamespace: mesh } }" }, ({ env }) => [env("CA_ADDR"), env("PROXY_CONFIG")], ["istiod-canary.mesh.svc:15012", '{"discoveryAddress":"istiod-canary.mesh.svc:15012"}\n']],
    ["finds another CA", { values: "global: { caAddress: 'ca:443' }" }, ({ env }) => env("CA_ADDR"), "ca:443"],
    ["names the mesh by its trust domain", { mesh: "trustDomain: td" }, ({ env }) => [env("ISTIO_META_MESH_ID"), env("TRUST_DOMAIN")], ["td", "td"]],
    ["names the mesh as values do", { values: "global: { meshID: m }" }, ({ env }) => [env("ISTIO_META_MESH_ID"), env("TRUST_DOMAIN")], ["m", "cluster.local"]],
    ["names cluster and network", { values: "global: { network: net, multiCluster: { clusterName: c } }" }, ({ env }) => [env("ISTIO_META_CLUSTER_ID"), env("ISTIO_META_NETWORK")], ["c", "net"]],
    ["calls a cluster without a name Kubernetes", {}, ({ env }) => [env("ISTIO_META_CLUSTER_ID"), env("ISTIO_META_NETWORK")], ["Kubernetes", undefined]],
    ["follows FIPS 140-3", { env: { COMPLIANCE_POLICY: "fips-140-3" } }, ({ env }) => [env("COMPLIANCE_POLICY"), env("GODEBUG")], ["fips-140-3", "fips140=only"]],
    ["follows another policy", { env: { COMPLIANCE_POLICY: "fips-140-2" } }, ({ env }) => [env("COMPLIANCE_POLICY"), env("GODEBUG")], ["fips-140-2", undefined]],
    ["hands on the mesh's metadata as it is", { mesh: String.raw`defaultConfig: { proxyMetadata: { A: "say \"hi\"\\n\nbye", "1": "y" } }` }, ({ env, init }) => [env("A"), env("1"), init.env], ['say "hi"\\n\nbye', "y", [{ name: "1", value: "y" }, { name: "A", value: 'say "hi"\\n\nbye' }]]],
    ["hands on Datadog's variables", { values: "global: { proxy: { tracer: datadog } }", annotations: { "apm.datadoghq.com/env": '{"DD_ENV":"prod"}' } }, ({ env }) => env("DD_ENV"), "prod"],
    ["describes itself to OpenTelemetry", { mesh: "extensionProviders: [{ name: otel, opentelemetry: { port: 1, service: s.x, serviceAttributeEnrichment: OTEL_SEMANTIC_CONVENTIONS } }]" }, ({ env }) => env("OTEL_RESOURCE_ATTRIBUTES"), "service.namespace=shop,service.instance.id=shop.$(POD_NAME).app"],
    ["tells probes of localhost", { mesh: "inboundTrafficPolicy: { mode: LOCALHOST }" }, ({ env }) => env("REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION"), "true"],

    ["mounts in its order", {}, ({ proxy }) => namesOf(proxy.volumeMounts), "workload-socket credential-socket workload-certs istiod-ca-cert istio-ca-crl istio-data istio-envoy istio-token istio-podinfo"],
    ["has volumes for all of it", {}, ({ spec }) => namesOf(spec.volumes), "workload-socket credential-socket workload-certs istio-envoy istio-data istio-podinfo istio-token istiod-ca-cert istio-ca-crl"],
    ["leaves the socket to others", { values: "sidecarInjectorWebhook: { defaultTemplates: [sidecar, spire], templates: { spire: '{ spec: { volumes: [{ name: workload-socket, csi: { driver: d } }] } }' } }" }, ({ volume }) => volume("workload-socket"), { name: "workload-socket", csi: { driver: "d" } }],
    ["mounts what the pod asks for", { annotations: { "sidecar.istio.io/userVolume": '{"v":{"emptyDir":{}}}', "sidecar.istio.io/userVolumeMount": '{"v":{"mountPath":"/v"}}' } }, ({ proxy, volume }) => [volume("v"), proxy.volumeMounts.at(-1)], [{ name: "v", emptyDir: {} }, { name: "v", mountPath: "/v" }]],
    ["mounts a bootstrap", { annotations: { "sidecar.istio.io/bootstrapOverride": "mine" } }, ({ env, volume }) => [volume("custom-bootstrap-volume")?.configMap, env("ISTIO_BOOTSTRAP_OVERRIDE")], [{ name: "mine" }, "/etc/istio/custom-bootstrap/custom_bootstrap.json"]],
    ["mounts the service account's certificates", { values: "global: { mountMtlsCerts: true }", spec: { serviceAccountName: "sa" } }, ({ volume }) => volume("istio-certs")?.secret, { secretName: "istio.sa", optional: true }],
    ["mounts Lightstep's certificate", { values: "global: { proxy: { tracer: lightstep } }", mesh: "defaultConfig: { tracing: { lightstep: { address: 'l:1', accessToken: t }, tlsSettings: { mode: SIMPLE, caCertificates: /etc/ls/ca.pem } } }" }, ({ proxy }) => proxy.volumeMounts.at(-1), { name: "lightstep-certs", mountPath: "/etc/ls/", readOnly: true }],
    ["takes the root from a trust bundle", { values: "pilot: { env: { ENABLE_CLUSTER_TRUST_BUNDLE_API: true } }" }, ({ volume }) => volume("istiod-ca-cert")?.projected, { sources: [{ clusterTrustBundle: { name: "istio.io:istiod-ca:root-cert", path: "root-cert.pem" } }] }],
    ["takes certificates from Google's driver", { values: "global: { caName: GkeWorkloadCertificate }" }, ({ volume }) => volume("gke-workload-certificate")?.csi, { driver: "workloadcertificates.security.cloud.google.com" }],
    ["needs no root of istiod's", { values: "global: { pilotCertProvider: kubernetes }" }, ({ volume }) => volume("istiod-ca-cert"), undefined],
  ];
  test.each(rows)("%s", (_, asked, look, want) => {
    expect(look(inject(asked))).toEqual(want);
  });
});

describe("gateway.yaml", () => {
  const annotations = { "inject.istio.io/templates": "gateway" };
  const spec = { containers: [{ name: "istio-proxy", image: "auto" }] };
  // deno-fmt-ignore: a case a line
  const rows: [name: string, asked: Asked, look: Look, want: unknown][] = [
    ["has one container", {}, (pod) => [pod.containers, pod.inits], ["istio-proxy", ""]],
    ["is a router", {}, ({ proxy }) => proxy.args.slice(0, 2), ["proxy", "router"]],
    ["fills in the image", { values: "global: { hub: h, tag: t }" }, ({ proxy }) => proxy.image, "h/proxyv2:t"],
    ["may use low ports", {}, ({ spec }) => spec.securityContext, { sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }] }],
    ["takes its security from values", { values: "gateways: { securityContext: { fsGroup: 1 } }" }, ({ spec }) => spec.securityContext, { fsGroup: 1 }],
    ["names no default container", {}, ({ annotations }) => annotations[DEFAULT_CONTAINER], undefined],
    ["has no tlsMode", { labels: { app: "gw" } }, ({ labels }) => labels, { app: "gw", [NAME]: "gw", "service.istio.io/canonical-revision": "latest" }],
    ["mounts in its order", {}, ({ proxy }) => namesOf(proxy.volumeMounts), "workload-socket credential-socket workload-certs istiod-ca-cert istio-data istio-envoy istio-token istio-podinfo"],
  ];
  test.each(rows)("%s", (_, asked, look, want) => {
    expect(look(inject({ spec, annotations, ...asked }))).toEqual(want);
  });
});

describe("defaultConfig()", () => {
  const texts = (values?: string) => {
    const { config, values: all, mesh } = defaultConfig({ values });
    return {
      config: parseYaml(config) as Json & { templates: Strings },
      values: parseYaml(all) as Json & { global: Json },
      mesh: parseYaml(mesh) as Json,
    };
  };
  type LookAt = (all: ReturnType<typeof texts>) => unknown;

  test("contains templates/ unchanged", () => {
    const read = (name: string) =>
      readFileSync(`${import.meta.dirname}/../../templates/${name}`, "utf8");
    const { config, values, mesh } = texts();
    expect(config.templates).toEqual({
      sidecar: read("sidecar.yaml"),
      gateway: read("gateway.yaml"),
    });
    expect<unknown>(values).toEqual(parseYaml(read("values.yaml")));
    expect<unknown>(mesh).toEqual(parseYaml(read("mesh.yaml")));
  });

  test("has templates that do not modify their data", () => {
    const { templates } = engineOf(defaultConfig());
    expect(templates.names.map((name) => templates.get(name)?.mutates)).toEqual([false, false]);
  });

  // deno-fmt-ignore: a case a line
  const rows: [name: string, values: string, look: LookAt, want: unknown][] = [
    ["merges maps", "global: { sds: { token: { aud: x } } }", ({ values }) => [values.global.sds, values.global.istioNamespace], [{ token: { aud: "x" } }, "istio-system"]],
    ["replaces lists", "global: { imagePullSecrets: [a] }", ({ values }) => values.global.imagePullSecrets, ["a"]],
    ["takes away what is null", "global: { network: null }", ({ values }) => Object.hasOwn(values.global, "network"), false],
    ["keeps keys it does not know", "mine: { a: [1] }", ({ values }) => values.mine, { a: [1] }],
    ["takes JSON", '{"global":{"tag":"x"}}', ({ values }) => values.global.tag, "x"],
    ["takes names of JavaScript's", '{"__proto__":{"a":1},"constructor":"x"}', ({ values }) => [Object.getOwnPropertyDescriptor(values, "__proto__")?.value, values.constructor], [{ a: 1 }, "x"]],
    ["takes the policy", "global: { proxy: { autoInject: disabled } }", ({ config }) => config.policy, "disabled"],
    ["takes templates beside ours", "sidecarInjectorWebhook: { templates: { mine: x } }", ({ config }) => Object.keys(config.templates).sort(), ["gateway", "mine", "sidecar"]],
    ["takes one instead of ours", "sidecarInjectorWebhook: { templates: { sidecar: x } }", ({ config }) => config.templates.sidecar, "x"],
    ["takes default templates", "sidecarInjectorWebhook: { defaultTemplates: [a, b] }", ({ config }) => config.defaultTemplates, ["a", "b"]],
    ["takes aliases", "sidecarInjectorWebhook: { aliases: { a: [sidecar, b] } }", ({ config }) => config.aliases, { a: ["sidecar", "b"] }],
    ["takes selectors", "sidecarInjectorWebhook: { neverInjectSelector: [{ matchLabels: { a: b } }] }", ({ config }) => config.neverInjectSelector, [{ matchLabels: { a: "b" } }]],
    ["takes annotations", "sidecarInjectorWebhook: { injectedAnnotations: { a: b } }", ({ config }) => config.injectedAnnotations, { a: "b" }],
    ["takes mesh config", "meshConfig: { trustDomain: td, defaultConfig: { concurrency: 2 } }", ({ mesh }) => [mesh.trustDomain, mesh.defaultConfig, mesh.rootNamespace], ["td", { concurrency: 2, discoveryAddress: "istiod.istio-system.svc:15012" }, "istio-system"]],
    ["finds istiod where values say", "{ revision: r, global: { istioNamespace: mesh, meshID: m } }", ({ mesh }) => [mesh.rootNamespace, mesh.defaultConfig], ["mesh", { discoveryAddress: "istiod-r.mesh.svc:15012", meshId: "m" }]],
  ];
  test.each(rows)("%s", (_, values, look, want) => {
    expect(look(texts(values))).toEqual(want);
  });

  test("refuses invalid values", () => {
    expect(() => defaultConfig({ values: "[1]" })).toThrow("Cannot read values");
    expect(() => defaultConfig({ values: "global: { hub: 5 }" })).toThrow("Cannot read values");
  });
});

/** Values of Istio's cases merged over ours, with their mesh config. */
function engineFor({ settings, env }: Pick<Case, "settings" | "env">, revision: string): Engine {
  return kept({ settings, env, revision }, () => {
    const read = (file: string) =>
      readFileSync(`${CONFORMANCE}/head/settings/${settings}/${file}`, "utf8");
    const sources = { ...defaultConfig({ values: read("values.json") }), mesh: read("mesh.yaml") };
    return engineOf(sources, env, revision);
  });
}

/** Pods that request templates that are not shipped. */
const asksForGrpc = ({ pod }: Pick<WebhookCase, "pod">) =>
  JSON.stringify(pod).includes('"inject.istio.io/templates":"grpc-');

function expectSame(row: WebhookCase, engine: Engine, { path = "/inject", nodes }: {
  path?: string;
  nodes?: readonly string[];
}): void {
  const { pod, namespace, allowed, patched } = row;
  try {
    const request = { object: pod, namespace, proxyEnv: urlEnv(path, engine) };
    const { patch } = admit(request, engine, clusterFor({ nodes }));
    expect(allowed).toBe(true);
    expect(patch ? applyPatch(pod, patch) : pod).toEqual(patched ?? pod);
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    expect(allowed).toBe(false);
  }
}

withShared("conformance", "Istio's pods", () => {
  describe("our templates and values make Istio's pods", () => {
    const cases = casesOf("head").filter(({ name }) => !name.startsWith("grpc-"));
    test.each(cases.filter(({ webhook }) => webhook).map((it) => [it.name, it] as const))(
      "webhook %s",
      (_, conformance) => {
        const engine = engineFor(conformance, "default");
        for (const row of webhookCases(conformance)) expectSame(row, engine, conformance);
      },
    );
    test.each(
      cases.filter((it) => it.kubeInject && !it.expectedError).map((it) => [it.name, it] as const),
    )("kube-inject %s", (_, conformance) => {
      const { directory } = conformance;
      const input = readFileSync(`${directory}/input.yaml`, "utf8");
      const engine = engineFor(conformance, "");
      const { output } = kubeInject(input, engine, { cluster: clusterFor(conformance) });
      expect(output).toBe(readFileSync(`${directory}/kube-inject.yaml`, "utf8"));
    });
    test.each(readdirSync(`${SHARED}/fuzz`).filter((name) => name.endsWith(".jsonl")))(
      "fuzz %s",
      (file) => {
        const [settings, mode] = file.replace(".jsonl", "").split("-");
        const env = { ENABLE_NATIVE_SIDECARS: mode === "native" ? "true" : "false" };
        const engine = engineFor({ settings, env }, "default");
        for (const line of readFileSync(`${SHARED}/fuzz/${file}`, "utf8").trim().split("\n")) {
          const row = JSON.parse(line) as WebhookCase & { path: string };
          if (!asksForGrpc(row)) expectSame(row, engine, row);
        }
      },
    );
  });
});
