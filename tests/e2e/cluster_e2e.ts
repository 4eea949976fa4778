/** What `serve` takes from the cluster it runs in, and what it writes there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseYaml } from "../../lib/yaml/mod.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import {
  CONFIG_MAPS,
  EVENTS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  NODES,
  PODS,
  PROXY_CONFIGS,
  REPLICA_SETS,
  SERVICE_ACCOUNTS,
} from "../../lib/kube/resources.ts";
import { generateWebhook } from "../../lib/webhook/generate.ts";
import { adminClient, apiServer, clusterInfo } from "./_environment.ts";
import { type Injector, startInjector } from "./_injector.ts";
import { writeKubeconfig } from "./_kubeconfig.ts";
import { createNamespace, pod, sidecarOf, tryPod } from "./_pods.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CUSTOM_RESOURCE_DEFINITIONS,
  ROLE_BINDINGS,
  ROLES,
} from "./_resources.ts";
import { until } from "./_until.ts";

const info = clusterInfo();
const admin = adminClient(info);
const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-cluster-"));
const SYSTEM = "cluster-e2e";
const SHOP = "cluster-e2e-shop";
const REVISION = "live";
const LABELS = { "istio.io/rev": REVISION };
const INJECT_MAP = `istio-sidecar-injector-${REVISION}`;
const MESH_MAP = `istio-${REVISION}`;

let injector: Injector;
let flags: string[];

/** Rights for what the injector does here, and no more. */
async function grantRights(): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  const subjects = [{ kind: "ServiceAccount", name: "injector", namespace: SYSTEM }];
  const rule = (resources: string, verbs: string[], more: object = {}) => ({
    apiGroups: [""],
    resources: [resources],
    verbs,
    ...more,
  });
  await admin.create(SERVICE_ACCOUNTS, { metadata: { name: "injector", namespace: SYSTEM } });
  await admin.create(ROLES, {
    metadata: { name: "injector", namespace: SYSTEM },
    rules: [rule("configmaps", ["list", "watch"], { resourceNames: [INJECT_MAP, MESH_MAP] })],
  });
  await admin.create(ROLE_BINDINGS, {
    metadata: { name: "injector", namespace: SYSTEM },
    roleRef: { apiGroup, kind: "Role", name: "injector" },
    subjects,
  });
  await admin.create(CLUSTER_ROLES, {
    metadata: { name: "cluster-e2e" },
    rules: [
      rule("nodes", ["list", "watch"]),
      rule("namespaces", ["list", "watch"]),
      rule("events", ["create", "patch"], { apiGroups: ["events.k8s.io"] }),
      rule("proxyconfigs", ["list", "watch"], { apiGroups: ["networking.istio.io"] }),
    ],
  });
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: "cluster-e2e" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-e2e" },
    subjects,
  });
}

/** The definition of Istio's resource, as little of it as the API server wants. */
async function defineProxyConfigs(): Promise<void> {
  const [group, version] = PROXY_CONFIGS.apiVersion.split("/");
  const { kind, plural } = PROXY_CONFIGS;
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  await admin.create(CUSTOM_RESOURCE_DEFINITIONS, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  });
  await until(
    "ProxyConfigs are served",
    () => admin.list(PROXY_CONFIGS, { namespace: "*" }).catch(() => undefined),
  );
}

async function serviceAccountToken(): Promise<string> {
  const { status } = await admin.create(SERVICE_ACCOUNTS, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: { name: "injector", namespace: SYSTEM },
    spec: {},
  }, { subresource: "token" });
  return (status as { token: string }).token;
}

/** The values that ship, with another tag for images. */
function valuesWith(tag: string): string {
  const values = parseYaml(defaultConfig().values) as { global: object };
  return JSON.stringify({ ...values, global: { ...values.global, tag } });
}

async function save(name: string, data: Record<string, string>): Promise<void> {
  const metadata = { name, namespace: SYSTEM };
  await admin.apply(CONFIG_MAPS, { metadata, data }, { fieldManager: "e2e", force: true });
}

