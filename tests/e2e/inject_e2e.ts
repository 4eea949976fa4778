import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllYaml } from "../../lib/yaml/mod.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { CONFIG_MAPS, NODES } from "../../lib/kube/resources.ts";
import { createAuthority } from "./_certificates.ts";
import { adminClient, clusterInfo, outrigger } from "./_environment.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  DEPLOYMENTS,
  NAMESPACES,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from "./_resources.ts";

const info = clusterInfo();
const admin = adminClient(info);
const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-inject-"));
const SYSTEM = "istio-system";
const CANARY_MESH = "trustDomain: canary.test\n";

const APP = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  namespace: shop
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - name: shop
        image: shop:1
        ports: [{containerPort: 8080}]
        readinessProbe: {httpGet: {path: /ready, port: 8080}}
`;

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** A kubeconfig of one context, `e2e`. */
function kubeconfig(name: string, user: object, cluster: object = {}): string {
  const path = join(folder, name);
  const trust = { server: info.server, "certificate-authority-data": base64(info.ca) };
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "e2e",
      contexts: [{ name: "e2e", context: { cluster: "e2e", user: "e2e" } }],
      clusters: [{ name: "e2e", cluster: { ...trust, ...cluster } }],
      users: [{ name: "e2e", user }],
    }),
  );
  return path;
}

const certificateUser = (pair = info.reader) => ({
  "client-certificate-data": base64(pair.certificate),
  "client-key-data": base64(pair.key),
});

/** `outrigger inject -f -` by the context of a kubeconfig. */
function inject(file: string, flags: readonly string[] = [], stdin = APP) {
  const args = ["inject", "-f", "-", "--context", "e2e", ...flags];
  return outrigger(args, { stdin, env: { KUBECONFIG: file } });
}

/** The same from files, which is what the cluster's must come to. */
async function fromFiles(flags: readonly string[], mesh?: string): Promise<string> {
  const { config, values, mesh: shipped } = defaultConfig();
  const files = { config, values, mesh: mesh ?? shipped };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const named = Object.entries({
    config: "injectConfigFile",
    values: "valuesFile",
    mesh: "meshConfigFile",
  });
  const args = named.flatMap(([name, flag]) => [`--${flag}`, join(folder, name)]);
  const { code, out } = await outrigger(["inject", "-f", "-", ...args, ...flags], { stdin: APP });
  expect(code).toBe(0);
  return out;
}

async function setNodes(versions: Readonly<Record<string, string>>): Promise<void> {
  for (const { metadata } of (await admin.list(NODES)).items) {
    await admin.delete(NODES, { name: metadata.name! });
  }
  for (const [name, kubeletVersion] of Object.entries(versions)) {
    await admin.create(NODES, { metadata: { name }, status: { nodeInfo: { kubeletVersion } } });
  }
}

beforeAll(async () => {
  for (const name of [SYSTEM, "shop", "empty"]) {
    await admin.create(NAMESPACES, { metadata: { name } });
  }
  await admin.create(SERVICE_ACCOUNTS, { metadata: { name: "default", namespace: "shop" } });
  const { config, values, mesh } = defaultConfig();
  const maps = {
    "istio-sidecar-injector": { config, values },
    istio: { mesh },
    "istio-sidecar-injector-canary": { config, values },
    "istio-canary": { mesh: CANARY_MESH },
    "istio-sidecar-injector-torn": { config },
  };
  for (const [name, data] of Object.entries(maps)) {
    await admin.create(CONFIG_MAPS, { metadata: { name, namespace: SYSTEM }, data });
  }
  const apiGroup = "rbac.authorization.k8s.io";
  const users = (...names: string[]) => names.map((name) => ({ kind: "User", apiGroup, name }));
  const grant = (kind: string, name: string) => ({ roleRef: { apiGroup, kind, name } });
  const rule = (resources: string, verb: string) => ({
    rules: [{ apiGroups: [""], resources: [resources], verbs: [verb] }],
  });
  const own = (name: string) => ({ metadata: { name, namespace: SYSTEM } });
  const everywhere = { metadata: { name: "e2e-list-nodes" } };
  await admin.create(ROLES, { ...own("read-config"), ...rule("configmaps", "get") });
  await admin.create(ROLE_BINDINGS, {
    ...own("read-config"),
    ...grant("Role", "read-config"),
    subjects: users("reader", "reader-token", "blind-token"),
  });
  await admin.create(CLUSTER_ROLES, { ...everywhere, ...rule("nodes", "list") });
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    ...everywhere,
    ...grant("ClusterRole", "e2e-list-nodes"),
    subjects: users("reader", "reader-token"),
  });
  await setNodes({ old: "v1.32.5", new: "v1.35.4" });
});
afterAll(() => {
  admin.close();
  rmSync(folder, { recursive: true });
});

describe("outrigger inject --context, RBAC on", () => {
  test("does with the cluster's config maps what it does with the same texts as files", async () => {
    const { code, out, err } = await inject(kubeconfig("admin", certificateUser(info.admin)));
    expect({ code, err }).toEqual({ code: 0, err: "1 injected\n" });
    expect(out).toBe(await fromFiles([]));
    expect(out).toContain("name: istio-proxy");
  });

  test("needs the rights to get config maps in istio-system and to list nodes, no more", async () => {
    const { code, out, err } = await inject(kubeconfig("reader", certificateUser()));
    expect({ code, err }).toEqual({ code: 0, err: "1 injected\n" });
    expect(out).toBe(await fromFiles([]));
  });

  test("lets users in by client certificate files beside the kubeconfig", async () => {
    writeFileSync(join(folder, "tls.crt"), info.reader.certificate);
    writeFileSync(join(folder, "tls.key"), info.reader.key);
    writeFileSync(join(folder, "ca.crt"), info.ca);
    const file = kubeconfig(
      "files",
      { "client-certificate": "tls.crt", "client-key": "tls.key" },
      { "certificate-authority": "ca.crt", "certificate-authority-data": undefined },
    );
    expect(await inject(file)).toMatchObject({ code: 0, err: "1 injected\n" });
  });

  test("lets users in by token, by token file and by credential plugin", async () => {
    const token = info.tokens["reader-token"];
    writeFileSync(join(folder, "token"), `${token}\n`);
    const apiVersion = "client.authentication.k8s.io/v1";
    const credential = JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token } });
    const script = `#!/bin/sh\necho '${credential}'\n`;
    writeFileSync(join(folder, "plugin"), script, { mode: 0o700 });
    const exec = { apiVersion, command: "./plugin", interactiveMode: "Never" };
    const expected = await fromFiles([]);
    for (const user of [{ token }, { tokenFile: "token" }, { exec }]) {
      const { code, out, err } = await inject(kubeconfig("by-token", user));
      expect({ user, code, err }).toEqual({ user, code: 0, err: "1 injected\n" });
      expect(out).toBe(expected);
    }
  });

  test("takes the config maps of a revision", async () => {
    const { code, out } = await inject(kubeconfig("reader", certificateUser()), ["-r", "canary"]);
    expect(code).toBe(0);
    expect(out).toBe(await fromFiles(["-r", "canary"], CANARY_MESH));
    expect(out).toContain("canary.test");
  });

  test("says clearly which config map is missing, and which key", async () => {
    const file = kubeconfig("reader", certificateUser());
    const missing = await inject(file, ["-r", "none"]);
    expect(missing).toEqual({
      code: 1,
      out: "",
      err: 'outrigger: Cannot use ConfigMap "istio-system/istio-sidecar-injector-none" of ' +
        'context "e2e": not found; check --injectConfigMapName, --istioNamespace ' +
        "and --revision\n",
    });
    const torn = await inject(file, ["--injectConfigMapName", "istio-sidecar-injector-torn"]);
    expect(torn.err).toBe(
      'outrigger: Cannot use ConfigMap "istio-system/istio-sidecar-injector-torn" of ' +
        'context "e2e": missing ConfigMap values key "values"\n',
    );
  });

  test("says what RBAC forbids, and to whom", async () => {
    const nobody = await inject(kubeconfig("nobody", { token: info.tokens["nobody-token"] }));
    expect(nobody).toEqual({
      code: 1,
      out: "",
      err: 'outrigger: Cannot get ConfigMap "istio-system/istio-sidecar-injector" of context ' +
        '"e2e": configmaps "istio-sidecar-injector" is forbidden: User "nobody-token" cannot get ' +
        'resource "configmaps" in API group "" in the namespace "istio-system"\n',
    });
    const elsewhere = await inject(kubeconfig("reader", certificateUser()), ["-i", "empty"]);
    expect(elsewhere.err).toContain('in the namespace "empty"');
  });

  test("acts for somebody else where the kubeconfig says so", async () => {
    const user = { ...certificateUser(info.admin), as: "nobody-token" };
    const { code, err } = await inject(kubeconfig("as", user));
    expect(code).toBe(1);
    expect(err).toContain('User "nobody-token" cannot get resource "configmaps"');
  });

  test("refuses a token that the server does not know", async () => {
    const { code, err } = await inject(kubeconfig("bad-token", { token: "wrong" }));
    expect({ code, err }).toEqual({
      code: 1,
      err: 'outrigger: Cannot get ConfigMap "istio-system/istio-sidecar-injector" of context ' +
        '"e2e": Unauthorized\n',
    });
  });

  test("asks no server whose certificate is of another authority or name", async () => {
    const other = await createAuthority("other");
    const rows: [cluster: object, reason: RegExp][] = [
      [{ "certificate-authority-data": base64(other.certificate) }, /bad certificate: /],
      [{ "tls-server-name": "other.test" }, /bad certificate: .*kubernetes\.default\.svc/],
    ];
    for (const [cluster, reason] of rows) {
      const { code, err } = await inject(kubeconfig("untrusted", certificateUser(), cluster));
      expect(code).toBe(1);
      expect(err).toMatch(reason);
    }
  });

  test("takes tls-server-name, and insecure-skip-tls-verify", async () => {
    const rows = [
      { "tls-server-name": "kubernetes.default.svc" },
      { "certificate-authority-data": undefined, "insecure-skip-tls-verify": true },
    ];
    for (const cluster of rows) {
      const { code, err } = await inject(kubeconfig("named", certificateUser(), cluster));
      expect({ cluster, code, err }).toEqual({ cluster, code: 0, err: "1 injected\n" });
    }
  });
});

