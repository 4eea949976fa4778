import { describe, expect, test } from "bun:test";
import { runCli } from "../../lib/cli/mod.ts";
import { configVersion as versionOf } from "../../lib/inject/sources.ts";
import { stamped } from "../../lib/inject/stamp.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createInjector } from "../../lib/inject/injector.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { memoryHost } from "../_memory_host.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const TEMPLATE = `metadata:
  labels:
    from: "{{ .Values.from }}"
spec:
  containers:
  - name: istio-proxy
    image: proxy:1
    env:
    - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    ports:
    - containerPort: 15090
    resources: {limits: {cpu: 2000m}}
  volumes:
  - name: envoy
    emptyDir: {}
  - name: token
    projected: {sources: [{serviceAccountToken: {path: t, audience: a, expirationSeconds: 600}}]}
`;
const CONFIG = JSON.stringify({ policy: "enabled", templates: { sidecar: TEMPLATE } });
const VALUES = JSON.stringify({ from: "one" });
const SOURCES = { config: CONFIG, values: VALUES, mesh: "" };
const sprig = sprigFunctions(testSprigHost());
const configVersion = (sources: typeof SOURCES) => versionOf(sources, { sprig });
const injector = createInjector(SOURCES, { sprig });

interface Metadata {
  readonly name: string;
  readonly owner?: string;
  readonly namespace?: string;
}

/** A pod as it runs: injected, with what the API server fills in. */
function running({ name, owner, namespace = "shop" }: Metadata, { isStamped = false } = {}) {
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(owner === undefined ? { name } : {
        generateName: `${owner}-`,
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, controller: true },
        ],
      }),
      namespace,
      labels: { app: "web" },
      annotations: { "prometheus.io/port": "9090", "prometheus.io/scrape": "true" },
    },
    spec: {
      containers: [{
        name: "app",
        image: "app",
        readinessProbe: { httpGet: { path: "/ready", port: 80 }, periodSeconds: 5 },
      }],
    },
  };
  const admission = injector.admit({ object, namespace, proxyEnv: {} });
  const { patch } = isStamped ? stamped(admission, configVersion(SOURCES)) : admission;
  const pod = applyPatch(object, patch!) as typeof object & { spec: { volumes: object[] } };
  const mount = {
    name: "kube-api-access-x7k2p",
    mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
    readOnly: true,
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, name, uid: "u", creationTimestamp: "2026-01-02T03:04:05Z" },
    spec: {
      ...pod.spec,
      nodeName: "n1",
      serviceAccountName: "default",
      volumes: [...pod.spec.volumes, { name: mount.name, projected: { sources: [] } }],
      containers: pod.spec.containers.map((container) => ({
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
        ...container,
        volumeMounts: [mount],
      })),
    },
    status: { phase: "Running" },
  };
}

const OWNERS = [
  { kind: "Node", metadata: { name: "n1" }, status: { nodeInfo: { kubeletVersion: "v1.30.0" } } },
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...{ name: "web-5d4", namespace: "shop" },
      ownerReferences: [{ kind: "Deployment", name: "web", controller: true }],
    },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "shop" },
    spec: { selector: { matchLabels: { app: "web" } } },
    status: { disruptionsAllowed: 1 },
  },
];

async function run(line: string, objects: readonly object[], files: Record<string, string> = {}) {
  const host = memoryHost({
    files: { "config.yaml": CONFIG, "values.json": VALUES, "mesh.yaml": "", ...files },
    stdin: JSON.stringify({ kind: "List", items: [...objects, ...OWNERS] }),
  });
  const fixed = "-f - --valuesFile values.json --meshConfigFile mesh.yaml";
  const config = line.includes("--injectConfigFile") ? "" : "--injectConfigFile config.yaml";
  const argv = `drift ${fixed} ${config} ${line}`.split(" ").filter(Boolean);
  const code = await runCli(argv, host);
  return { code, out: host.out.stdout, err: host.out.stderr };
}

const PODS = [
  running({ name: "web-5d4-a", owner: "web-5d4" }),
  running({ name: "web-5d4-b", owner: "web-5d4" }),
  running({ name: "bare", namespace: "lab" }),
  { kind: "Pod", metadata: { name: "plain", namespace: "shop" }, spec: { containers: [] } },
  { ...running({ name: "done" }), status: { phase: "Succeeded" } },
];
const NEW = CONFIG.replace("proxy:1", "proxy:2");

describe("outrigger drift", () => {
  test("finds nothing where pods are as they would be injected now: code 0", async () => {
    expect(await run("", PODS)).toEqual({
      code: 0,
      out: `3 injected pods, none drifted (configuration ${configVersion(SOURCES)})\n`,
      err: "",
    });
  });

  test("shows what drifted, by workload, and how to renew it: code 3", async () => {
    const { code, out, err } = await run("--injectConfigFile new.yaml", PODS, { "new.yaml": NEW });
    const version = configVersion({ ...SOURCES, config: NEW });
    expect({ code, err }).toEqual({ code: 3, err: "" });
    expect(out).toBe(
      `3 of 3 injected pods drifted (configuration ${version})

lab/pod/bare: 1 of 1 pods
  ~ containers[istio-proxy].image: proxy:1 → proxy:2

shop/deployment/web: 2 of 2 pods
  ~ containers[istio-proxy].image: proxy:1 → proxy:2

