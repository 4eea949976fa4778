/** Everything in manifests/, given to a real API server; and what it lets the injector do. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding } from "../../lib/doctor/finding.ts";
import { createClock } from "../../lib/host/mod.ts";
import type { ApiError } from "../../lib/kube/api_error.ts";
import { createKubeClient, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import {
  CONFIG_MAPS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  PODS,
  PROXY_CONFIGS,
  type Resource,
  SECRETS,
} from "../../lib/kube/resources.ts";
import { strategicMerge } from "../../lib/patch/strategic_merge.ts";
import { manifestFiles, type ManifestObject, only, readManifests } from "../manifests/_objects.ts";
import { apply, remove, resourceOf } from "./_apply.ts";
import { adminClient, clusterInfo, outrigger } from "./_environment.ts";
import { certificateUser, writeKubeconfig } from "./_kubeconfig.ts";
import { createNamespace, sidecarOf, tryPod } from "./_pods.ts";
import { runDeployment, tokenOf } from "./_run_deployment.ts";
import { until } from "./_until.ts";

const info = clusterInfo();
const admin = adminClient(info);
const HOME = "outrigger-system";
const objects = readManifests();
/** No controller here ends namespaces, and other tests need this one. */
const removable = objects.filter(({ kind }) => kind !== "Namespace");
const label = ({ kind, metadata }: ManifestObject) => `${kind} ${metadata.name}`;

// deno-lint-ignore no-explicit-any
type Any = any;

/** The least of Prometheus operator's definition that lets its objects in. */
const SERVICE_MONITORS: ManifestObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "servicemonitors.monitoring.coreos.com" },
  spec: {
    group: "monitoring.coreos.com",
    scope: "Namespaced",
    names: { kind: "ServiceMonitor", plural: "servicemonitors" },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    }],
  },
};

beforeAll(async () => {
  await apply(admin, objects);
  // As a cluster's quota controller would.
  const quota = only(objects, "ResourceQuota");
  await admin.patch(resourceOf(quota), { name: quota.metadata.name, namespace: HOME }, {
    type: "merge",
    patch: { status: { hard: { pods: "100" }, used: { pods: "0" } } },
    subresource: "status",
  });
});
afterAll(async () => {
  await remove(admin, [...removable].reverse());
  admin.close();
});

describe("kubectl apply -f manifests/", () => {
  for (const object of objects) {
    test(`${label(object)} is there, and applying it again changes nothing`, async () => {
      const { name, namespace } = object.metadata;
      const resource = resourceOf(object);
      const before = await admin.get(resource, { name, ...(namespace ? { namespace } : {}) });
      const [after] = await apply(admin, [object]);
      expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion!);
    });
  }

  test("the pods of the Deployment meet the restricted Pod Security that its namespace demands", async () => {
    const accepted = await podOf(only(objects, "Deployment"));
    expect(accepted.metadata.namespace).toBe(HOME);
    expect(sidecarOf(accepted)).toBeUndefined();
    const { template } = (only(objects, "Deployment") as Any).spec;
    const careless = structuredClone(template);
    careless.spec.containers[0].securityContext.allowPrivilegeEscalation = true;
    const metadata = { ...careless.metadata, name: "careless", namespace: HOME };
    await expect(admin.create(PODS, { ...careless, metadata }, { dryRun: true }))
      .rejects.toThrow('violates PodSecurity "restricted:latest"');
  });

  test("the injector's own pods start while nobody answers, also if its namespace is labelled", async () => {
    // The webhook is in force, and no cluster network leads to the Service.
    await createNamespace(admin, "manifests-shop", { "istio-injection": "enabled" });
    await until(
      "the webhook in force",
      () =>
        tryPod(admin, { namespace: "manifests-shop" }).then(
          () => undefined,
          (error) => /failed calling webhook/.test(error.message) ? true : undefined,
        ),
    );
    const relabel = (value: string) =>
      admin.patch(NAMESPACES, { name: HOME }, {
        type: "merge",
        patch: { metadata: { labels: { "istio-injection": value } } },
      });
    await relabel("enabled");
    await podOf(only(objects, "Deployment"));
    await relabel("disabled");
  });
});

