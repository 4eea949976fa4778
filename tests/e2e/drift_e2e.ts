/** Which running pods have drifted, as a real API server keeps them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STAMP } from "../../lib/inject/stamp.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
} from "../../lib/kube/resources.ts";
import { generateWebhook } from "../../lib/webhook/generate.ts";
import { adminClient, clusterInfo, outrigger } from "./_environment.ts";
import { type Injector, startInjector } from "./_injector.ts";
import { certificateUser, writeKubeconfig } from "./_kubeconfig.ts";
import { createNamespace, sidecarOf, tryPod } from "./_pods.ts";
import { until } from "./_until.ts";

const info = clusterInfo();
const admin = adminClient(info);
const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-drift-"));
const file = writeKubeconfig(join(folder, "admin"), { info, user: certificateUser(info.admin) });
const SHOP = "drift-shop";
const SYSTEM = "drift-system";
const shipped = defaultConfig();
let injector: Injector;
let webhook = "";

function drift(...flags: string[]) {
  const fixed = ["-n", SHOP, "-i", SYSTEM, "--native-sidecars", "false"];
  return outrigger(["drift", "--kubeconfig", file, ...fixed, ...flags]);
}

async function write(config: string): Promise<void> {
  const maps: Record<string, Record<string, string>> = {
    "istio-sidecar-injector": { config, values: shipped.values },
    istio: { mesh: shipped.mesh },
  };
  for (const [name, data] of Object.entries(maps)) {
    const options = { fieldManager: "e2e", force: true };
    await admin.apply(CONFIG_MAPS, { metadata: { name, namespace: SYSTEM }, data }, options);
  }
}

/** What a pod may have that injection has to do with: probes, scraping, a volume, resources. */
function podSpec() {
  return {
    containers: [{
      name: "app",
      image: "app:1",
      ports: [{ containerPort: 8080 }],
      readinessProbe: { httpGet: { path: "/ready", port: 8080 } },
      livenessProbe: { tcpSocket: { port: 8080 } },
      startupProbe: { grpc: { port: 9000 } },
      lifecycle: { preStop: { httpGet: { path: "/stop", port: 8080 } } },
    }],
  };
}

const LABELS = { app: "web" };
const ANNOTATIONS = { "prometheus.io/scrape": "true", "prometheus.io/port": "8080" };

function owner(kind: string, { metadata }: KubeObject) {
  const { name, uid } = metadata;
  return [{ apiVersion: "apps/v1", kind, name, uid, controller: true }];
}

beforeAll(async () => {
  injector = await startInjector(["--stamp", "--native-sidecars=false"]);
  await createNamespace(admin, SYSTEM);
  await createNamespace(admin, SHOP, { "istio.io/rev": "drift" });
  await write(shipped.config);
  const { ca, url } = injector;
  const configuration = generateWebhook({ revision: "drift", ca, url });
  webhook = configuration.metadata.name;
  await admin.create(MUTATING_WEBHOOK_CONFIGURATIONS, configuration);
  await until("the webhook in force", async () => {
    return sidecarOf(await tryPod(admin, { namespace: SHOP }));
  });
  const template = { metadata: { labels: LABELS }, spec: podSpec() };
  const spec = { selector: { matchLabels: LABELS }, template };
  const deployment = await admin.create(DEPLOYMENTS, {
    metadata: { name: "web", namespace: SHOP },
    spec,
  });
  const replicaSet = await admin.create(REPLICA_SETS, {
    metadata: {
      ...{ name: "web-1", namespace: SHOP },
      ownerReferences: owner("Deployment", deployment),
    },
    spec,
  });
  for (let i = 0; i < 2; i++) {
    await admin.create(PODS, {
      metadata: {
        ...{ generateName: "web-1-", namespace: SHOP, labels: LABELS, annotations: ANNOTATIONS },
        ownerReferences: owner("ReplicaSet", replicaSet),
      },
      spec: podSpec(),
    });
  }
  await admin.create(PODS, {
    metadata: { name: "lone", namespace: SHOP },
    spec: podSpec(),
  });
  await admin.create(POD_DISRUPTION_BUDGETS, {
    metadata: { name: "web", namespace: SHOP },
    spec: { minAvailable: 2, selector: { matchLabels: LABELS } },
  });
});
afterAll(async () => {
  if (webhook !== "") await admin.delete(MUTATING_WEBHOOK_CONFIGURATIONS, { name: webhook });
  await injector?.stop();
  admin.close();
  rmSync(folder, { recursive: true });
});

describe("outrigger drift", () => {
  test("pods that serve --stamp injected say which configuration they are of", async () => {
    const { items } = await admin.list(PODS, { namespace: SHOP });
    expect(items.length).toBe(3);
    for (const { metadata } of items) {
      const { [STAMP]: version } = metadata.annotations as Record<string, string>;
      expect(version).toMatch(/^[0-9a-f]{12}$/);
    }
  });

  test("nothing has drifted, by their stamps", async () => {
    const { code, out, err } = await drift();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toStartWith("3 injected pods, none drifted");
  });

  test("nor by what the API server has made of them: nothing that it filled in counts", async () => {
    const { code, out } = await drift("--deep");
    expect(out).toStartWith("3 injected pods, none drifted");
    expect(code).toBe(0);
  });

  test("a config that changes the sidecar makes them drift, with a plan that minds budgets", async () => {
    await write(shipped.config.replaceAll("periodSeconds: 1\n", "periodSeconds: 3\n"));
    const { code, out } = await drift("-o", "json");
    expect(code).toBe(3);
    const { drifted, workloads, plan } = JSON.parse(out);
    expect(drifted).toBe(3);
    expect(workloads.map(({ kind, name, pods }: Record<string, unknown>) => [kind, name, pods]))
      .toEqual([["Pod", "lone", 1], ["Deployment", "web", 2]]);
    for (const { groups: [{ changes }] } of workloads) {
      for (const { path, from, to } of changes) {
        expect(path).toEndWith("periodSeconds");
        expect([from, to]).toEqual([1, 3]);
      }
    }
    expect(plan).toMatchObject([
      { workload: { name: "lone" }, command: `kubectl -n ${SHOP} delete pod lone` },
      {
        workload: { kind: "Deployment", name: "web" },
        blocked: `PodDisruptionBudget ${SHOP}/web allows no disruptions now (0 healthy, 0 desired)`,
      },
    ]);
    await write(shipped.config);
  });
});