Restart plan
  1  kubectl -n lab delete pod bare                  1 pod; no controller recreates it: apply its manifest again afterwards
  2  kubectl -n shop rollout restart deployment/web  2 pods; 1 at once (web)
`.replace("bare                   1", "bare                  1").replace("web   2", "web  2"),
    );
  });

  test("-n looks at one namespace", async () => {
    const { out } = await run("-n lab --injectConfigFile new.yaml", PODS, { "new.yaml": NEW });
    expect(out).toStartWith("1 of 1 injected pods drifted");
  });

  test("-o json has all of it", async () => {
    const { code, out } = await run("-o json --injectConfigFile new.yaml", PODS.slice(0, 2), {
      "new.yaml": NEW,
    });
    expect(code).toBe(3);
    expect(JSON.parse(out)).toEqual({
      version: configVersion({ ...SOURCES, config: NEW }),
      pods: 2,
      injected: 2,
      drifted: 2,
      workloads: [{
        ...{ namespace: "shop", kind: "Deployment", name: "web", pods: 2 },
        groups: [{
          members: ["web-5d4-a", "web-5d4-b"],
          changes: [{ path: "containers[istio-proxy].image", from: "proxy:1", to: "proxy:2" }],
        }],
      }],
      plan: [{
        workload: { namespace: "shop", kind: "Deployment", name: "web" },
        pods: 2,
        budgets: ["web"],
        atOnce: 1,
        notes: [],
        command: "kubectl -n shop rollout restart deployment/web",
      }],
    });
    expect((await run("-o yaml", PODS)).out).toContain("drifted: 0\n");
  });

  const changes: [what: string, from: string, to: string, lines: string[]][] = [
    ["a variable more", "    ports:", "    - {name: X, value: z}\n    ports:", [
      '+ containers[istio-proxy].env[X]: {"name":"X","value":"z"}',
    ]],
    ["a volume less", "  - name: envoy\n    emptyDir: {}\n", "", [
      '- volumes[envoy]: {"name":"envoy","emptyDir":{}}',
    ]],
    ["other resources", "2000m", "3", [
      "~ containers[istio-proxy].resources.limits.cpu: 2 → 3",
      "~ containers[istio-proxy].resources.requests.cpu: 2 → 3",
    ]],
    ["another label", '"{{ .Values.from }}"', "two", ["~ labels.from: one → two"]],
    [
      "quantities that are the same",
      "2000m",
      '"2"',
      [],
    ],
    ["a native sidecar", "  containers:\n", "  initContainers:\n", [
      "+ initContainers[istio-proxy]",
      "- containers[istio-proxy]",
    ]],
  ];
  test.each(changes)("tells %s", async (_, from, to, lines) => {
    const template = TEMPLATE.replace(from, to);
    expect(template).not.toBe(TEMPLATE);
    const config = JSON.stringify({ policy: "enabled", templates: { sidecar: template } });
    const { out } = await run("--injectConfigFile new.yaml", PODS.slice(0, 1), {
      "new.yaml": config,
    });
    const shown = out.split("\n").filter((line) => /^ {2}[-+~] /.test(line));
    expect(shown.length).toBe(lines.length);
    for (const [index, line] of lines.entries()) expect(shown[index]).toStartWith(`  ${line}`);
  });

  test("says what would not be injected any more, or would be refused", async () => {
    const off = CONFIG.replace("enabled", "disabled");
    const { out } = await run("--injectConfigFile off.yaml", PODS.slice(0, 1), { "off.yaml": off });
    expect(out).toContain("  ~ (decision): injected → skipped (policy_disabled)\n");
  });

  test("believes the stamp, unless it is to look deep", async () => {
    const pod = running({ name: "bare" }, { isStamped: true });
    // Somebody changed the sidecar behind the injector's back.
    pod.spec.containers[1].image = "proxy:0";
    expect((await run("", [pod])).code).toBe(0);
    expect((await run("--deep", [pod])).out).toContain("image: proxy:0 → proxy:1\n");
    expect((await run("--injectConfigFile new.yaml", [pod], { "new.yaml": NEW })).out)
      .toContain("image: proxy:0 → proxy:2\n");
  });

  test("leaves out what others fill in where the template says nothing", async () => {
    const pod = running({ name: "bare" });
    Object.assign(pod.spec.containers[1], {
      securityContext: { runAsUser: 1000 },
      imagePullPolicy: "Always",
      resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "2", memory: "1Gi" } },
    });
    expect((await run("", [pod])).code).toBe(0);
  });

  test("takes nodes from the file, and says what it assumes without", async () => {
    const { err } = await run("", [...PODS, { kind: "Node", metadata: { name: "n2" } }]);
    expect(err).toBe("");
    const host = memoryHost({ files: { "pods.json": JSON.stringify(PODS[0]) } });
    await runCli(["drift", "-f", "pods.json"], host);
    expect(host.out.stderr).toBe(
      'warning: "pods.json" contains no nodes: assuming ordinary sidecars; ' +
        "set --native-sidecars to change that\n",
    );
  });

  test("-n and -A are not for one call", async () => {
    expect(await run("-n a -A", [])).toEqual({
      code: 2,
      out: "",
      err:
        'outrigger: Flags "--namespace" and "--all-namespaces" are mutually exclusive. Run "outrigger help drift"\n',
    });
  });
});