/** The first pod of a Deployment, created with dry-run as its controller would. */
function podOf(deployment: ManifestObject): Promise<KubeObject> {
  const { template } = (deployment as Any).spec;
  const metadata = { ...template.metadata, name: "outrigger-1", namespace: HOME };
  return admin.create(PODS, { ...template, metadata }, { dryRun: true });
}

describe("what else manifests/ has", () => {
  beforeAll(async () => {
    await apply(admin, [SERVICE_MONITORS]);
    const resource = { apiVersion: "monitoring.coreos.com/v1", kind: "ServiceMonitor" };
    const monitors = { ...resource, plural: "servicemonitors", namespaced: true };
    await until(
      "ServiceMonitors served",
      () => admin.list(monitors, { namespace: HOME }).then(() => true, () => undefined),
    );
    await apply(admin, [{
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "istio-system" },
    }]);
  });
  afterAll(() => remove(admin, [SERVICE_MONITORS]));

  for (const folder of ["options", "istio-1.1"]) {
    for (const file of manifestFiles(folder)) {
      test(`${file} is accepted`, async () => {
        const made = await apply(admin, readManifests(file), { dryRun: true });
        expect(made.length).toBeGreaterThan(0);
      });
    }
  }

  for (const file of manifestFiles("variants")) {
    test(`${file} is accepted as a patch of the Deployment`, async () => {
      const [patch] = readManifests(file);
      const deployment = only(objects, "Deployment");
      const patched = strategicMerge(deployment, patch, "Deployment") as Any;
      await apply(admin, [patched], { dryRun: true });
      if (patched.spec.template.spec.hostNetwork) {
        // For this the variant says to relax the namespace.
        await expect(podOf(patched)).rejects.toThrow("violates PodSecurity");
      } else await podOf(patched);
    });
  }
});

