import { describe, expect, test } from "bun:test";
import type { WebhookConfiguration } from "../../lib/webhook/configuration.ts";
import { generateWebhook } from "../../lib/webhook/generate.ts";
import { checkRemoval, describeTags, planTag } from "../../lib/webhook/tags.ts";

const CA = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

/** Returns a configuration as the API server would. */
function stored(configuration: WebhookConfiguration): WebhookConfiguration {
  return JSON.parse(JSON.stringify(configuration));
}

const canary = stored(generateWebhook({ revision: "canary", ca: CA, failurePolicy: "Ignore" }));
const plain = stored(generateWebhook({ ca: CA }));
const prod = stored(generateWebhook({ revision: "canary", tag: "prod" }));

/** An installation of Istio as made by its charts. */
const istio: WebhookConfiguration = {
  metadata: {
    name: "istio-sidecar-injector-1-29",
    labels: {
      app: "sidecar-injector",
      "istio.io/rev": "1-29",
      "install.operator.istio.io/owning-resource": "unknown",
      "operator.istio.io/component": "Pilot",
      release: "istiod",
    },
    annotations: {
      team: "mesh",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
    },
  },
  webhooks: [{
    name: "rev.namespace.sidecar-injector.istio.io",
    clientConfig: {
      service: { name: "istiod-1-29", namespace: "istio-system", path: "/inject", port: 443 },
      caBundle: "QUFBQQ==",
    },
    failurePolicy: "Fail",
    reinvocationPolicy: "Never",
    timeoutSeconds: 10,
    namespaceSelector: {
      matchExpressions: [{ key: "istio.io/rev", operator: "In", values: ["1-29"] }],
    },
  }],
};

const names = ({ webhooks = [] }: WebhookConfiguration) =>
  webhooks.map(({ name }) => name.replace(".sidecar-injector.istio.io", ""));

