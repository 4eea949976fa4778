/** Which pods the API server asks about by our configurations, and what comes of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeObject } from "../../lib/kube/client.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS, NAMESPACES, PODS } from "../../lib/kube/resources.ts";
import type { WebhookConfiguration } from "../../lib/webhook/configuration.ts";
import { type GenerateOptions, generateWebhook } from "../../lib/webhook/generate.ts";
import { adminClient, clusterInfo, outrigger } from "./_environment.ts";
import { type Injector, startInjector } from "./_injector.ts";
import { certificateUser, writeKubeconfig } from "./_kubeconfig.ts";
import {
  calledBy,
  createNamespace,
  createServiceAccount,
  type Labels,
  sidecarOf,
  tryPod,
} from "./_pods.ts";
import { startRelay } from "./_relay.ts";
import { until } from "./_until.ts";

const info = clusterInfo();
const admin = adminClient(info);
const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-webhook-"));
const kubeconfig = writeKubeconfig(join(folder, "admin"), {
  info,
  user: certificateUser(info.admin),
});
let injector: Injector;

/** Each entry calls a path of its own, which shows in the sidecar that comes of it. */
function traced(options: GenerateOptions, as: string): WebhookConfiguration {
  const { ca, url } = injector;
  const configuration = generateWebhook({ ...options, ca, url });
  return {
    ...configuration,
    webhooks: configuration.webhooks!.map((entry) => ({
      ...entry,
      clientConfig: {
        ...entry.clientConfig,
        url: `${url}/net/${as}-${entry.name.replace(".sidecar-injector.istio.io", "")}`,
      },
    })),
  };
}

async function install(configuration: WebhookConfiguration): Promise<void> {
  await admin.create(MUTATING_WEBHOOK_CONFIGURATIONS, configuration);
  await inForce();
}

async function uninstall(): Promise<void> {
  const labelSelector = "app.kubernetes.io/name=outrigger";
  const { items } = await admin.list(MUTATING_WEBHOOK_CONFIGURATIONS, { labelSelector });
  for (const { metadata } of items) {
    await admin.delete(MUTATING_WEBHOOK_CONFIGURATIONS, { name: metadata.name! });
  }
}

let marks = 0;

/**
 * The API server learns of its configurations by a watch. One that is written after others, and is seen
 * to work, says that the others are known too.
 */
async function inForce(): Promise<void> {
  const mark = `mark-${++marks}`;
  const { ca, url } = injector;
  const configuration = generateWebhook({ revision: mark, ca, url: `${url}/net/${mark}` });
  await admin.create(MUTATING_WEBHOOK_CONFIGURATIONS, configuration);
  const name = configuration.metadata.name;
  await until(`${mark} in force`, async () => {
    const pod = await tryPod(admin, { namespace: "hook-bare", labels: { "istio.io/rev": mark } });
    return calledBy(pod);
  });
  await admin.delete(MUTATING_WEBHOOK_CONFIGURATIONS, { name });
}

beforeAll(async () => {
  injector = await startInjector();
  await createNamespace(admin, "hook-bare");
});
afterAll(async () => {
  await uninstall();
  await injector.stop();
  admin.close();
  rmSync(folder, { recursive: true });
});