describe("the manifests' own ServiceAccount", () => {
  let client: KubeClient;

  beforeAll(async () => {
    const token = await tokenOf(admin, { name: "outrigger", namespace: HOME });
    client = createKubeClient({
      name: "the injector",
      server: info.server,
      insecure: false,
      namespace: HOME,
      credentials: () =>
        Promise.resolve({ ca: info.ca, headers: { Authorization: `Bearer ${token}` } }),
    }, { clock: createClock() });
  });
  afterAll(() => client.close());

  const WEBHOOKS = "admissionregistration.k8s.io mutatingwebhookconfigurations";
  const WIDE = [
    `${WEBHOOKS} list,watch`,
    `${WEBHOOKS}/istio-sidecar-injector-outrigger-system patch`,
    "core nodes list,watch",
  ];
  const AT_HOME = [
    "coordination.k8s.io leases create",
    "coordination.k8s.io leases/outrigger-tls get,update",
    "core configmaps/outrigger list,watch",
    "core secrets create",
    "core secrets/outrigger-tls get,list,update,watch",
  ];

  test.each([
    [HOME, [...WIDE, ...AT_HOME]],
    ["default", WIDE],
    ["kube-system", WIDE],
    ["istio-system", WIDE],
  ])("has these rights in %s, and no others", async (namespace, expected) => {
    expect(await rightsIn(namespace)).toEqual([...expected].sort());
  });

  test.each([
    ["events.yaml", "default", "events.k8s.io events create,patch"],
    [
      "istio-config.yaml",
      "istio-system",
      "core configmaps/istio-sidecar-injector/istio list,watch",
    ],
    ["openshift.yaml", "default", "core namespaces list,watch"],
    ["proxy-configs.yaml", "default", "networking.istio.io proxyconfigs list,watch"],
    [
      "webhooks.yaml",
      "default",
      `${WEBHOOKS}/istio-sidecar-injector-outrigger-outrigger-system/` +
      "istio-revision-tag-prod-outrigger-system patch",
    ],
  ])("with options/%s has one more in %s", async (file, namespace, right) => {
    const option = readManifests(`options/${file}`);
    await apply(admin, option);
    try {
      expect(
        await until("in force", async () => {
          const rights = await rightsIn(namespace);
          return rights.length > WIDE.length ? rights : undefined;
        }),
      ).toEqual([...WIDE, right].sort());
    } finally {
      await remove(admin, option);
    }
  });

  /** What RBAC itself says that this user may do, without what it lets everybody do. */
  async function rightsIn(namespace: string): Promise<string[]> {
    const reviews: Resource = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      plural: "selfsubjectrulesreviews",
      namespaced: false,
    };
    const { status } = await client.create(reviews, { metadata: {}, spec: { namespace } }) as Any;
    expect(status.incomplete).toBe(false);
    return status.resourceRules
      .filter(({ resources }: Any) =>
        !resources.every((name: string) => name.startsWith("selfsubject"))
      )
      .map(({ apiGroups, resources, resourceNames = [], verbs }: Any) =>
        `${apiGroups.map((group: string) => group || "core").sort()} ${
          [...resources].sort().map((name) => [name, ...resourceNames].join("/"))
        } ${[...verbs].sort()}`
      ).sort();
  }

  test.each<[string, Resource, string]>([
    ["secrets of its namespace", SECRETS, HOME],
    ["secrets of all namespaces", SECRETS, "*"],
    ["config maps of its namespace", CONFIG_MAPS, HOME],
    ["config maps of others", CONFIG_MAPS, "kube-system"],
    ["namespaces", NAMESPACES, "*"],
    ["pods", PODS, "default"],
  ])("is refused when it lists %s", async (_, resource, namespace) => {
    await expect(client.list(resource, { namespace })).rejects.toThrow("is forbidden");
  });

  const own = { namespace: HOME, name: "outrigger-tls" };
  const other = { namespace: HOME, name: "other" };
  const json = { type: "json", patch: [], dryRun: true } as const;
  const one = (name: string) => ({ namespace: HOME, fieldSelector: `metadata.name=${name}` });
  const secret = (name: object) => ({ metadata: { ...name, resourceVersion: "1" } });
  test.each<[string, string, () => Promise<unknown>]>([
    ["may", "list its own config map", () => client.list(CONFIG_MAPS, one("outrigger"))],
    ["may not", "list another config map", () => client.list(CONFIG_MAPS, one("other"))],
    ["may not", "get another config map", () => client.get(CONFIG_MAPS, other)],
    ["may", "list its own Secret", () => client.list(SECRETS, one("outrigger-tls"))],
    ["may not", "list another Secret", () => client.list(SECRETS, one("other"))],
    ["may not", "get another Secret", () => client.get(SECRETS, other)],
    ["may not", "update another Secret", () => client.update(SECRETS, secret(other))],
    ["may not", "delete its own Secret", () => client.delete(SECRETS, own, { dryRun: true })],
    [
      "may not",
      "get its own Secret of another namespace",
      () => client.get(SECRETS, { ...own, namespace: "kube-system" }),
    ],
    ["may", "patch its own webhook configuration", () =>
      client.patch(
        MUTATING_WEBHOOK_CONFIGURATIONS,
        { name: "istio-sidecar-injector-outrigger-system" },
        json,
      )],
    [
      "may not",
      "patch another webhook configuration",
      () => client.patch(MUTATING_WEBHOOK_CONFIGURATIONS, { name: "istio-sidecar-injector" }, json),
    ],
    [
      "may not",
      "delete its own webhook configuration",
      () =>
        client.delete(MUTATING_WEBHOOK_CONFIGURATIONS, {
          name: "istio-sidecar-injector-outrigger-system",
        }, { dryRun: true }),
    ],
    ["may not", "get a namespace", () => client.get(NAMESPACES, { name: HOME })],
    ["may not", "get a pod", () => client.get(PODS, { namespace: HOME, name: "x" })],
    ["may not", "list ProxyConfigs", () => client.list(PROXY_CONFIGS, { namespace: "*" })],
  ])("%s %s", async (may, _, request) => {
    const error = await request().then(() => undefined, (error) => error as ApiError);
    expect(error?.code).toBe(may === "may" ? undefined : "forbidden");
  });
});

/** What the doctor says of an account's rights, and of configurations that it takes for leftovers. */
async function doctor(account: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-manifests-"));
  const user = certificateUser(info.admin);
  const kubeconfig = writeKubeconfig(join(folder, "admin"), { info, user });
  const { out } = await outrigger(["doctor", "-o", "json", "--kubeconfig", kubeconfig]);
  rmSync(folder, { recursive: true });
  return (JSON.parse(out).findings as Finding[])
    .filter(({ check, about }) =>
      check === "leftovers" || (check === "access" && about === `ServiceAccount ${account}`)
    )
    .map(({ check, level, what }) => `${check} ${level}: ${what}`);
}