describe("native sidecars by the cluster's nodes", () => {
  const NATIVE = "restartPolicy: Always";
  const file = () => kubeconfig("reader", certificateUser());

  test("one kubelet before 1.33 keeps sidecars among the containers", async () => {
    await setNodes({ old: "v1.32.9", new: "v1.35.4" });
    const { out } = await inject(file());
    expect(out).not.toContain(NATIVE);
    expect(out).toBe(await fromFiles([]));
  });

  test("kubelets from 1.33 on make them native", async () => {
    await setNodes({ a: "v1.33.0", b: "v1.35.4+k3s1" });
    const { out } = await inject(file());
    expect(out).toContain(NATIVE);
    expect(out).toBe(await fromFiles(["--native-sidecars", "true"]));
  });

  test("a user who may not list nodes is warned, and gets ordinary ones", async () => {
    const { code, out, err } = await inject(
      kubeconfig("blind", { token: info.tokens["blind-token"] }),
    );
    expect(code).toBe(0);
    expect(err).toBe(
      'warning: Cannot list Nodes of context "e2e": nodes is forbidden: User "blind-token" ' +
        'cannot list resource "nodes" in API group "" at the cluster scope; sidecars are native ' +
        "only with --native-sidecars true\n1 injected\n",
    );
    expect(out).toBe(await fromFiles([]));
  });
});