describe("which webhook is called for a pod", () => {
  const INJECTION = ["", "enabled", "disabled"];
  const REVISION = ["", "default", "canary", "prod", "other"];
  const INJECT = ["", "true", "false"];
  const namespaceName = (injection: string, revision: string) =>
    `hook-${injection || "none"}-${revision || "none"}`;
  const labels = (pairs: Labels) =>
    Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== ""));

  beforeAll(async () => {
    await install(traced({ auto: true }, "default"));
    await install(traced({ revision: "canary" }, "canary"));
    await install(traced({ revision: "canary", tag: "prod" }, "prod"));
    for (const injection of INJECTION) {
      for (const revision of REVISION) {
        await createNamespace(
          admin,
          namespaceName(injection, revision),
          labels({ "istio-injection": injection, "istio.io/rev": revision }),
        );
      }
    }
  });
  afterAll(uninstall);

  /** The rows of Istio's table, one after the other; the first that fits counts. */
  const rows: readonly {
    readonly name: string;
    fits(labels: { injection: string; nsRev: string; inject: string; podRev: string }): boolean;
    expected(labels: { nsRev: string; podRev: string }): string | undefined;
  }[] = [
    {
      name: "pods with sidecar.istio.io/inject=false: none",
      fits: ({ inject }) => inject === "false",
      expected: () => undefined,
    },
    {
      name: "namespaces with istio-injection=enabled, whatever the revisions: the default's",
      fits: ({ injection }) => injection === "enabled",
      expected: () => "default-namespace",
    },
    {
      name: "namespaces with another istio-injection: none",
      fits: ({ injection }) => injection !== "",
      expected: () => undefined,
    },
    {
      name: "namespaces with istio.io/rev: that revision's or tag's, whatever the pod names",
      fits: ({ nsRev }) => nsRev !== "",
      expected: ({ nsRev }) => nsRev === "other" ? undefined : `${nsRev}-rev.namespace`,
    },
    {
      name: "pods with istio.io/rev in namespaces without labels: that revision's or tag's",
      fits: ({ podRev }) => podRev !== "",
      expected: ({ podRev }) => podRev === "other" ? undefined : `${podRev}-rev.object`,
    },
    {
      name: "pods with sidecar.istio.io/inject=true in namespaces without labels: the default's",
      fits: ({ inject }) => inject === "true",
      expected: () => "default-object",
    },
    {
      name: "no labels at all: the default's, with --auto",
      fits: () => true,
      expected: () => "default-auto",
    },
  ];
  const all = INJECTION.flatMap((injection) =>
    REVISION.flatMap((nsRev) =>
      INJECT.flatMap((inject) => REVISION.map((podRev) => ({ injection, nsRev, inject, podRev })))
    )
  );
  for (const row of rows) {
    const cases = all.filter((one) => rows.find(({ fits }) => fits(one)) === row);
    test(`${row.name} (${cases.length} combinations)`, async () => {
      expect(cases.length).toBeGreaterThan(0);
      for (const one of cases) {
        const { injection, nsRev, inject, podRev } = one;
        const pod = await tryPod(admin, {
          namespace: namespaceName(injection, nsRev),
          labels: labels({ "sidecar.istio.io/inject": inject, "istio.io/rev": podRev }),
        });
        expect({ one, called: calledBy(pod) }).toEqual({ one, called: row.expected(one) });
        expect(sidecarOf(pod) === undefined).toBe(row.expected(one) === undefined);
      }
    });
  }

  test("a pod that is created for real has its sidecar, and the cluster keeps it", async () => {
    const namespace = namespaceName("enabled", "");
    await admin.create(PODS, {
      metadata: { name: "kept", namespace },
      spec: { containers: [{ name: "app", image: "app" }] },
    });
    const kept = await admin.get(PODS, { name: "kept", namespace });
    expect(calledBy(kept)).toBe("default-namespace");
    await admin.delete(PODS, { name: "kept", namespace });
  });

  test("dry-run leaves no trace", async () => {
    for (const injection of INJECTION) {
      for (const revision of REVISION) {
        const namespace = namespaceName(injection, revision);
        const { items } = await admin.list(PODS, { namespace });
        const left = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        expect({ namespace, left }).toEqual({ namespace, left: [] });
      }
    }
  });
});

describe("a review", () => {
  test.each([["v1", ["v1", "v1beta1"]], ["v1beta1", ["v1beta1", "v1"]]])(
    "of version %s is sent and answered, where admissionReviewVersions names it first",
    async (version, admissionReviewVersions) => {
      await using relay = await startRelay(injector);
      const { ca, url } = relay;
      const configuration = generateWebhook({ revision: version, ca, url });
      await install({
        ...configuration,
        webhooks: configuration.webhooks!.map((entry) => ({ ...entry, admissionReviewVersions })),
      });
      const labels = { "istio.io/rev": version };
      const pod = await tryPod(admin, { namespace: "hook-bare", labels });
      expect(sidecarOf(pod)).toBeDefined();
      expect(relay.versions()).toEqual([`admission.k8s.io/${version}`]);
      await uninstall();
    },
  );
});

