/**
 * Certificates without anybody's help, and the caBundle that goes with them: the compiled program with
 * the rights of manifests/10-access.yaml and no others, called by the name of its Service.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCertificates } from "../../lib/host/mod.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import {
  LEASES,
  MUTATING_WEBHOOK_CONFIGURATIONS as CONFIGURATIONS,
  NAMESPACES,
  SECRETS,
  SERVICE_ACCOUNTS,
} from "../../lib/kube/resources.ts";
import { PROPAGATION_MS } from "../../lib/tls/plan.ts";
import { generateWebhook } from "../../lib/webhook/generate.ts";
import { type Program, startProgram } from "../cli/_program.ts";
import { type ManifestObject, readManifests } from "../manifests/_objects.ts";
import { apply, remove } from "./_apply.ts";
import { adminClient, apiServer, clusterInfo } from "./_environment.ts";
import { writeKubeconfig } from "./_kubeconfig.ts";
import { createPods } from "./_pod_stream.ts";
import { createNamespace, sidecarOf, tryPod } from "./_pods.ts";
import { createService, type LoopbackService } from "./_service.ts";
import { until } from "./_until.ts";

const info = clusterInfo();
const admin = adminClient(info);
const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-tls-"));
const HOME = "tls-home";
const SHOP = "tls-shop";
const REVISION = "tls";
const SERVICE = "injector";
const SECRET = "outrigger-tls";
const CONFIGURATION = `istio-sidecar-injector-${REVISION}-${HOME}`;

/** The manifests' own rights, in a namespace and for a webhook configuration of the test's. */
function rightsOf(file: string): ManifestObject[] {
  const text = JSON.stringify(readManifests(file))
    .replaceAll("istio-sidecar-injector-outrigger-system", CONFIGURATION)
    .replaceAll("outrigger-system", HOME);
  return (JSON.parse(text) as ManifestObject[]).map((object) => {
    const rename = (name: string) => `${name}-tls-e2e`;
    const isClusterWide = object.kind.startsWith("Cluster");
    if (!isClusterWide) return object;
    const { roleRef } = object as { roleRef?: { name: string } };
    return {
      ...object,
      metadata: { ...object.metadata, name: rename(object.metadata.name) },
      ...(roleRef === undefined ? {} : { roleRef: { ...roleRef, name: rename(roleRef.name) } }),
    };
  });
}
const access = rightsOf("10-access.yaml");
/** Rights to the configuration of the tag `prod`, too. */
const option = rightsOf("options/webhooks.yaml");

let kubeconfig: string;
let service: LoopbackService;
const running = new Set<Program>();

async function startReplica(...flags: string[]): Promise<Program> {
  const program = await startProgram([
    "serve",
    "--tls=auto",
    "--config-source=embedded",
    "--address=127.0.0.1",
    "--port=0",
    "--monitoringPort=0",
    "--drain=2s",
    `--service=${SERVICE}`,
    `--namespace=${HOME}`,
    `--revision=${REVISION}`,
    `--kubeconfig=${kubeconfig}`,
    ...flags,
  ]);
  running.add(program);
  return program;
}

interface Ready {
  readonly ready: boolean;
  readonly certificate: { readonly expires?: string; readonly failure?: string };
  readonly caBundle: {
    readonly holds?: boolean;
    readonly configurations: readonly string[];
    readonly failure?: string;
  };
}

async function readyz({ plainPort }: Program): Promise<Ready> {
  return await (await fetch(`http://127.0.0.1:${plainPort}/readyz`)).json() as Ready;
}

/** Ready, and the caBundle holds. */
async function untilReady(replicas: readonly Program[]): Promise<void> {
  for (const replica of replicas) {
    await until("ready", async () => {
      const { ready, caBundle } = await readyz(replica);
      return ready && caBundle.holds ? true : undefined;
    }, 30_000);
  }
  service.leadTo(replicas.map(({ port }) => port));
}

async function stop(program: Program, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
  program.kill(signal);
  await program.exited;
  running.delete(program);
}

const configuration = () =>
  generateWebhook({
    revision: REVISION,
    namespace: HOME,
    service: SERVICE,
    port: service.port,
    matchConditions: true,
  });
const NAME = () => CONFIGURATION;

/** The configuration of the tag that `option` is for. */
const prod = () =>
  generateWebhook({
    revision: REVISION,
    tag: "prod",
    service: SERVICE,
    namespace: HOME,
    port: service.port,
  });
const TAG = { name: `istio-revision-tag-prod-${HOME}` };
const untilTagFilled = () =>
  until(
    "the tag filled",
    async () => bundlesOf(await admin.get(CONFIGURATIONS, TAG)).every(Boolean) ? true : undefined,
    40_000,
  );

