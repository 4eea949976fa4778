import { describe, expect, test } from "bun:test";
import { applyPatch, type Operation } from "rfc6902";
import type { KubeObject } from "../../lib/kube/client.ts";
import { createDevCertificate } from "../../lib/tls/dev_certificate.ts";
import {
  bundlePatch,
  judgeConfiguration,
  type Judgement,
  type WebhookSelection,
} from "../../lib/tls/webhook_entries.ts";
import { NOW } from "./_pairs.ts";

const names = ["injector.mesh.svc", "hooks.example.com", "10.1.2.3", "::1"];
const { material: { certificates } } = await createDevCertificate({ now: NOW, names });

const OURS = { service: { name: "injector", namespace: "mesh" } };
const THEIRS = { service: { name: "istiod", namespace: "istio-system" } };
const BY_NAME = "rev.namespace.sidecar-injector.istio.io";

function configuration(
  webhooks: readonly [name: string, clientConfig: object][],
  { name = "any", ...labels }: { name?: string; "istio.io/rev"?: string } = {
    "istio.io/rev": "default",
  },
): KubeObject {
  const list = webhooks.map(([name, clientConfig]) => ({ name, clientConfig }));
  return { metadata: { name, labels }, webhooks: list };
}

const REVISION: WebhookSelection = { revision: "default" };
const CLASSIC: WebhookSelection = { revision: "default", unlabelled: "istio-sidecar-injector" };
const ONLY: WebhookSelection = {
  revision: "default",
  only: { configuration: "mine", webhook: "hook.example.com" },
};

const judge = (found: KubeObject, selection = REVISION) =>
  judgeConfiguration(found, selection, certificates);
const short = (judgement: Judgement): unknown =>
  judgement.kind === "ours"
    ? judgement.entries.map(({ name }) => name)
    : judgement.kind === "skipped"
    ? judgement.reason
    : judgement.kind;

describe("judgeConfiguration()", () => {
  const rows: [what: string, found: KubeObject, selection: WebhookSelection, want: unknown][] = [
    ["our revision", configuration([[BY_NAME, OURS]]), REVISION, [BY_NAME]],
    [
      "a tag of our revision",
      configuration([[BY_NAME, OURS]], { name: "istio-revision-tag-x", "istio.io/rev": "default" }),
      REVISION,
      [BY_NAME],
    ],
    [
      "another revision",
      configuration([[BY_NAME, OURS]], { "istio.io/rev": "canary" }),
      REVISION,
      "wrong_revision",
    ],
    ["no revision", configuration([[BY_NAME, OURS]], {}), REVISION, "ignored"],
    [
      "no revision, but the old name",
      configuration([["sidecar-injector.istio.io", OURS]], { name: "istio-sidecar-injector" }),
      CLASSIC,
      ["sidecar-injector.istio.io"],
    ],
    [
      "the old name with another revision",
      configuration([[BY_NAME, OURS]], {
        name: "istio-sidecar-injector",
        "istio.io/rev": "canary",
      }),
      CLASSIC,
      "wrong_revision",
    ],
    [
      "the old name if it is not enabled",
      configuration([["sidecar-injector.istio.io", OURS]], { name: "istio-sidecar-injector" }),
      REVISION,
      "ignored",
    ],
    [
      "webhooks with other names",
      configuration([["other.example.com", OURS]]),
      REVISION,
      "webhook_entry_not_found",
    ],
    [
      "some webhooks with other names",
      configuration([["other.example.com", OURS], [BY_NAME, OURS]]),
      REVISION,
      [BY_NAME],
    ],
    [
      "no webhooks",
      { metadata: { name: "x", labels: { "istio.io/rev": "default" } } },
      REVISION,
      "webhook_entry_not_found",
    ],
    [
      "Istio's own, of the same revision",
      configuration([[BY_NAME, THEIRS]]),
      REVISION,
      "webhook_entry_not_found",
    ],
    [
      "one that calls us and one that does not",
      configuration([[BY_NAME, THEIRS], [`b.${BY_NAME}`, OURS]]),
      REVISION,
      [`b.${BY_NAME}`],
    ],
    [
      "our URL",
      configuration([[BY_NAME, { url: "https://hooks.example.com:8443/inject" }]]),
      REVISION,
      [BY_NAME],
    ],
    [
      "our IP address",
      configuration([[BY_NAME, { url: "https://10.1.2.3/inject" }]]),
      REVISION,
      [BY_NAME],
    ],
    [
      "our IPv6 address",
      configuration([[BY_NAME, { url: "https://[::1]:1/inject" }]]),
      REVISION,
      [BY_NAME],
    ],
    [
      "another URL",
      configuration([[BY_NAME, { url: "https://example.com/inject" }]]),
      REVISION,
      "webhook_entry_not_found",
    ],
    [
      "the selected one, whatever its revision",
      configuration([["hook.example.com", OURS]], { name: "mine", "istio.io/rev": "x" }),
      ONLY,
      ["hook.example.com"],
    ],
    [
      "the selected one, with another webhook name",
      configuration([[BY_NAME, OURS]], { name: "mine" }),
      ONLY,
      "webhook_entry_not_found",
    ],
    ["not the selected one", configuration([[BY_NAME, OURS]]), ONLY, "ignored"],
    [
      "the selected one, which calls another server",
      configuration([["hook.example.com", THEIRS]], { name: "mine" }),
      ONLY,
      "webhook_entry_not_found",
    ],
  ];
  test.each(rows)("%s", (_, found, selection, want) => {
    expect(short(judge(found, selection))).toEqual(want);
  });

  test("names the server that a webhook of another injector calls", () => {
    expect(judge(configuration([[BY_NAME, THEIRS]]))).toMatchObject({
      message: 'MutatingWebhookConfiguration "any" calls "istiod.istio-system.svc", ' +
        "which is not a name of our certificate",
    });
  });
});

describe("bundlePatch()", () => {
  const found = configuration([["a.example.com", THEIRS], [BY_NAME, {
    ...OURS,
    caBundle: btoa("old"),
  }]]);
  const judgement = judge(found);
  const entries = judgement.kind === "ours" ? judgement.entries : [];
  const patched = (object: KubeObject) => {
    const copy = structuredClone(object);
    return { copy, problems: applyPatch(copy, bundlePatch(entries, "new ä") as Operation[]) };
  };

  test("changes the caBundle of our webhook and nothing else", () => {
    const { copy, problems } = patched(found);
    expect(problems.every((one) => one === null)).toBe(true);
    const bundle = new TextEncoder().encode("new ä").toBase64();
    const want = configuration([["a.example.com", THEIRS], [BY_NAME, {
      ...OURS,
      caBundle: bundle,
    }]]);
    expect(copy).toEqual(want);
  });

  test.each<[string, [string, object][]]>([
    ["has moved", [[BY_NAME, OURS], ["a.example.com", THEIRS]]],
    ["calls another now", [["a.example.com", THEIRS], [BY_NAME, THEIRS]]],
    ["calls a url now", [["a.example.com", THEIRS], [BY_NAME, { url: "https://x" }]]],
    ["is gone", [["a.example.com", THEIRS]]],
  ])("is refused where the webhook %s", (_, webhooks) => {
    const { problems } = patched(configuration(webhooks));
    expect(problems.some((one) => one !== null)).toBe(true);
  });
});