const saveInject = (values: string) => save(INJECT_MAP, { config: defaultConfig().config, values });

async function setKubelet(kubeletVersion: string): Promise<void> {
  const node = { metadata: { name: "cluster-e2e" }, status: { nodeInfo: { kubeletVersion } } };
  await admin.patch(NODES, { name: "cluster-e2e" }, {
    type: "merge",
    patch: { status: node.status },
    subresource: "status",
  });
}

const inShop = () => tryPod(admin, { namespace: SHOP, labels: LABELS });

/** Tag of the sidecar's image of a pod that is created now. */
async function tagNow(): Promise<string | undefined> {
  const sidecar = sidecarOf(await inShop()) as { image?: string } | undefined;
  return sidecar?.image?.split(":").at(-1);
}

/** Creates pods until one fits; gives the milliseconds that it took. */
async function podsTurn(what: string, fits: (pod: KubeObject) => boolean, ms = 10_000) {
  const started = performance.now();
  await until(what, async () => fits(await inShop()) || undefined, ms);
  return performance.now() - started;
}

const hasTag = (tag: string) => (pod: KubeObject) =>
  (sidecarOf(pod) as { image?: string } | undefined)?.image?.endsWith(`:${tag}`) ?? false;

const isNative = ({ spec }: KubeObject) => {
  const { initContainers = [] } = spec as { initContainers?: { name: string }[] };
  return initContainers.some(({ name }) => name === "istio-proxy");
};

