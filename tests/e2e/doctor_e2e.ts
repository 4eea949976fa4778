/** What `outrigger doctor` says of a real API server, well and broken. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding } from "../../lib/doctor/finding.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  type Resource,
  SECRETS,
  SERVICES,
} from "../../lib/kube/resources.ts";
import { generateWebhook } from "../../lib/webhook/generate.ts";
import { createAuthority } from "./_certificates.ts";
import { adminClient, clusterInfo, outrigger } from "./_environment.ts";
import { certificateUser, writeKubeconfig } from "./_kubeconfig.ts";
import { createNamespace } from "./_pods.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from "./_resources.ts";

const info = clusterInfo();
const admin = adminClient(info);
const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-doctor-"));
const kubeconfig = (name: string, pair: typeof info.admin) =>
  writeKubeconfig(join(folder, name), { info, user: certificateUser(pair) });
const file = kubeconfig("admin", info.admin);
const NS = "doctor-system";
const labels = { app: "doctor" };
const shipped = defaultConfig();
const WEBHOOKS = "admissionregistration.k8s.io";
const WEBHOOK = `istio-sidecar-injector-doctor-${NS}`;
let webhook = "";

const named = (resource: string, verbs: string[], resourceNames: string[], group = "") => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
  ...(resourceNames.length === 0 ? {} : { resourceNames }),
});

async function doctor(...flags: string[]) {
  return await outrigger(["doctor", "--kubeconfig", file, ...flags]);
}

/** Findings about this test's own objects: others install webhooks too. */
async function findings(): Promise<Finding[]> {
  const { out } = await doctor("-o", "json");
  return (JSON.parse(out).findings as Finding[])
    .filter(({ about }) => about.includes(NS) || about.includes(webhook));
}

const wrong = async () =>
  (await findings()).filter(({ level, check }) => level === "error" && check !== "selectors")
    .map(({ check, what }) => `${check}: ${what}`);

async function apply(resource: Resource, name: string, rest: object): Promise<KubeObject> {
  return await admin.apply(resource, {
    metadata: { name, ...(resource.namespaced ? { namespace: NS } : {}), labels },
    ...rest,
  }, { fieldManager: "e2e", force: true });
}

const encode = (text: string) => btoa(text);
const subjects = [{ kind: "ServiceAccount", name: "outrigger", namespace: NS }];
const roleRef = (kind: string) => ({
  apiGroup: "rbac.authorization.k8s.io",
  kind,
  name: "doctor-outrigger",
});

function serviceSpec(port = 443) {
  return { spec: { selector: labels, ports: [{ name: "https", port, targetPort: "https" }] } };
}

const DEPLOYMENT = {
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels: { ...labels, "sidecar.istio.io/inject": "false" } },
      spec: {
        serviceAccountName: "outrigger",
        containers: [{
          name: "outrigger",
          image: "outrigger:0.1.0",
          args: [
            "serve",
            "--tls=auto",
            "--tls-secret=tls",
            // With the revision at its end it would be another map's name.
            "--inject-configmap=doctor-inject",
            "--revision=doctor",
            `--namespace=${NS}`,
          ],
          ports: [{ name: "https", containerPort: 15017 }],
        }],
      },
    },
  },
};

async function writeSecret(name: string, ca?: string): Promise<string> {
  const authority = await createAuthority("doctor");
  const { certificate, key } = await authority.issue({ subject: "CN=doctor", names: [name] });
  await apply(SECRETS, "tls", {
    type: "kubernetes.io/tls",
    data: {
      "tls.crt": encode(certificate),
      "tls.key": encode(key),
      "ca.crt": encode(ca ?? authority.certificate),
    },
  });
  return authority.certificate;
}

async function writeWebhook(ca: string): Promise<void> {
  const made = generateWebhook({ revision: "doctor", namespace: NS, service: "outrigger", ca });
  webhook = made.metadata.name;
  await admin.apply(MUTATING_WEBHOOK_CONFIGURATIONS, made as unknown as KubeObject, {
    fieldManager: "e2e",
    force: true,
  });
}

beforeAll(async () => {
  await createNamespace(admin, NS);
  await createNamespace(admin, "doctor-shop", { "istio.io/rev": "doctor" });
  await apply(SERVICES, "outrigger", serviceSpec());
  await apply(DEPLOYMENTS, "outrigger", DEPLOYMENT);
  await apply(ENDPOINT_SLICES, "outrigger-1", {
    addressType: "IPv4",
    ports: [{ name: "https", port: 15017 }],
    endpoints: [
      { addresses: ["10.0.0.1"], conditions: { ready: true } },
      { addresses: ["10.0.0.2"], conditions: { ready: true } },
    ],
    metadata: {
      name: "outrigger-1",
      namespace: NS,
      labels: { "kubernetes.io/service-name": "outrigger" },
    },
  });
  await apply(CONFIG_MAPS, "doctor-inject", {
    data: { config: shipped.config, values: shipped.values },
  });
  await apply(CONFIG_MAPS, "istio", { data: { mesh: shipped.mesh } });
  await apply(ROLES, "doctor-outrigger", {
    rules: [
      named("configmaps", ["list", "watch"], ["doctor-inject"]),
      named("secrets", ["get", "list", "watch", "update"], ["tls"]),
      named("leases", ["get", "update"], ["tls"], "coordination.k8s.io"),
    ],
  });
  await apply(ROLE_BINDINGS, "doctor-outrigger", { roleRef: roleRef("Role"), subjects });
  await apply(CLUSTER_ROLES, "doctor-outrigger", {
    rules: [
      { apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] },
      named("mutatingwebhookconfigurations", ["list", "watch"], [], WEBHOOKS),
      named("mutatingwebhookconfigurations", ["patch"], [WEBHOOK], WEBHOOKS),
    ],
  });
  await apply(CLUSTER_ROLE_BINDINGS, "doctor-outrigger", {
    roleRef: roleRef("ClusterRole"),
    subjects,
  });
  await writeWebhook(await writeSecret(`outrigger.${NS}.svc`));
});
afterAll(async () => {
  if (webhook !== "") await admin.delete(MUTATING_WEBHOOK_CONFIGURATIONS, { name: webhook });
  admin.close();
  rmSync(folder, { recursive: true });
});