function bundlesOf(object: KubeObject): string[] {
  const webhooks = object.webhooks as { clientConfig: { caBundle?: string } }[];
  return webhooks.map(({ clientConfig: { caBundle = "" } }) => atob(caBundle));
}
const bundles = async () => bundlesOf(await admin.get(CONFIGURATIONS, { name: NAME() }));
const authorities = async () => readCertificates((await bundles())[0]).length;
const secretName = { namespace: HOME, name: SECRET };
const steps = (replicas: readonly Program[]) =>
  replicas.flatMap((replica) =>
    replica.output().split("\n").flatMap((line) =>
      /"message":"(CA and[^"]*|next[^"]*|certificate issued|old[^"]*)"/.exec(line)?.[1] ?? []
    )
  );

/** One line for people, with the figures. */
const say = (line: string) => console.log(`  ${line}`);

beforeAll(async () => {
  await admin.create(NAMESPACES, { metadata: { name: HOME } });
  await createNamespace(admin, SHOP, { "istio.io/rev": REVISION });
  await apply(admin, access);
  const account = await admin.create(SERVICE_ACCOUNTS, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: { name: "outrigger", namespace: HOME },
    spec: { expirationSeconds: 3600 },
  }, { subresource: "token" });
  const { token } = account.status as { token: string };
  kubeconfig = writeKubeconfig(join(folder, "account"), { info, user: { token }, namespace: HOME });
  service = await createService(admin, { name: SERVICE, namespace: HOME });
});
afterAll(async () => {
  for (const program of running) await stop(program, "SIGKILL");
  await service[Symbol.asyncDispose]();
  await remove(admin, [...access, ...option].reverse());
  await admin.delete(CONFIGURATIONS, { name: NAME() }).catch(() => {});
  rmSync(folder, { recursive: true });
  admin.close();
});

