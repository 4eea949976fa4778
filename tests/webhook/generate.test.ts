import { describe, expect, test } from "bun:test";
import { compileLabelSelector, type Labels } from "../../lib/config/mod.ts";
import type { WebhookConfiguration } from "../../lib/webhook/configuration.ts";
import { type GenerateOptions, generateWebhook } from "../../lib/webhook/generate.ts";

/** The entries of a configuration that call for a pod, without what all names end with. */
function called(
  { webhooks = [] }: WebhookConfiguration,
  { namespace, pod }: { namespace: Labels; pod: Labels },
): string[] {
  return webhooks.filter(({ namespaceSelector, objectSelector }) =>
    compileLabelSelector(namespaceSelector!).matches(namespace) &&
    compileLabelSelector(objectSelector!).matches(pod)
  ).map(({ name }) => name.replace("sidecar-injector.istio.io", ""));
}

const options: readonly [name: string, options: GenerateOptions][] = [
  ["default", { auto: true }],
  ["canary", { revision: "canary" }],
  ["tag prod", { revision: "canary", tag: "prod" }],
];

/** Injection and revision label of the namespace, inject and revision label of the pod; "" for none. */
type Case = readonly [string, string, string, string];

describe("which pods a configuration calls for", () => {
  const values = {
    injection: ["", "enabled", "disabled", "yes"],
    revision: ["", "default", "canary", "prod", "other"],
    inject: ["", "true", "false", "maybe"],
  };
  const cases: Case[] = values.injection.flatMap((a) =>
    values.revision.flatMap((b) =>
      values.inject.flatMap((c) => values.revision.map((d): Case => [a, b, c, d]))
    )
  );

  /** The table of Istio's documentation, as whoever reads it would apply it. */
  function expected(
    revision: string,
    [injection, nsRevision, inject, podRevision]: Case,
  ): string[] {
    const isDefault = revision === "default";
    if (inject === "false") return [];
    if (injection === "enabled") return isDefault ? ["namespace."] : [];
    if (injection !== "") return [];
    if (nsRevision !== "") return nsRevision === revision ? ["rev.namespace."] : [];
    if (podRevision !== "") return podRevision === revision ? ["rev.object."] : [];
    if (!isDefault) return [];
    if (inject === "true") return ["object."];
    return inject === "" ? ["auto."] : [];
  }

  test.each(options.map(([name, given]) => [name, given] as const))(
    `${cases.length} combinations of labels, %s`,
    (_, given) => {
      const configuration = generateWebhook(given);
      const revision = given.tag ?? given.revision ?? "default";
      for (const row of cases) {
        const [injection, nsRevision, inject, podRevision] = row;
        const labels = (pairs: Record<string, string>) =>
          Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== ""));
        const answer = called(configuration, {
          namespace: labels({
            "istio-injection": injection,
            "istio.io/rev": nsRevision,
            "kubernetes.io/metadata.name": "shop",
          }),
          pod: labels({ "sidecar.istio.io/inject": inject, "istio.io/rev": podRevision }),
        });
        expect({ row, answer }).toEqual({ row, answer: expected(revision, row) });
      }
    },
  );

  test.each(["kube-system", "outrigger-system"])("none of %s, whatever its labels", (name) => {
    for (const [, given] of options) {
      const rows: Labels[] = [{ "istio-injection": "enabled" }, { "istio.io/rev": "canary" }, {}];
      for (const label of rows) {
        const namespace = { ...label, "kubernetes.io/metadata.name": name };
        const pod = { "sidecar.istio.io/inject": "true" };
        expect(called(generateWebhook(given), { namespace, pod })).toEqual([]);
      }
    }
  });

  test.each(["kube-public", "kube-node-lease", "local-path-storage"])(
    "those of %s only where something asks for them",
    (name) => {
      const namespace = { "kubernetes.io/metadata.name": name };
      const configuration = generateWebhook({ auto: true });
      expect(called(configuration, { namespace, pod: {} })).toEqual([]);
      const pod = { "sidecar.istio.io/inject": "true" };
      expect(called(configuration, { namespace, pod })).toEqual(["object."]);
    },
  );
});

