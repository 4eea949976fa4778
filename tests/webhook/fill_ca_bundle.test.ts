import { describe, expect, test } from "bun:test";
import { parseAllYaml } from "../../lib/yaml/mod.ts";
import { fillCaBundle } from "../../lib/webhook/fill_ca_bundle.ts";
import { WebhookError } from "../../lib/webhook/webhook_error.ts";

const CA = "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n";
const BUNDLE = new TextEncoder().encode(CA).toBase64();

/** Replaces each `<CA>` in the expected text of a case. */
const want = (text: string) => text.replaceAll("<CA>", BUNDLE);

const HEAD = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\n";

const rows: [what: string, before: string, after: string][] = [
  [
    "a placeholder, wherever it is",
    "anything: ${CA_BUNDLE}\n{{ not yaml ${CA_BUNDLE}",
    "anything: <CA>\n{{ not yaml <CA>",
  ],
  [
    "a webhook without a caBundle",
    `${HEAD}webhooks:\n- name: a\n  clientConfig:\n    service:\n      name: s\n  rules: []\n`,
    `${HEAD}webhooks:\n- name: a\n  clientConfig:\n    caBundle: <CA>\n    service:\n      name: s\n  rules: []\n`,
  ],
  [
    "one with another, with comments kept",
    `${HEAD}webhooks:\n  # first\n  - clientConfig:  # who\n      service: {name: s} # flow\n      caBundle: "old" # gone\n    name: a # last`,
    `${HEAD}webhooks:\n  # first\n  - clientConfig:  # who\n      caBundle: <CA>\n      service: {name: s} # flow\n    name: a # last`,
  ],
  [
    "one with a folded one",
    `${HEAD}webhooks:\n- clientConfig:\n    caBundle: >-\n      abc\n\n      def\n    url: https://x\n  name: a\n`,
    `${HEAD}webhooks:\n- clientConfig:\n    caBundle: <CA>\n    url: https://x\n  name: a\n`,
  ],
  [
    "an empty one, as Istio's manifests have it",
    `${HEAD}webhooks:\n  - name: a\n    clientConfig:\n      url: https://x\n      caBundle: ""\n`,
    `${HEAD}webhooks:\n  - name: a\n    clientConfig:\n      caBundle: <CA>\n      url: https://x\n`,
  ],
  [
    "several webhooks and documents, others left alone",
    `# top\n---\nkind: ConfigMap\ndata: {clientConfig: x}\n---\n${HEAD}webhooks:\n- name: a\n  clientConfig:\n    url: https://x\n- name: b\n  clientConfig:\n    url: https://y\n---\nkind: CustomResourceDefinition\nspec:\n  clientConfig:\n    url: https://z\n...\n`,
    `# top\n---\nkind: ConfigMap\ndata: {clientConfig: x}\n---\n${HEAD}webhooks:\n- name: a\n  clientConfig:\n    caBundle: <CA>\n    url: https://x\n- name: b\n  clientConfig:\n    caBundle: <CA>\n    url: https://y\n---\nkind: CustomResourceDefinition\nspec:\n  clientConfig:\n    url: https://z\n...\n`,
  ],
  [
    "ends of lines as Windows has them",
    `${HEAD}webhooks:\n- clientConfig:\n    url: https://x\n  name: a\n`.replaceAll("\n", "\r\n"),
    `${HEAD}webhooks:\n- clientConfig:\n    caBundle: <CA>\n    url: https://x\n  name: a\n`
      .replaceAll("\n", "\r\n"),
  ],
  [
    "a placeholder in a configuration",
    `${HEAD}webhooks:\n- name: a\n  clientConfig: {url: "https://x", caBundle: "\${CA_BUNDLE}"}\n`,
    `${HEAD}webhooks:\n- name: a\n  clientConfig: {url: "https://x", caBundle: "<CA>"}\n`,
  ],
];

describe("fillCaBundle()", () => {
  test.each(rows)("fills %s", (_, before, after) => {
    const { text } = fillCaBundle(before, CA);
    expect(text).toBe(want(after));
    // A second run changes nothing.
    if (!before.includes("{{") && before.includes(HEAD.slice(0, 20))) {
      expect(fillCaBundle(text, CA).text).toBe(text);
      parseAllYaml(text);
    }
  });

  test("counts what it filled in", () => {
    const [, , text] = rows[1];
    expect(fillCaBundle(`x: \${CA_BUNDLE}\n---\n${want(text)}`, CA)).toMatchObject({
      placeholders: 1,
      webhooks: 1,
    });
  });

  test.each<[string, string, string]>([
    [
      "a text without a place for a caBundle",
      "kind: Service\n",
      "Cannot fill in a caBundle: the input contains neither a MutatingWebhookConfiguration nor ${CA_BUNDLE}",
    ],
    [
      "a clientConfig on one line",
      `a: 1\n---\n${HEAD}webhooks:\n- name: a\n  clientConfig: {url: "https://x"}\n`,
      "Cannot fill in a caBundle in document 2: write the clientConfig of each webhook in block style",
    ],
    [
      "a webhook without a clientConfig",
      `${HEAD}webhooks:\n- name: a\n`,
      "Cannot fill in a caBundle in document 1: write the clientConfig",
    ],
    [
      "an alias whose anchor would change",
      `${HEAD}x: &c\n  clientConfig:\n    url: u\nwebhooks:\n- <<: *c\n  name: a\n`,
      "Cannot fill in a caBundle in document 1: write the clientConfig",
    ],
  ])("refuses %s", (_, text, message) => {
    let error: unknown;
    try {
      fillCaBundle(text, CA);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(WebhookError);
    expect((error as Error).message).toStartWith(message);
  });
});
