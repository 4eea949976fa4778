import { describe, expect, test } from "bun:test";
import { explain, type ExplainRequest, type Explanation } from "../../lib/explain/explain.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import type { ConfigurationLike } from "../../lib/webhook/match.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const sprig = sprigFunctions(testSprigHost());

const CONFIG = `policy: enabled
neverInjectSelector: [{matchLabels: {app: never}}]
aliases: {both: [sidecar, extra]}
templates:
  sidecar: |
    spec:
      containers: [{name: istio-proxy, image: proxy}]
      initContainers: [{name: istio-init, image: proxy}]
  extra: |
    metadata: {labels: {extra: "yes"}}
`;
const SOURCES = { config: CONFIG, values: "", mesh: "" };
const INJECT = "sidecar.istio.io/inject";
const REV = "istio.io/rev";
const ENABLED = { "istio-injection": "enabled" };

const RULES = [{
  operations: ["CREATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["pods"],
}];
const webhook = (revision: string, selectors: Record<string, [object[], object[]]>) =>
  ({
    metadata: { name: `injector-${revision}`, labels: { [REV]: revision } },
    webhooks: Object.entries(selectors).map(([prefix, [namespaces, pods]]) => ({
      name: `${prefix}.sidecar-injector.istio.io`,
      rules: RULES,
      namespaceSelector: { matchExpressions: namespaces },
      objectSelector: { matchExpressions: pods },
    })),
  }) as unknown as ConfigurationLike;

const is = (key: string, value: string) => ({ key, operator: "In", values: [value] });
const none = (key: string) => ({ key, operator: "DoesNotExist" });
const notFalse = { key: INJECT, operator: "NotIn", values: ["false"] };
const DEFAULT = webhook("default", {
  namespace: [[is("istio-injection", "enabled")], [notFalse]],
  object: [[none("istio-injection"), none(REV)], [is(INJECT, "true")]],
});
const CANARY = webhook("canary", {
  "rev.namespace": [[is(REV, "canary"), none("istio-injection")], [notFalse]],
});

interface Given {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly spec?: object;
  readonly namespace?: string;
  readonly namespaceLabels?: Record<string, string>;
  readonly webhooks?: readonly ConfigurationLike[];
  /** Metadata of a Deployment around the pod. */
  readonly deployment?: object;
  readonly uid?: string;
  readonly config?: string;
}

function ask(given: Given): Explanation {
  const { labels = {}, annotations = {}, namespace = "shop", deployment, uid } = given;
  const spec = { containers: [{ name: "app" }], ...given.spec };
  const metadata = { labels, annotations };
  const object = deployment === undefined
    ? { kind: "Pod", metadata: { name: "p", namespace, ...metadata, ...(uid && { uid }) }, spec }
    : {
      kind: "Deployment",
      metadata: { name: "cart", namespace, ...deployment },
      spec: { template: { metadata, spec } },
    };
  const request: ExplainRequest = {
    object,
    sources: { ...SOURCES, config: given.config ?? CONFIG },
    ...(given.namespaceLabels ? { namespaceFacts: { labels: given.namespaceLabels } } : {}),
    ...(given.webhooks ? { webhooks: given.webhooks } : {}),
  };
  return explain(request, { sprig })!;
}

describe("explain()", () => {
  test("returns all steps of an injected pod", () => {
    const found = ask({
      labels: { [INJECT]: "true" },
      namespaceLabels: ENABLED,
      webhooks: [DEFAULT],
    });
    expect(found).toMatchObject({ injected: true, reason: "label_true", mistakes: [] });
    expect(found.adds).toEqual({
      templates: ["sidecar"],
      operations: expect.any(Number),
      containers: ["istio-proxy"],
      initContainers: ["istio-init"],
    });
    expect(found.steps.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "webhook pass",
      "operation pass",
      "host_network pass",
      "ignored_namespace pass",
      "label inject",
      "policy pass",
      "templates pass",
      "result inject",
    ]);
    expect(found.steps[4]).toEqual({
      id: "label",
      verdict: "inject",
      reached: true,
      found: `label ${INJECT} is "true"`,
      rule: 'the pod\'s label decides if it is "true" or "false"',
      from: "metadata.labels",
    });
  });

  test("shows what would have happened if no webhook is called", () => {
    const found = ask({ namespaceLabels: {}, webhooks: [DEFAULT] });
    expect(found).toMatchObject({ injected: false, reason: "not_called" });
    expect(found.steps.filter((step) => step.reached).map(({ id }) => id))
      .toEqual(["webhook", "result"]);
    expect(found.steps.at(-1)!.found)
      .toContain("the injector would have added istio-init (init), istio-proxy in");
    expect(found.webhooks.map(({ failures }) => failures.map(({ found }) => found))).toEqual([
      ["the namespace has no label istio-injection"],
      [`the pod has no label ${INJECT}`],
    ]);
  });

  test("reports a refusal in Istio's words", () => {
    const found = ask({ annotations: { "sidecar.istio.io/interceptionMode": "NO" } });
    expect(found).toMatchObject({ injected: false, reason: "refused" });
    expect(found.error).toContain("interceptionMode invalid");
    expect(found.steps.at(-1)).toMatchObject({ id: "result", verdict: "fail" });
  });

  test("reads the pod template of a CronJob", () => {
    const template = {
      metadata: { labels: { [INJECT]: "false" } },
      spec: { containers: [{ name: "a" }] },
    };
    const object = {
      kind: "CronJob",
      metadata: { name: "nightly", namespace: "shop" },
      spec: { jobTemplate: { metadata: { labels: {} }, spec: { template } } },
    };
    const found = explain({ object, sources: SOURCES }, { sprig })!;
    expect(found).toMatchObject({ injected: false, reason: "label_false" });
    expect(found.workload).toBe('CronJob "shop/nightly"');
    expect(found.steps.find(({ id }) => id === "label")!.from)
      .toBe("spec.jobTemplate.spec.template.metadata.labels");
  });

  test("returns undefined for objects without a pod", () => {
    for (const object of [null, [], "x", { kind: "Service" }, { kind: "Deployment", spec: {} }]) {
      expect(explain({ object, sources: SOURCES }, { sprig })).toBeUndefined();
    }
  });

  test("explains a legacy config by its own rules", () => {
    const config = "policy: disabled\ntemplate: |\n  containers: [{name: istio-proxy}]\n";
    const found = ask({ config, labels: { [INJECT]: "true" } });
    expect(found).toMatchObject({ injected: false, reason: "policy_disabled" });
    expect(found.steps.map(({ id }) => id)).not.toContain("label");
    const asked = ask({ config, annotations: { [INJECT]: "yes" } });
    expect(asked).toMatchObject({ injected: true, reason: "annotation_true" });
  });

  const decisions: [Given, string][] = [
    [{}, "policy_enabled"],
    [{ config: CONFIG.replace("enabled", "disabled") }, "policy_disabled"],
    [{ config: CONFIG.replace("enabled", "maybe") }, "policy_illegal"],
    [{ labels: { app: "never" } }, "never_selector"],
    [{ annotations: { [INJECT]: "false" } }, "annotation_false"],
    [{ namespace: "kube-system" }, "ignored_namespace"],
    [{ spec: { hostNetwork: true } }, "host_network"],
  ];
  for (const [given, reason] of decisions) {
    test(`reports the injector's own reason: ${reason}`, () => {
      expect(ask(given).reason as string).toBe(reason);
    });
  }
});