describe("failurePolicy Fail, with nobody to answer", () => {
  const labels = { "istio-injection": "enabled" };
  const label = (name: string, labels: Readonly<Record<string, string | null>>) =>
    admin.patch(NAMESPACES, { name }, { type: "merge", patch: { metadata: { labels } } });

  beforeAll(async () => {
    await createNamespace(admin, "hook-shop", labels);
    await createNamespace(admin, "hook-home");
    await createServiceAccount(admin, "kube-system");
    // Port 9 of loopback, where nothing listens.
    const url = "https://127.0.0.1:9/inject";
    const configuration = generateWebhook({ namespace: "hook-home", url, auto: true });
    await install(configuration);
  });
  afterAll(async () => {
    await uninstall();
    await label("kube-system", { "istio-injection": null });
  });

  test("keeps pods from starting without a sidecar, and says why", async () => {
    const refused = tryPod(admin, { namespace: "hook-shop" });
    await expect(refused).rejects.toThrow(
      'failed calling webhook "namespace.sidecar-injector.istio.io"',
    );
  });

  test.each([
    ["the injector's own namespace", "hook-home"],
    ["kube-system", "kube-system"],
  ])("never holds up pods of %s, though it be labelled and the pod ask", async (_, namespace) => {
    await label(namespace, labels);
    const pod = await tryPod(admin, { namespace, labels: { "sidecar.istio.io/inject": "true" } });
    expect(sidecarOf(pod)).toBeUndefined();
  });

  test("never holds up a mirror pod", async () => {
    const mirror = await admin.create(PODS, {
      metadata: {
        name: "static",
        namespace: "hook-shop",
        annotations: { "kubernetes.io/config.mirror": "a", "kubernetes.io/config.source": "file" },
      },
      spec: { nodeName: "n", containers: [{ name: "app", image: "app" }] },
    }, { dryRun: true });
    expect(sidecarOf(mirror)).toBeUndefined();
  });
});

describe("outrigger webhook generate and tag, on a cluster", () => {
  const tag = (...args: string[]) => outrigger(["tag", ...args, "--kubeconfig", kubeconfig]);
  const calls = async (namespace: string, labels: Labels = {}) => {
    await inForce();
    return calledBy(await tryPod(admin, { namespace, labels }));
  };

  beforeAll(async () => {
    await install(traced({}, "default"));
    await install(traced({ revision: "one" }, "one"));
    await install(traced({ revision: "two" }, "two"));
    await createNamespace(admin, "hook-prod", { "istio.io/rev": "blue" });
    await createNamespace(admin, "hook-legacy", { "istio-injection": "enabled" });
  });
  afterAll(uninstall);

  test("what it prints is accepted as it is", async () => {
    const { code, out } = await outrigger(["webhook", "generate", "-r", "printed", "-o", "json"]);
    expect(code).toBe(0);
    const printed = JSON.parse(out) as KubeObject;
    await admin.create(MUTATING_WEBHOOK_CONFIGURATIONS, printed, { dryRun: true });
  });

  test("a tag that is set is called for its namespaces", async () => {
    expect(await calls("hook-prod")).toBeUndefined();
    const { code, out, err } = await tag("set", "blue", "--revision", "one");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain('Revision tag "blue" created, referencing control plane revision "one".');
    expect(await calls("hook-prod")).toBe("one-rev.namespace");
  });

  test("it is changed with --overwrite alone", async () => {
    const refused = await tag("set", "blue", "--revision", "two");
    expect(refused).toEqual({
      code: 1,
      out: "",
      err: 'outrigger: revision tag "blue" already exists, and --overwrite is false\n',
    });
    const { code } = await tag("set", "blue", "--revision", "two", "--overwrite");
    expect(code).toBe(0);
    expect(await calls("hook-prod")).toBe("two-rev.namespace");
  });

  test("it is listed, with who names it", async () => {
    const { out } = await tag("list");
    expect(out).toBe(
      "TAG   REVISION  NAMESPACES\n" +
        "      default\n" +
        "      one\n" +
        "blue  two       hook-prod\n",
    );
    const json = await tag("list", "-o", "json");
    expect(JSON.parse(json.out)).toContainEqual({
      tag: "blue",
      revision: "two",
      namespaces: ["hook-prod"],
    });
  });

  test("it is removed only once nobody names it, or with -y", async () => {
    const refused = await tag("remove", "blue");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('still injected by tag "blue": hook-prod');
    expect(await tag("remove", "blue", "-y")).toEqual({
      code: 0,
      out: "Revision tag blue removed\n",
      err: "",
    });
    expect(await calls("hook-prod")).toBeUndefined();
  });

  test("the tag default takes istio-injection over, and the old configuration calls for nothing", async () => {
    expect(await calls("hook-legacy")).toBe("default-namespace");
    const { code, err } = await tag("set", "default", "--revision", "two");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    // One path for all entries of a tag: that of the revision's first.
    expect(await calls("hook-legacy")).toBe("two-rev.namespace");
    expect(await calls("hook-bare", { "istio.io/rev": "default" })).toBe("two-rev.namespace");
    const old = await admin.get(MUTATING_WEBHOOK_CONFIGURATIONS, {
      name: "istio-sidecar-injector-outrigger-system",
    });
    for (const entry of old.webhooks as { objectSelector: unknown }[]) {
      expect(entry.objectSelector).toEqual({
        matchLabels: { "istio.io/deactivated": "never-match" },
      });
    }
  });
});