describe("the Deployment's own arguments, with its ServiceAccount's rights", () => {
  test("manifests/: outrigger doctor finds that the account has them", async () => {
    expect(await doctor(`${HOME}/outrigger`)).toEqual([
      "leftovers ok: no configuration without an injector",
      "access ok: has all 15 permissions that its flags require",
    ]);
  });

  test("manifests/: makes its certificate, fills in the caBundle, and injects", async () => {
    await using deployment = await runDeployment(objects, { info, client: admin });
    const injected = await until(
      "a pod injected",
      () => tryPod(admin, { namespace: "manifests-shop" }).catch(() => undefined),
    );
    expect(sidecarOf(injected)).toBeDefined();
    const secret = await admin.get(SECRETS, { name: "outrigger-tls", namespace: HOME });
    expect(Object.keys(secret.data as object)).toContain("tls.crt");
    // It says once that it has no right to watch ProxyConfigs, which is an option, and nothing else.
    const forbidden = deployment.program.output().split("\n")
      .filter((line) => line.includes("forbidden")).map((line) => JSON.parse(line));
    expect(forbidden).toEqual([
      expect.objectContaining({
        level: "info",
        message: "watch not permitted",
        watch: "proxyconfigs",
        meanwhile: "ProxyConfig resources have no effect",
      }),
    ]);
  });

  test("manifests/, without the right to create: all goes on once the Secret and the Lease exist", async () => {
    const role = only(objects, "Role") as Any;
    const rules = role.rules.filter(({ verbs }: Any) => !verbs.includes("create"));
    expect(rules).toHaveLength(role.rules.length - 2);
    await apply(admin, [{ ...role, rules }]);
    try {
      await using _ = await runDeployment(objects, { info, client: admin });
    } finally {
      await apply(admin, [role]);
    }
  });

  test("manifests/istio-1.1/: does so under the old names, with the template of then", async () => {
    await remove(admin, [only(objects, "MutatingWebhookConfiguration")]);
    const old = readManifests("istio-1.1");
    await apply(admin, old);
    try {
      expect(await doctor("istio-system/istio-sidecar-injector-service-account")).toEqual([
        "leftovers ok: no configuration without an injector",
        "access ok: has all 11 permissions that its flags require",
      ]);
      await using deployment = await runDeployment(old, { info, client: admin });
      const injected = await until(
        "a pod injected",
        () =>
          tryPod(admin, { namespace: "manifests-shop" }).then(
            (pod) => sidecarOf(pod) && pod,
            () => undefined,
          ),
      );
      expect(JSON.stringify(injected)).toContain("docker.io/istio/proxyv2:1.1.17");
      const file = deployment.path("/health/ok");
      await until("the health file", () => existsSync(file) ? true : undefined);
      const { command } = (only(old, "Deployment") as Any).spec.template.spec.containers[0]
        .livenessProbe.exec;
      // The name that the image has for it is proven with the image.
      const [, ...probe] = command.map((word: string) => word.replace("/health/ok", file));
      expect(await outrigger(probe)).toEqual({ code: 0, out: "OK\n", err: "" });
      expect(deployment.program.output()).not.toContain("forbidden");
    } finally {
      await remove(admin, old);
      await apply(admin, [only(objects, "MutatingWebhookConfiguration")]);
    }
  });
});

describe("uninstalling, as the README says", () => {
  test("without the webhook, pods of labelled namespaces are created at once", async () => {
    const { items } = await admin.list(MUTATING_WEBHOOK_CONFIGURATIONS, {
      labelSelector: "app.kubernetes.io/name=outrigger",
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      "istio-sidecar-injector-outrigger-system",
    ]);
    for (const { metadata } of items) {
      await admin.delete(MUTATING_WEBHOOK_CONFIGURATIONS, { name: metadata.name! });
    }
    await until(
      "a pod without webhook",
      () => tryPod(admin, { namespace: "manifests-shop" }).catch(() => undefined),
    );
  });

  test("deleting manifests/ leaves nothing of it but the namespace, which a controller ends", async () => {
    await remove(admin, removable);
    for (const object of removable) {
      const { name, namespace } = object.metadata;
      const at = { name, ...(namespace ? { namespace } : {}) };
      await expect(admin.get(resourceOf(object), at)).rejects.toThrow("not found");
    }
    await admin.delete(NAMESPACES, { name: HOME }, { dryRun: true });
  });
});