describe("explain() reports", () => {
  const cases: [id: string, given: Given, words: string][] = [
    [
      "metadata_on_workload",
      { deployment: { labels: { [INJECT]: "true" } } },
      "Move it to spec.template.metadata",
    ],
    [
      "metadata_on_workload",
      { deployment: { annotations: { "inject.istio.io/templates": "extra" } } },
      "annotation inject.istio.io/templates",
    ],
    ["inject_value", { labels: { [INJECT]: "True" } }, `Set ${INJECT}: "true", in quotes`],
    ["inject_value", { annotations: { [INJECT]: "no" } }, `Set ${INJECT}: "false"`],
    ["inject_value", { annotations: { [INJECT]: "maybe" } }, 'Set it to "true" or "false"'],
    [
      "two_revisions",
      {
        namespaceLabels: { [REV]: "canary" },
        webhooks: [CANARY, { ...CANARY, metadata: { name: "z" } }],
      },
      "The second injects over the first",
    ],
    [
      "revision_shadowed",
      { namespaceLabels: { ...ENABLED, [REV]: "canary" }, webhooks: [DEFAULT, CANARY] },
      "istio-injection wins",
    ],
    [
      "revision_shadowed",
      { labels: { [REV]: "canary" }, namespaceLabels: ENABLED, webhooks: [DEFAULT] },
      "a namespace's label wins over the pod's",
    ],
    [
      "namespace_label_missing",
      { namespaceLabels: {}, webhooks: [DEFAULT] },
      "kubectl label namespace shop istio-injection=enabled",
    ],
    [
      "namespace_label_missing",
      { namespaceLabels: {}, webhooks: [CANARY] },
      "kubectl label namespace shop istio.io/rev=canary",
    ],
    [
      "namespace_label_value",
      { namespaceLabels: { "istio-injection": "true" }, webhooks: [DEFAULT] },
      "kubectl label namespace shop istio-injection=enabled --overwrite",
    ],
    [
      "namespace_says_no",
      { namespaceLabels: { "istio-injection": "disabled" }, webhooks: [DEFAULT] },
      "no pod label overrides it",
    ],
    [
      "unknown_revision",
      { namespaceLabels: { [REV]: "gone" }, webhooks: [DEFAULT, CANARY] },
      "Available revisions: canary, default.",
    ],
    [
      "annotation_calls_nobody",
      { annotations: { [INJECT]: "true" }, namespaceLabels: {}, webhooks: [DEFAULT] },
      "Use a label instead",
    ],
    [
      "label_hides_annotation",
      { labels: { [INJECT]: "false" }, annotations: { [INJECT]: "true" } },
      "the label wins",
    ],
    [
      "inject_label_on_namespace",
      { namespaceLabels: { [INJECT]: "true" } },
      "which has no effect on a namespace",
    ],
    ["injection_label_on_pod", { labels: ENABLED }, "which has no effect on a pod"],
    ["host_network", { spec: { hostNetwork: true } }, "Remove hostNetwork"],
    ["ignored_namespace", { namespace: "kube-public" }, "another namespace"],
    [
      "unknown_template",
      { annotations: { "inject.istio.io/templates": "both,nope" } },
      "Available templates: extra, sidecar, both.",
    ],
    [
      "already_injected",
      { annotations: { "sidecar.istio.io/status": "{}" } },
      "outrigger uninject",
    ],
    ["created_before", { uid: "1" }, "kubectl rollout restart"],
    [
      "conditions_not_evaluated",
      {
        namespaceLabels: {},
        webhooks: [{
          metadata: { name: "c" },
          webhooks: [{
            name: "x.sidecar-injector.istio.io",
            rules: RULES,
            matchConditions: [{ name: "theirs" }],
          }],
        }],
      },
      "kubectl create --dry-run=server",
    ],
  ];
  for (const [id, given, words] of cases) {
    test(`${id}: ${words}`, () => {
      const { mistakes } = ask(given);
      expect(mistakes.map((mistake) => mistake.id as string)).toContain(id);
      const { text, fix } = mistakes.find((mistake) => mistake.id === id)!;
      expect(`${text} ${fix}`).toContain(words);
    });
  }

  test("no mistake for correct objects", () => {
    expect(ask({ namespaceLabels: ENABLED, webhooks: [DEFAULT, CANARY] }).mistakes).toEqual([]);
    expect(ask({ deployment: {}, labels: { [INJECT]: "false" } }).mistakes).toEqual([]);
  });
});
