/**
 * Tests the shipped `[[ ]]` template on two well-known pods: a hello-world whose patch is in a
 * log of Istio 1.1 shows, and the sleep sample with its ServiceAccount and Service.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { createInjector } from "../../../lib/inject/injector.ts";
import { applyPatch } from "../../../lib/patch/json_patch.ts";
import { parseAllYaml } from "../../../lib/yaml/mod.ts";
import { casesOf, CONFORMANCE } from "../_conformance.ts";
import { withShared } from "../../_shared.ts";
import { normaliseOldYaml } from "../_old_yaml.ts";
import { type LegacyCase, legacyWebhookCases as webhookCases, sprig } from "./_cases.ts";

const config = readFileSync(`${import.meta.dirname}/../../../templates/legacy-1.1.yaml`, "utf8");
const mesh = `
defaultConfig:
  configPath: /etc/istio/proxy
  binaryPath: /usr/local/bin/envoy
  serviceCluster: istio-proxy
  drainDuration: 45s
  parentShutdownDuration: 1m0s
  connectTimeout: 10s
  discoveryAddress: istio-pilot.istio-system:15010
  proxyAdminPort: 15000
  concurrency: 2
  controlPlaneAuthPolicy: NONE
  tracing: { zipkin: { address: "zipkin.istio-system:9411" } }
`;
const injector = createInjector({ config, values: "", mesh }, { sprig, compat: 1 });

const TOKEN = {
  name: "default-token-rtbz2",
  readOnly: true,
  mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
};

function helloWorld() {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: "hello-world-7b487c785d-",
      labels: { app: "hello-world", "pod-template-hash": "7b487c785d" },
    },
    spec: {
      containers: [{
        name: "hello-world",
        image: "nginx",
        ports: [{ containerPort: 80, protocol: "TCP" }],
        resources: {},
        volumeMounts: [TOKEN],
      }],
      volumes: [{ name: TOKEN.name, secret: { secretName: TOKEN.name } }],
      securityContext: {},
    },
  };
}

const field = (name: string, fieldPath: string) => ({
  name,
  valueFrom: { fieldRef: { fieldPath } },
});

/** The sidecar of that time, without the pod's own parts. */
const PROXY = {
  name: "istio-proxy",
  image: "IMAGE",
  args: [
    "proxy",
    "sidecar",
    "--domain",
    "$(POD_NAMESPACE).svc.cluster.local",
    "--configPath",
    "/etc/istio/proxy",
    "--binaryPath",
    "/usr/local/bin/envoy",
    "--serviceCluster",
    "hello-world.$(POD_NAMESPACE)",
    "--drainDuration",
    "45s",
    "--parentShutdownDuration",
    "1m0s",
    "--discoveryAddress",
    "istio-pilot.istio-system:15010",
    "--zipkinAddress",
    "zipkin.istio-system:9411",
    "--connectTimeout",
    "10s",
    "--proxyAdminPort",
    "15000",
    "--concurrency",
    "2",
    "--controlPlaneAuthPolicy",
    "NONE",
    "--statusPort",
    "15020",
    "--applicationPorts",
    "80",
  ],
  ports: [{ name: "http-envoy-prom", containerPort: 15090, protocol: "TCP" }],
  env: [
    field("POD_NAME", "metadata.name"),
    field("POD_NAMESPACE", "metadata.namespace"),
    field("INSTANCE_IP", "status.podIP"),
    field("ISTIO_META_POD_NAME", "metadata.name"),
    field("ISTIO_META_CONFIG_NAMESPACE", "metadata.namespace"),
    { name: "ISTIO_META_INTERCEPTION_MODE", value: "REDIRECT" },
    {
      name: "ISTIO_METAJSON_LABELS",
      value: '{"app":"hello-world","pod-template-hash":"7b487c785d"}\n',
    },
  ],
  resources: {
    limits: { cpu: "2", memory: "1Gi" },
    requests: { cpu: "100m", memory: "128Mi" },
  },
  volumeMounts: [
    { name: "istio-envoy", mountPath: "/etc/istio/proxy" },
    { name: "istio-certs", readOnly: true, mountPath: "/etc/certs/" },
    TOKEN,
  ],
  readinessProbe: {
    httpGet: { path: "/healthz/ready", port: 15020 },
    initialDelaySeconds: 1,
    periodSeconds: 2,
    failureThreshold: 30,
  },
  imagePullPolicy: "IfNotPresent",
  securityContext: { runAsUser: 1337, readOnlyRootFilesystem: true },
};

const INIT = {
  name: "istio-init",
  image: "IMAGE",
  args: [
    "-p",
    "15001",
    "-u",
    "1337",
    "-m",
    "REDIRECT",
    "-i",
    "*",
    "-x",
    "",
    "-b",
    "80",
    "-d",
    "15020",
  ],
  resources: {
    limits: { cpu: "100m", memory: "50Mi" },
    requests: { cpu: "10m", memory: "10Mi" },
  },
  imagePullPolicy: "IfNotPresent",
  securityContext: { capabilities: { add: ["NET_ADMIN"] }, runAsUser: 0, runAsNonRoot: false },
};

