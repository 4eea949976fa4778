import { describe, expect, test } from "bun:test";
import { compileLabelSelector, type Labels } from "../../lib/config/mod.ts";
import type { WebhookConfiguration } from "../../lib/webhook/configuration.ts";
import { type GenerateOptions, generateWebhook } from "../../lib/webhook/generate.ts";

/** Returns the webhooks that select a pod, without the common suffix of their names. */
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

/** The injection and revision labels of the namespace, the inject and revision labels of the pod; "" for none. */
type Case = readonly [string, string, string, string];

describe("which pods a configuration selects", () => {
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

  /** Applies the table in Istio's documentation. */
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
  ])("%j calls the given server", (given, clientConfig) => {
    for (const entry of generateWebhook(given).webhooks!) {
      expect<unknown>(entry.clientConfig).toEqual(clientConfig);
    }
  });

  test("PEM becomes the caBundle, in base64", () => {
    const ca = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    const [{ clientConfig }] = generateWebhook({ ca }).webhooks!;
    expect(atob(clientConfig.caBundle!)).toBe(ca);
  });

  test("webhooks have Istio's rules and our settings", () => {
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
    [{ revision: "1.8" }, "revision: must be a DNS label (at most 63 lowercase letters, digits"],
    [{ tag: "-prod" }, "tag: must be a DNS label"],
    [{ namespace: "A" }, "namespace: must be a DNS label"],
    [{ namespace: "" }, "namespace: must be a DNS label"],
    [{ revision: "a".repeat(64) }, "revision: must be a DNS label"],
    [{ url: "http://a/inject" }, "URL: must use https"],
    [{ url: "https://u:p@a/inject" }, "URL: must not contain a user"],
    [{ url: "https://a/inject?x" }, "URL: must not contain a user"],
    [{ url: "a" }, "URL: must have the form https://HOST:PORT/inject"],
    [{ port: 0 }, "port: must be between 1 and 65535, got 0"],
    [{ path: "inject" }, "path: must start with /"],
    [{ timeoutSeconds: 31 }, "timeout: must be a whole number of seconds between 1 and 30, got 31"],
    [{ timeoutSeconds: 0.5 }, "timeout: must be a whole number"],
    [{ ca: "" }, "CA: must be PEM with at least one CERTIFICATE"],
  ])("%j is refused", (given, message) => {
    expect(() => generateWebhook(given)).toThrow(`Invalid ${message}`);
  });
});