describe("planTag()", () => {
  test("copies the server and settings of the revision's configuration", () => {
    const { configuration, deactivated } = planTag([canary, plain], {
      tag: "prod",
      revision: "canary",
    });
    expect(deactivated).toBeUndefined();
    expect<unknown>(configuration).toEqual(
      stored(
        generateWebhook({ revision: "canary", tag: "prod", ca: CA, failurePolicy: "Ignore" }),
      ),
    );
  });

  test("copies an Istio installation's labels and annotations, without its installer's", () => {
    const { configuration } = planTag([istio], { tag: "prod", revision: "1-29" });
    expect(configuration.metadata).toEqual({
      name: "istio-revision-tag-prod",
      labels: {
        app: "sidecar-injector",
        "istio.io/rev": "1-29",
        "istio.io/tag": "prod",
        release: "istiod",
      },
      annotations: { team: "mesh" },
    });
    for (const entry of configuration.webhooks!) {
      expect(entry.clientConfig).toEqual(istio.webhooks![0].clientConfig);
      expect(entry.timeoutSeconds).toBe(10);
      expect(JSON.stringify(entry)).not.toContain("kubernetes.io/metadata.name");
    }
    expect(names(configuration)).toEqual(["rev.namespace", "rev.object"]);
  });

  test("default also selects istio-injection, and disables the configuration that did so before", () => {
    const { configuration, deactivated } = planTag([canary, plain], {
      tag: "default",
      revision: "canary",
      autoInjectNamespaces: true,
    });
    expect(names(configuration)).toEqual([
      "rev.namespace",
      "rev.object",
      "namespace",
      "object",
      "auto",
    ]);
    expect(deactivated!.metadata.name).toBe(plain.metadata.name);
    expect(names(deactivated!)).toEqual(names(plain));
    const never = { matchLabels: { "istio.io/deactivated": "never-match" } };
    for (const [i, entry] of deactivated!.webhooks!.entries()) {
      expect<unknown>(entry).toEqual({
        ...plain.webhooks![i],
        namespaceSelector: never,
        objectSelector: never,
      });
    }
  });

  test("excludes the injector's namespace even if the revision is deactivated", () => {
    const { deactivated } = planTag([plain], { tag: "default", revision: "default" });
    const { configuration } = planTag([deactivated!], { tag: "default", revision: "default" });
    for (const { namespaceSelector } of configuration.webhooks!) {
      expect(namespaceSelector!.matchExpressions!.at(-1)).toEqual({
        key: "kubernetes.io/metadata.name",
        operator: "NotIn",
        values: ["kube-system", "outrigger-system"],
      });
    }
  });

  test("printing deactivates nothing and ignores conflicts", () => {
    const plan = planTag([canary, plain], { tag: "default", revision: "canary", isPrinted: true });
    expect(plan.deactivated).toBeUndefined();
    planTag([canary, plain], { tag: "canary", revision: "default", isPrinted: true });
  });

  test("a changed tag keeps the name of its configuration", () => {
    const { configuration } = planTag([canary, plain, istio, prod], {
      tag: "prod",
      revision: "1-29",
      overwrite: true,
    });
    expect(configuration.metadata.name).toBe(prod.metadata.name);
    expect(configuration.metadata.labels).toMatchObject({ "istio.io/rev": "1-29" });
  });

  test("does not modify its arguments", () => {
    const before = JSON.stringify([canary, plain]);
    planTag([canary, plain], { tag: "default", revision: "canary" });
    expect(JSON.stringify([canary, plain])).toBe(before);
  });

  const other = { ...canary, metadata: { ...canary.metadata, name: "other" } };
  const bare = { ...canary, webhooks: [{ ...canary.webhooks![0], name: "a.example.com" }] };
  const twice = { ...plain, metadata: { ...plain.metadata, name: "istio-sidecar-injector" } };
  test.each<[string, WebhookConfiguration[], Parameters<typeof planTag>[1], string]>([
    [
      "a tag that exists",
      [canary, prod],
      { tag: "prod", revision: "canary" },
      'revision tag "prod" already exists, and --overwrite is false',
    ],
    [
      "the name of a revision",
      [canary, plain],
      { tag: "canary", revision: "default" },
      'cannot create revision tag "canary": found existing control plane revision with same name',
    ],
    [
      "a missing revision",
      [canary, prod],
      { tag: "prod", revision: "1-8", overwrite: true },
      "cannot modify tag: cannot find MutatingWebhookConfiguration or Service with revision " +
      '"1-8"',
    ],
    [
      "a revision with two configurations",
      [canary, other],
      { tag: "prod", revision: "canary" },
      "cannot modify tag: found multiple canonical webhooks or services with revision " +
      '"canary": istio-sidecar-injector-canary-outrigger-system, other; select one',
    ],
    [
      "a revision without an injector",
      [bare],
      { tag: "prod", revision: "canary" },
      "failed to create tag webhook config: could not find sidecar-injector webhook in " +
      'canonical webhook "istio-sidecar-injector-canary-outrigger-system"',
    ],
    [
      "two configurations for istio-injection",
      [canary, plain, twice],
      { tag: "default", revision: "canary" },
      "failed deactivating existing default revision: expected a single webhook for default " +
      "revision, found istio-sidecar-injector, istio-sidecar-injector-outrigger-system",
    ],
    [
      "a tag with the name of a revision",
      [canary, plain],
      { tag: "canary", revision: "default", overwrite: true },
      "creating tag would conflict, pass --skip-confirmation to proceed:\n" +
      "Error [IST0139] (MutatingWebhookConfiguration istio-revision-tag-canary-outrigger-system) " +
      "Webhook overlaps with others: [istio-sidecar-injector-canary-outrigger-system/" +
      "rev.namespace.sidecar-injector.istio.io]. This may cause injection to occur twice.",
    ],
    ["an empty name", [canary], { tag: "", revision: "canary" }, "Invalid tag: must be a DNS"],
  ])("refuses %s", (_, existing, request, message) => {
    expect(() => planTag(existing, request)).toThrow(message);
  });

  test("proceeds despite overlaps with skipConfirmation", () => {
    planTag([canary, plain], {
      tag: "canary",
      revision: "default",
      overwrite: true,
      skipConfirmation: true,
    });
  });
});

describe("describeTags()", () => {
  const namespace = (name: string, revision?: string) => ({
    metadata: { name, ...(revision ? { labels: { "istio.io/rev": revision } } : {}) },
  });

  test("lists tags, and revisions without tags, with the namespaces that use them", () => {
    const namespaces = [namespace("b", "prod"), namespace("a", "prod"), namespace("c")];
    expect(describeTags([prod, canary, plain, { metadata: { name: "x" } }], namespaces)).toEqual([
      { tag: "prod", revision: "canary", namespaces: ["a", "b"] },
      { tag: "", revision: "default", namespaces: [] },
    ]);
  });

  test("labels named like object properties are labels", () => {
    const odd = { metadata: { name: "a", labels: JSON.parse('{"__proto__":"x"}') } };
    expect(describeTags([odd], [odd])).toEqual([]);
  });
});

describe("checkRemoval()", () => {
  const objects = [prod];
  const users = [{ metadata: { name: "shop", labels: { "istio.io/rev": "prod" } } }];

  test("refuses a missing tag, and one that namespaces use", () => {
    expect(() => checkRemoval("prod", { objects: [], namespaces: users })).toThrow(
      'cannot remove tag "prod": cannot find MutatingWebhookConfiguration or Service for tag',
    );
    expect(() => checkRemoval("prod", { objects, namespaces: users })).toThrow(
      'Caution, found 1 namespace(s) still injected by tag "prod": shop; nothing was removed',
    );
  });

  test("allows an unused tag, and any tag with skipConfirmation", () => {
    checkRemoval("prod", { objects, namespaces: [] });
    checkRemoval("prod", { objects, namespaces: users, skipConfirmation: true });
  });
});