describe("generateWebhook()", () => {
  test.each<[GenerateOptions, string, Record<string, string>]>([
    [{}, "istio-sidecar-injector-outrigger-system", { "istio.io/rev": "default" }],
    [{ revision: "default" }, "istio-sidecar-injector-outrigger-system", {
      "istio.io/rev": "default",
    }],
    [{ revision: "canary" }, "istio-sidecar-injector-canary-outrigger-system", {
      "istio.io/rev": "canary",
    }],
    [{ namespace: "istio-system" }, "istio-sidecar-injector", { "istio.io/rev": "default" }],
    [{ namespace: "istio-system", revision: "canary" }, "istio-sidecar-injector-canary", {
      "istio.io/rev": "canary",
    }],
    [{ namespace: "istio-system", tag: "prod", revision: "canary" }, "istio-revision-tag-prod", {
      "istio.io/rev": "canary",
      "istio.io/tag": "prod",
    }],
    [{ tag: "default", revision: "canary" }, "istio-revision-tag-default-outrigger-system", {
      "istio.io/rev": "canary",
      "istio.io/tag": "default",
    }],
  ])("%j is named and labelled as Istio's tools look for it", (given, name, labels) => {
    const { metadata } = generateWebhook(given);
    expect(metadata.name).toBe(name);
    expect(metadata.labels).toEqual({
      app: "sidecar-injector",
      "app.kubernetes.io/name": "outrigger",
      ...labels,
    });
  });

  test.each<[GenerateOptions, unknown]>([
    [{}, {
      service: { name: "outrigger", namespace: "outrigger-system", path: "/inject", port: 443 },
    }],
    [{ revision: "canary", tag: "prod", namespace: "a" }, {
      service: { name: "outrigger-canary", namespace: "a", path: "/inject", port: 443 },
    }],
    [{ service: "istiod", path: "/inject/net/n1", port: 15017 }, {
      service: {
        name: "istiod",
        namespace: "outrigger-system",
        path: "/inject/net/n1",
        port: 15017,
      },
    }],
    [{ url: "https://10.0.0.1:15017/inject", port: 0 }, { url: "https://10.0.0.1:15017/inject" }],
  ])("%j calls where it says", (given, clientConfig) => {
    for (const entry of generateWebhook(given).webhooks!) {
      expect<unknown>(entry.clientConfig).toEqual(clientConfig);
    }
  });

  test("a PEM text becomes the bundle, in base64", () => {
    const ca = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    const [{ clientConfig }] = generateWebhook({ ca }).webhooks!;
    expect(atob(clientConfig.caBundle!)).toBe(ca);
  });

  test("entries have Istio's rules and ours", () => {
    for (const entry of generateWebhook({ auto: true }).webhooks!) {
      expect(entry).toMatchObject({
        rules: [{
          operations: ["CREATE"],
          apiGroups: [""],
          apiVersions: ["v1"],
          resources: ["pods"],
        }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Fail",
        reinvocationPolicy: "Never",
        timeoutSeconds: 5,
        matchConditions: [{ name: "not-a-mirror-pod" }],
      });
    }
    const [entry] = generateWebhook({
      failurePolicy: "Ignore",
      reinvocationPolicy: "IfNeeded",
      timeoutSeconds: 30,
      matchConditions: false,
    }).webhooks!;
    expect(entry).toMatchObject({
      failurePolicy: "Ignore",
      reinvocationPolicy: "IfNeeded",
      timeoutSeconds: 30,
    });
    expect(entry).not.toHaveProperty("matchConditions");
  });

  test.each<[GenerateOptions, string]>([
    [{ revision: "1.8" }, "this revision: wanted a DNS label (up to 63 of a-z, 0-9 and -, which"],
    [{ tag: "-prod" }, "this tag: wanted a DNS label"],
    [{ namespace: "A" }, "this namespace: wanted a DNS label"],
    [{ namespace: "" }, "this namespace: wanted a DNS label"],
    [{ revision: "a".repeat(64) }, "this revision: wanted a DNS label"],
    [{ url: "http://a/inject" }, "this url: wanted https"],
    [{ url: "https://u:p@a/inject" }, "this url: wanted one without user"],
    [{ url: "https://a/inject?x" }, "this url: wanted one without user"],
    [{ url: "a" }, "this url: wanted one like https://HOST:PORT/inject"],
    [{ port: 0 }, "this port: wanted one from 1 to 65535, got 0"],
    [{ path: "inject" }, "this path: wanted one that begins with /"],
    [{ timeoutSeconds: 31 }, "this timeout: wanted whole seconds from 1 to 30, got 31"],
    [{ timeoutSeconds: 0.5 }, "this timeout: wanted whole seconds"],
    [{ ca: "" }, "this certificate authority: wanted PEM with a CERTIFICATE"],
  ])("%j is refused", (given, message) => {
    expect(() => generateWebhook(given)).toThrow(`Cannot use ${message}`);
  });
});