async function monitoring(path: string): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${injector.program.plainPort}${path}`)).text();
}

const readyz = async () => JSON.parse(await monitoring("/readyz"));

beforeAll(async () => {
  await createNamespace(admin, SYSTEM);
  await createNamespace(admin, SHOP);
  await grantRights();
  await saveInject(valuesWith("one"));
  await save(MESH_MAP, { mesh: defaultConfig().mesh });
  await defineProxyConfigs();
  for (const { metadata } of (await admin.list(NODES)).items) {
    await admin.delete(NODES, { name: metadata.name! });
  }
  await admin.create(NODES, {
    metadata: { name: "cluster-e2e" },
    status: { nodeInfo: { kubeletVersion: "v1.32.4" } },
  });
  const kubeconfig = writeKubeconfig(join(folder, "kubeconfig"), {
    info,
    user: { token: await serviceAccountToken() },
  });
  flags = [
    "--config-source=files",
    `--kubeconfig=${kubeconfig}`,
    `--namespace=${SYSTEM}`,
    `--revision=${REVISION}`,
    "--inject-configmap=istio-sidecar-injector",
    "--mesh-configmap=istio",
    "--platform=openshift",
  ];
  injector = await startInjector([...flags, "--events"]);
  const { ca, url } = injector;
  await admin.create(
    MUTATING_WEBHOOK_CONFIGURATIONS,
    generateWebhook({ revision: REVISION, ca, url }),
  );
  await until("the webhook is called", async () => sidecarOf(await inShop()));
});
afterAll(async () => {
  const labelSelector = "app.kubernetes.io/name=outrigger";
  const { items } = await admin.list(MUTATING_WEBHOOK_CONFIGURATIONS, { labelSelector });
  for (const { metadata } of items) {
    await admin.delete(MUTATING_WEBHOOK_CONFIGURATIONS, { name: metadata.name! });
  }
  await injector.stop();
  await admin.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: "proxyconfigs.networking.istio.io" });
  await admin.delete(NODES, { name: "cluster-e2e" });
  admin.close();
  rmSync(folder, { recursive: true });
});

describe("outrigger serve with config maps, by a service account with the least rights", () => {
  test("injects with the config maps of its revision", async () => {
    expect(await tagNow()).toBe("one");
    const { ready, watches } = await readyz();
    expect(ready).toBeTrue();
    expect(watches).toMatchObject({
      [`configmap ${SYSTEM}/${INJECT_MAP}`]: "in sync",
      [`configmap ${SYSTEM}/${MESH_MAP}`]: "in sync",
      nodes: "in sync",
      namespaces: "in sync",
      proxyconfigs: "in sync",
    });
  });

  test("a ConfigMap that is edited changes new pods within 2 s", async () => {
    await saveInject(valuesWith("two"));
    const values = await podsTurn("values", hasTag("two"));
    await save(MESH_MAP, { mesh: "trustDomain: edited.test\n" });
    const mesh = await podsTurn("mesh", (pod) => JSON.stringify(pod).includes("edited.test"));
    console.log(`pods changed ${values.toFixed(0)} and ${mesh.toFixed(0)} ms after the edits`);
    expect(values).toBeLessThan(2000);
    expect(mesh).toBeLessThan(2000);
  });

  test("a broken edit changes nothing, and is told with key, line and column", async () => {
    await saveInject("global:\n  tag: [three\n");
    const { config } = await until("it is told", async () => {
      const detail = await readyz();
      return detail.config.failure === undefined ? undefined : detail;
    });
    expect(config.failure).toStartWith(
      `Cannot load key "values" of ConfigMap "${SYSTEM}/${INJECT_MAP}" at 3:`,
    );
    expect(config.failure).toEndWith(`; still serving version ${config.version}`);
    expect(await tagNow()).toBe("two");
    expect(await monitoring("/metrics")).toContain("\noutrigger_config_failing 1\n");
    const line = await injector.program.line(({ message }) => message === "configuration rejected");
    expect(line).toMatchObject({
      level: "error",
      configMap: `${SYSTEM}/${INJECT_MAP}`,
      key: "values",
      line: 3,
    });
    await saveInject(valuesWith("four"));
    await podsTurn("mended", hasTag("four"));
    expect((await readyz()).config.failure).toBeUndefined();
  });

  test("a ConfigMap that is deleted goes on serving, and is taken when it is back", async () => {
    await admin.delete(CONFIG_MAPS, { namespace: SYSTEM, name: INJECT_MAP });
    const failure = await until("it is told", async () => (await readyz()).config.failure);
    expect(failure).toContain("it was deleted");
    expect(await tagNow()).toBe("four");
    await saveInject(valuesWith("five"));
    await podsTurn("back", hasTag("five"));
  });

  test("config and values of nearly 1 MiB, the most there can be, are taken", async () => {
    const padding = "x".repeat(1024 * 1024 - 64 * 1024);
    const values = JSON.stringify({ ...JSON.parse(valuesWith("large")), padding });
    await saveInject(values);
    await podsTurn("large", hasTag("large"));
    await saveInject(valuesWith("five"));
    await podsTurn("small again", hasTag("five"));
  });

  test("the kubelet version of the nodes turns sidecars native, and back", async () => {
    expect(isNative(await inShop())).toBeFalse();
    await setKubelet("v1.35.4");
    const there = await podsTurn("native", isNative);
    await setKubelet("v1.32.9");
    const back = await podsTurn("ordinary", (pod) => !isNative(pod));
    console.log(`native after ${there.toFixed(0)} ms, ordinary again after ${back.toFixed(0)} ms`);
    expect(Math.max(there, back)).toBeLessThan(2000);
  });
});

describe("outrigger serve by what else is in the cluster", () => {
  test("a ProxyConfig changes new pods of its namespace within 2 s, and back", async () => {
    const metadata = { name: "e2e", namespace: SHOP };
    const spec = { environmentVariables: { FROM_PROXY_CONFIG: "yes" } };
    const has = (pod: KubeObject) => JSON.stringify(pod).includes("FROM_PROXY_CONFIG");
    await admin.create(PROXY_CONFIGS, { metadata, spec });
    expect(await podsTurn("ProxyConfig", has)).toBeLessThan(2000);
    await admin.delete(PROXY_CONFIGS, metadata);
    expect(await podsTurn("no ProxyConfig", (pod) => !has(pod))).toBeLessThan(2000);
  });

  test("on OpenShift the sidecar's user is of the range in the namespace's annotation", async () => {
    const userOf = (pod: KubeObject) =>
      (sidecarOf(pod) as { securityContext?: { runAsUser?: number } }).securityContext?.runAsUser;
    expect(userOf(await inShop())).toBe(1337);
    const annotations = { "openshift.io/sa.scc.uid-range": "1000680000/10000" };
    await admin.patch(NAMESPACES, { name: SHOP }, {
      type: "merge",
      patch: { metadata: { annotations } },
    });
    expect(await podsTurn("user", (pod) => userOf(pod) === 1000689999)).toBeLessThan(2000);
  });
});

describe("outrigger serve --events", () => {
  async function replicaSet(name: string): Promise<KubeObject> {
    const labels = { app: name };
    return await admin.create(REPLICA_SETS, {
      metadata: { name, namespace: SHOP },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "app", image: "app" }] },
        },
      },
    });
  }

  async function createPod(
    { metadata: { name, uid } }: KubeObject,
    { suffix, dryRun = false, ...options }: {
      suffix: string;
      dryRun?: boolean;
      annotations?: Record<string, string>;
    },
  ): Promise<void> {
    const made = pod({ name: `${name}-${suffix}`, namespace: SHOP, labels: LABELS, ...options });
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid, controller: true };
    const metadata = { ...made.metadata, ownerReferences: [owner] };
    await admin.create(PODS, { ...made, metadata }, { dryRun });
  }

  const eventsOf = async ({ metadata: { uid } }: KubeObject) => {
    const { items } = await admin.list(EVENTS, { namespace: SHOP });
    return items.filter(({ regarding }) => (regarding as { uid: string }).uid === uid);
  };

  test("says on its owner that a pod was injected, and another skipped and why", async () => {
    const owner = await replicaSet("told");
    await createPod(owner, { suffix: "a" });
    await createPod(owner, { suffix: "b", annotations: { "sidecar.istio.io/inject": "false" } });
    const events = await until("two events", async () => {
      const events = await eventsOf(owner);
      return events.length === 2 ? events : undefined;
    });
    const told = events.map(({ reason, note, type }) => ({ reason, note, type }));
    expect(told.toSorted((a, b) => String(a.reason) < String(b.reason) ? -1 : 1)).toEqual([
      {
        reason: "Injected",
        type: "Normal",
        note: "A sidecar was injected by sidecar: the config's policy is to inject where " +
          "nothing else is said (policy_enabled)",
      },
      {
        reason: "InjectionSkipped",
        type: "Normal",
        note: 'No sidecar was injected: the pod\'s annotation "sidecar.istio.io/inject" says no ' +
          "(annotation_false)",
      },
    ]);
  });

  test("counts pods of one owner together", async () => {
    const owner = await replicaSet("many");
    for (let i = 0; i < 20; i++) await createPod(owner, { suffix: String(i) });
    await until("an event", async () => (await eventsOf(owner)).at(0));
    expect(await eventsOf(owner)).toHaveLength(1);
  });

  test("says nothing of dry runs", async () => {
    const [dry, real] = [await replicaSet("dry"), await replicaSet("real")];
    await createPod(dry, { suffix: "a", dryRun: true });
    await createPod(real, { suffix: "a" });
    await until("the other's event", async () => (await eventsOf(real)).at(0));
    expect(await eventsOf(dry)).toEqual([]);
  });
});

describe("an API server that is restarted", () => {
  test("is resumed from by all watches, and one that starts meanwhile waits for it", async () => {
    await apiServer("stop", info);
    await until(
      "the watches notice",
      async () => (await monitoring("/metrics")).match(/^outrigger_watch_failing\{.*\} 1$/m),
    );
    const detail = await readyz();
    expect(detail.ready).toBeTrue();
    const second = startInjector(flags);
    await apiServer("start", info);
    await (await second).stop();
    await until("all are in step", async () => {
      const { watches } = await readyz();
      return Object.values(watches).every((state) => state === "in sync") || undefined;
    }, 40_000);
    await saveInject(valuesWith("after"));
    await setKubelet("v1.35.4");
    const took = await podsTurn("after", (pod) => hasTag("after")(pod) && isNative(pod));
    expect(took).toBeLessThan(2000);
  }, 300_000);
});