describe("outrigger doctor", () => {
  test("a healthy installation has no findings, including permissions", async () => {
    expect(await wrong()).toEqual([]);
    const found = await findings();
    const access = found.find(({ check }) => check === "access");
    expect(access).toMatchObject({ level: "ok" });
    expect(found.find(({ check }) => check === "endpoints")?.what).toBe(
      "2 of 2 endpoints are ready",
    );
    const { out } = await doctor("-o", "json");
    const versions = (JSON.parse(out).findings as Finding[]).find(({ about }) =>
      about === "API server"
    );
    expect(versions?.what).toBe(info.versions.match(/v1\.\d+\.\d+/)?.[0] ?? "");
  });

  test("a caBundle with another CA and a certificate for another name are reported", async () => {
    await writeSecret(`other.${NS}.svc`);
    expect(await wrong()).toEqual([
      `certificate: it is not valid for outrigger.${NS}.svc, which the API server verifies, only for ` +
      `other.${NS}.svc`,
      "ca_bundle: no CA in the caBundle signed the serving certificate",
    ]);
    await writeWebhook(await writeSecret(`outrigger.${NS}.svc`));
    expect(await wrong()).toEqual([]);
  });

  test("a Service with another port is reported, and the suggested command fixes it", async () => {
    await admin.delete(SERVICES, { namespace: NS, name: "outrigger" });
    await apply(SERVICES, "outrigger", serviceSpec(8443));
    const [finding] = (await findings()).filter(({ check, level }) =>
      check === "service" && level === "error"
    );
    expect(finding.what).toBe("the webhook calls port 443, but the Service has 8443");
    const patch = /-p '(.*)'$/.exec(finding.fix ?? "")?.[1] ?? "";
    await admin.patch(SERVICES, { namespace: NS, name: "outrigger" }, {
      type: "json",
      patch: JSON.parse(patch),
    });
    expect(await wrong()).toEqual([]);
  });

  test("missing permissions are reported", async () => {
    await apply(CLUSTER_ROLES, "doctor-outrigger", {
      rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] }],
    });
    expect(await wrong()).toEqual([
      "access: cannot list, watch mutatingwebhookconfigurations: the caBundle is not kept up to date",
      `access: cannot patch mutatingwebhookconfigurations "${WEBHOOK}": ` +
      "the caBundle is not kept up to date",
    ]);
  });

  test("a misspelt label and a removed API version are reported", async () => {
    await createNamespace(admin, "doctor-typo", { "istio-injecton": "enabled" });
    const applied = { apiVersion: "extensions/v1beta1", kind: "Deployment" };
    await admin.patch(DEPLOYMENTS, { namespace: NS, name: "outrigger" }, {
      type: "merge",
      patch: {
        metadata: {
          annotations: {
            "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(applied),
          },
        },
        spec: { template: { metadata: { labels: { "sidecar.istio.io/injct": "false" } } } },
      },
    });
    const { out } = await doctor("-o", "json");
    const found = (JSON.parse(out).findings as Finding[]).filter(({ level }) => level === "warn")
      .map(({ about, what, fix }) => `${about}: ${what}; ${fix}`);
    expect(found).toContain(
      "Namespace doctor-typo: label istio-injecton has no effect: did you mean istio-injection?; " +
        "kubectl label --overwrite namespace doctor-typo istio-injecton- istio-injection=enabled",
    );
    expect(found.filter((line) => line.startsWith(`Deployment ${NS}/outrigger: in its pod`)))
      .toHaveLength(1);
    expect(found.filter((line) => line.includes("it was applied as extensions/v1beta1")))
      .toHaveLength(1);
  });

  test("a config that does not compile is reported with its line: code 1", async () => {
    await apply(CONFIG_MAPS, "doctor-inject", {
      data: { config: "templates: {sidecar: '{{ nope }}'}", values: "" },
    });
    const { code, out } = await doctor();
    expect(code).toBe(1);
    expect(out).toContain('template: inject:1: function "nope" not defined');
  });

  test("without permission to read it fails, and guesses nothing: code 1", async () => {
    const reader = kubeconfig("reader", info.reader);
    const { code, out, err } = await outrigger(["doctor", "--kubeconfig", reader]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toStartWith("outrigger: Cannot list MutatingWebhookConfigurations");
  });
});