/** Image tags and the template's hash differ between installations. */
function anonymous(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/"image":"[^"]*\/proxy(?:v2|_init):[^"]*"/g, '"image":"IMAGE"')
    .replace(/\\"version\\":\\"[0-9a-f]{64}\\"/g, '\\"version\\":\\"HASH\\"');
  return JSON.parse(text);
}

const status = '{"version":"HASH","initContainers":["istio-init"],"containers":["istio-proxy"],' +
  '"volumes":["istio-envoy","istio-certs"],"imagePullSecrets":null}';

describe("templates/legacy-1.1.yaml", () => {
  test("is detected as legacy", () => {
    expect(injector.isLegacy).toBe(true);
  });

  test("gives hello-world the operations of the log, in the same order", () => {
    const { patch } = injector.admit({ object: helloWorld(), namespace: "default", proxyEnv: {} });
    expect(anonymous(patch)).toEqual([
      { op: "add", path: "/spec/initContainers", value: [INIT] },
      { op: "add", path: "/spec/containers/-", value: PROXY },
      {
        op: "add",
        path: "/spec/volumes/-",
        value: { name: "istio-envoy", emptyDir: { medium: "Memory" } },
      },
      {
        op: "add",
        path: "/spec/volumes/-",
        value: { name: "istio-certs", secret: { secretName: "istio.default", optional: true } },
      },
      { op: "add", path: "/spec/securityContext", value: {} },
      {
        op: "add",
        path: "/metadata/annotations",
        value: { "sidecar.istio.io/status": status },
      },
    ]);
    const pod = applyPatch(helloWorld(), patch!) as { spec: { containers: { name: string }[] } };
    expect(pod.spec.containers.map(({ name }) => name)).toEqual(["hello-world", "istio-proxy"]);
  });

  test("injects the sleep sample and passes its ServiceAccount and Service through", () => {
    const others = [
      "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: sleep   # as it is\n",
      "apiVersion: v1\nkind: Service\nmetadata:\n  name: sleep\nspec:\n  ports:\n  - port: 80\n" +
      "    name: http\n  selector:\n    app: sleep\n",
    ];
    const deployment = `apiVersion: extensions/v1beta1
kind: Deployment
metadata:
  name: sleep
spec:
  replicas: 1
  template:
    metadata:
      labels:
        app: sleep
    spec:
      serviceAccountName: sleep
      containers:
      - name: sleep
        image: example.com/curl
        command: ["/bin/sleep", "3650d"]
        imagePullPolicy: IfNotPresent
`;
    const { output } = injector.kubeInject([...others, deployment].join("---\n"));
    for (const other of others) expect(output).toContain(other);
    const injected = parseAllYaml(output)[2] as {
      apiVersion: string;
      spec: {
        template: {
          metadata: { annotations: Record<string, string> };
          spec: {
            containers: { name: string; args?: string[] }[];
            initContainers: { name: string }[];
            volumes: { name: string; secret?: { secretName: string } }[];
          };
        };
      };
    };
    const { metadata, spec } = injected.spec.template;
    expect(injected.apiVersion).toBe("extensions/v1beta1");
    expect(spec.containers.map(({ name }) => name)).toEqual(["sleep", "istio-proxy"]);
    expect(spec.containers[1].args).toContain("sleep.$(POD_NAMESPACE)");
    expect(spec.initContainers.map(({ name }) => name)).toEqual(["istio-init"]);
    expect(spec.volumes[1].secret?.secretName).toBe("istio.sleep");
    expect(anonymous(metadata.annotations["sidecar.istio.io/status"])).toContain('"istio-proxy"');
  });

  withShared("conformance", "the shipped template and the chart of 1.1", () => {
    test("matches the chart of 1.1, except for the memory limit in the log", () => {
      const cases = casesOf("1.1.3") as LegacyCase[];
      const { settings } = cases.find(({ name }) => name === "chart-default-hello")!;
      const chart = readFileSync(`${CONFORMANCE}/1.1.3/settings/${settings}/mesh.yaml`, "utf8");
      const ours = createInjector({
        config: config.replace("memory: 1Gi", "memory: 128Mi"),
        values: "",
        mesh: chart,
      }, { sprig });
      for (const { name, directory, ...other } of cases) {
        if (other.settings !== settings) continue;
        for (
          const { pod, namespace, allowed, patch } of webhookCases({ directory, name, ...other })
        ) {
          if (!allowed) continue;
          const answer = ours.admit({ object: pod, namespace, proxyEnv: {} });
          expect(anonymous(answer.patch ?? null), name).toEqual(anonymous(patch));
        }
        if (!existsSync(`${directory}/kube-inject.yaml`)) continue;
        const { output } = ours.kubeInject(readFileSync(`${directory}/input.yaml`, "utf8"));
        const want = readFileSync(`${directory}/kube-inject.yaml`, "utf8");
        expect(comparable(output), name).toBe(comparable(want));
      }
    });
  });
});

/** Formats text as the old library would, without what differs between installations. */
function comparable(text: string): string {
  return normaliseOldYaml(text)
    .replace(/image: [^ ]*\/proxy(?:v2|_init):.*/g, "image: IMAGE")
    .replace(/"version":"[0-9a-f]{64}"/g, '"version":"HASH"');
}