describe("serve --tls auto", () => {
  let replicas: Program[];

  test("makes a certificate out of nothing, one for all replicas, and pods are injected", async () => {
    await apply(admin, [configuration() as unknown as ManifestObject]);
    const began = performance.now();
    replicas = await Promise.all([startReplica(), startReplica()]);
    await untilReady(replicas);
    say(`ready with caBundle ${((performance.now() - began) / 1000).toFixed(1)} s after the start`);
    expect(steps(replicas)).toEqual(["CA and certificate created"]);
    const secret = await admin.get(SECRETS, secretName);
    expect(secret.type).toBe("kubernetes.io/tls");
    expect(Object.keys(secret.data as object).sort()).toEqual([
      "ca.crt",
      "ca.key",
      "tls.crt",
      "tls.key",
    ]);
    // The Lease was for the work, and is free again.
    const lease = await admin.get(LEASES, secretName);
    expect((lease.spec as { holderIdentity?: string }).holderIdentity ?? "").toBe("");
    await until("a pod injected", async () => {
      const pod = await tryPod(admin, { namespace: SHOP }).catch(() => undefined);
      return pod && sidecarOf(pod);
    });
  });

  test("a replica that comes later takes the same certificate, and writes nothing", async () => {
    const before = await admin.get(SECRETS, secretName);
    const lease = await admin.get(LEASES, secretName);
    const late = await startReplica();
    await untilReady([late]);
    expect(await admin.get(SECRETS, secretName)).toEqual(before);
    expect(await admin.get(LEASES, secretName)).toEqual(lease);
    await stop(late);
    await untilReady(replicas);
  });

  test("mends a caBundle that was overwritten or taken away, within a second each time", async () => {
    const good = await bundles();
    const times: number[] = [];
    for (const caBundle of ["", btoa("nonsense"), btoa(info.ca)]) {
      const object = await admin.get(CONFIGURATIONS, { name: NAME() });
      const webhooks = (object.webhooks as { clientConfig: object }[]).map((webhook) => ({
        ...webhook,
        clientConfig: { ...webhook.clientConfig, caBundle },
      }));
      await admin.update(CONFIGURATIONS, { ...object, webhooks });
      const began = performance.now();
      await until(
        "mended",
        async () => (await bundles()).every((bundle) => bundle === good[0]) ? true : undefined,
      );
      times.push(performance.now() - began);
    }
    say(`mended after ${times.map((time) => `${time.toFixed(0)} ms`).join(", ")}`);
    expect(Math.max(...times)).toBeLessThan(1000);
  });

  test("owns the caBundle alone: who applies the rest can apply it again, remove a webhook, add one", async () => {
    const whole = configuration();
    const applied = async (webhooks: unknown) => {
      const options = { fieldManager: "gitops" };
      return await admin.apply(CONFIGURATIONS, { ...whole, webhooks }, { ...options, force: true });
    };
    const [first] = await bundles();
    expect(bundlesOf(await applied(whole.webhooks))).toEqual(whole.webhooks!.map(() => first));
    const { managedFields } = (await admin.get(CONFIGURATIONS, { name: NAME() })).metadata as {
      managedFields: { manager: string; fieldsV1: { "f:webhooks": Record<string, unknown> } }[];
    };
    const ours = managedFields.filter(({ manager }) => manager === "outrigger");
    expect(ours.flatMap(({ fieldsV1 }) => Object.values(fieldsV1["f:webhooks"]))).toEqual(
      whole.webhooks!.map(() => ({ "f:clientConfig": { "f:caBundle": {} } })),
    );
    // The test's own `kubectl` owns them too, until it says otherwise.
    await admin.apply(CONFIGURATIONS, { metadata: { name: NAME() } }, { fieldManager: "kubectl" });
    const removed = await applied(whole.webhooks!.slice(1));
    expect(removed.webhooks).toHaveLength(whole.webhooks!.length - 1);
    await applied(whole.webhooks);
    await until(
      "the one that came back filled",
      async () => (await bundles()).every((bundle) => bundle === first) ? true : undefined,
    );
  });

  test(
    "a tag that it may not patch is told, and holds back the next authority until it may",
    async () => {
      const issued = () => steps(replicas).filter((step) => step === "certificate issued").length;
      const before = issued();
      await admin.create(CONFIGURATIONS, prod());
      await until("told", async () => {
        const { ready, caBundle: { holds, failure = "" } } = await readyz(replicas[0]);
        return ready && holds === false && failure.includes("is forbidden") ? true : undefined;
      });
      await admin.delete(SECRETS, secretName);
      await until("announced", async () => await authorities() > 1 ? true : undefined, 20_000);
      // Longer than certificates wait for a caBundle that is everywhere.
      await Bun.sleep(PROPAGATION_MS + 3_000);
      expect(issued()).toBe(before);
      await tryPod(admin, { namespace: SHOP });
      const told = replicas[0].output().split("\n").filter((line) =>
        line.includes("caBundle not patched")
      );
      expect(told).toHaveLength(1);
      await apply(admin, option);
      await untilTagFilled();
      await until("issued", () => issued() > before ? true : undefined, 40_000);
      await admin.delete(CONFIGURATIONS, TAG);
    },
    120_000,
  );

  test("never touches another's configuration", async () => {
    const others = [
      // Istio's own, of the same revision: it calls another server.
      generateWebhook({
        revision: REVISION,
        tag: "istiod",
        service: "istiod",
        namespace: "istio-system",
      }),
      generateWebhook({ revision: "other", service: SERVICE, namespace: HOME }),
      { ...configuration(), metadata: { name: "tls-no-revision" } },
    ];
    const before = [];
    for (const other of others) {
      // Nobody's pods: these are here to be looked at.
      const webhooks = other.webhooks!.map((webhook) => ({
        ...webhook,
        namespaceSelector: { matchLabels: { nobody: "nowhere" } },
      }));
      before.push(await admin.create(CONFIGURATIONS, { ...other, webhooks }));
    }
    // One that is ours, written after them and seen to be filled, says that they have been looked at.
    await admin.create(CONFIGURATIONS, prod());
    await untilTagFilled();
    for (const object of before) {
      const other = { name: object.metadata.name! };
      expect(await admin.get(CONFIGURATIONS, other)).toEqual(object);
      await admin.delete(CONFIGURATIONS, other);
    }
    await admin.delete(CONFIGURATIONS, TAG);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["is deleted", () => admin.delete(SECRETS, secretName)],
    ["is garbled", () =>
      admin.patch(SECRETS, secretName, {
        type: "merge",
        patch: { data: { "tls.crt": btoa("x"), "ca.crt": btoa("y"), "ca.key": btoa("z") } },
      })],
  ])("a Secret that %s is mended, and no pod fails meanwhile", async (_, harm) => {
    const before = (await bundles())[0];
    const stream = createPods(admin, SHOP);
    await harm();
    const count = steps(replicas).filter((step) => step === "certificate issued").length;
    await until(
      "another certificate",
      () =>
        steps(replicas).filter((step) => step === "certificate issued").length > count
          ? true
          : undefined,
      40_000,
    );
    // Both authorities are trusted until the old certificate has expired.
    expect((await bundles())[0]).toStartWith(before.slice(0, 400));
    await Bun.sleep(2_000);
    const { pods, failures } = await stream.end();
    say(`${pods} pods, ${failures.length} failures`);
    expect(failures).toEqual([]);
    for (const replica of replicas) {
      expect((await readyz(replica)).certificate.failure).toBeUndefined();
    }
  }, 90_000);

  test("one replica ends in order, and no pod fails", async () => {
    const [leaving, staying] = replicas;
    const stream = createPods(admin, SHOP);
    await Bun.sleep(1_000);
    leaving.kill("SIGTERM");
    // As the endpoints controller does when readiness fails.
    await until("not ready", async () => (await readyz(leaving)).ready ? undefined : true);
    service.leadTo([staying.port]);
    await stop(leaving);
    await Bun.sleep(1_000);
    const { pods, failures } = await stream.end();
    say(`${pods} pods, ${failures.length} failures`);
    expect(failures).toEqual([]);
    replicas = [staying, await startReplica()];
    await untilReady(replicas);
  });

  test("the replica that holds the Lease is killed: the other takes over, pods go on", async () => {
    // A holder that is killed at work leaves a Lease in its name.
    const [dead, alive] = replicas;
    await stop(dead, "SIGKILL");
    service.leadTo([alive.port]);
    const lease = await admin.get(LEASES, secretName);
    const spec = { ...(lease.spec as object), holderIdentity: "dead", leaseDurationSeconds: 15 };
    await admin.update(LEASES, { ...lease, spec });
    await until("served again", () => tryPod(admin, { namespace: SHOP }).catch(() => undefined));
    const stream = createPods(admin, SHOP);
    const began = performance.now();
    await admin.delete(SECRETS, secretName);
    await until("mended", () => admin.get(SECRETS, secretName).catch(() => undefined), 30_000);
    const seconds = (performance.now() - began) / 1000;
    const { pods, failures } = await stream.end();
    say(`taken over after ${seconds.toFixed(1)} s; ${pods} pods, ${failures.length} failures`);
    expect(seconds).toBeWithin(14, 20);
    expect(failures).toEqual([]);
    replicas = [alive];
  }, 60_000);

  test(
    "goes on serving when the API server was away, and keeps the caBundle after it",
    async () => {
      const [replica] = replicas;
      await apiServer("stop", info);
      const { ready } = await readyz(replica);
      expect(ready).toBe(true);
      await apiServer("start", info);
      await until("a pod injected", async () => {
        const pod = await tryPod(admin, { namespace: SHOP }).catch(() => undefined);
        return pod && sidecarOf(pod);
      });
      const good = await bundles();
      await admin.patch(CONFIGURATIONS, { name: NAME() }, {
        type: "json",
        patch: [{ op: "remove", path: "/webhooks/0/clientConfig/caBundle" }],
      });
      await until(
        "mended",
        async () => (await bundles())[0] === good[0] ? true : undefined,
        40_000,
      );
      await stop(replica);
    },
    120_000,
  );

  test("another's Secret is served as it is, and never changed", async () => {
    const secret = await admin.get(SECRETS, secretName);
    const { "ca.key": _, ...data } = secret.data as Record<string, string>;
    await admin.delete(SECRETS, secretName);
    const theirs = await admin.create(SECRETS, { metadata: secretName, type: secret.type, data });
    const replica = await startReplica();
    await untilReady([replica]);
    expect(await authorities()).toBeGreaterThan(0);
    expect(await admin.get(SECRETS, secretName)).toEqual(theirs);
    await stop(replica);
    await admin.delete(SECRETS, secretName);
  });
});