describe("what comes out of it, given to the API server with dry-run", () => {
  const kinds: [name: string, nodes: Record<string, string>][] = [
    ["ordinary", { old: "v1.32.9" }],
    ["native", { new: "v1.35.4" }],
  ];
  test.each(kinds)(
    "a Deployment whose sidecar is %s is accepted, and so is its pod",
    async (_, nodes) => {
      await setNodes(nodes);
      const { out } = await inject(kubeconfig("reader", certificateUser()));
      const [deployment] = parseAllYaml(out) as [KubeObject];
      const accepted = await admin.create(DEPLOYMENTS, deployment, { dryRun: true });
      expect(accepted.metadata.uid).toBeString();
      const { template } = deployment.spec as { template: KubeObject };
      const metadata = { ...template.metadata, name: "shop-1", namespace: "shop" };
      const pod = await admin.create(PODS, { ...template, metadata }, { dryRun: true });
      const { containers, initContainers } = pod.spec as Record<string, { name: string }[]>;
      const all = [...initContainers, ...containers].map(({ name }) => name);
      expect(all).toContain("istio-proxy");
      expect((await admin.list(DEPLOYMENTS, { namespace: "shop" })).items).toEqual([]);
      expect((await admin.list(PODS, { namespace: "shop" })).items).toEqual([]);
    },
  );

  test("every kind of workload is accepted", async () => {
    const template = "metadata: {labels: {app: a}}\n    spec: {restartPolicy: RESTART, " +
      "containers: [{name: a, image: a}]}";
    const workload = (kind: string, apiVersion: string, extra = "", restart = "Always") =>
      `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${kind.toLowerCase()}, ` +
      `namespace: shop}\nspec:\n${extra}  template:\n    ${template.replace("RESTART", restart)}\n`;
    const selector = "  selector: {matchLabels: {app: a}}\n";
    const rows: [plural: string, yaml: string][] = [
      ["daemonsets", workload("DaemonSet", "apps/v1", selector)],
      ["replicasets", workload("ReplicaSet", "apps/v1", selector)],
      ["statefulsets", workload("StatefulSet", "apps/v1", `${selector}  serviceName: a\n`)],
      ["jobs", workload("Job", "batch/v1", "", "Never")],
      ["replicationcontrollers", workload("ReplicationController", "v1")],
      [
        "cronjobs",
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: cronjob, namespace: shop}\nspec:\n" +
        "  schedule: '* * * * *'\n  jobTemplate:\n    spec:\n      template:\n        spec: " +
        "{restartPolicy: Never, containers: [{name: a, image: a}]}\n",
      ],
    ];
    const stdin = rows.map(([, yaml]) => yaml).join("---\n");
    const { code, out, err } = await inject(kubeconfig("reader", certificateUser()), [], stdin);
    expect({ code, err }).toEqual({ code: 0, err: "6 injected\n" });
    const objects = (parseAllYaml(out) as (KubeObject | null)[]).filter((object) =>
      object !== null
    );
    for (const [i, object] of objects.entries()) {
      const { apiVersion, kind } = object as unknown as { apiVersion: string; kind: string };
      const resource = { apiVersion, kind, plural: rows[i][0], namespaced: true };
      const accepted = await admin.create(resource, object, { dryRun: true });
      expect(JSON.stringify(accepted.spec)).toContain('"name":"istio-proxy"');
    }
    expect(objects).toHaveLength(6);
  });
});