describe("an authority that is replaced", () => {
  test("overlaps the old one, and of the pods created all the while none fails", async () => {
    const lives = ["--tls-ca-lifetime=54s", "--tls-cert-lifetime=18s"];
    const replicas = await Promise.all([startReplica(...lives), startReplica(...lives)]);
    await untilReady(replicas);
    await until("a pod injected", () => tryPod(admin, { namespace: SHOP }).catch(() => undefined));
    const stream = createPods(admin, SHOP);
    const seen: number[] = [];
    const count = (word: string) => steps(replicas).filter((step) => step === word).length;
    await until("an authority retired, and then the next", async () => {
      const now = await authorities();
      if (seen.at(-1) !== now) seen.push(now);
      return count("old CA removed") >= 2 ? true : undefined;
    }, 150_000);
    const { pods, failures } = await stream.end();
    say(
      `${pods} pods, ${failures.length} failures; ${count("certificate issued")} certificates, ` +
        `${count("next CA published in the caBundle")} authorities, trusted at a time: ${
          seen.join(" ")
        }`,
    );
    expect(failures).toEqual([]);
    expect(pods).toBeGreaterThan(1000);
    expect(seen.slice(0, 4)).toEqual([1, 2, 1, 2]);
    for (const replica of replicas) await stop(replica);
  }, 240_000);
});
