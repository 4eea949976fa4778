import { describe, expect, test } from "bun:test";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createInjector } from "../../lib/inject/injector.ts";
import type { DecisionStep, InjectionTrace } from "../../lib/inject/trace.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const sprig = sprigFunctions(testSprigHost());

const MODERN = `policy: enabled
neverInjectSelector: [{matchLabels: {app: never}}]
alwaysInjectSelector: [{matchExpressions: [{key: app, operator: In, values: [always]}]}]
templates:
  sidecar: |
    spec:
      containers:
      - name: istio-proxy
        image: "{{ .Values.image }}"
`;
const LEGACY = `policy: disabled
neverInjectSelector: [{matchLabels: {app: never}}]
template: |
  containers:
  - name: istio-proxy
    image: "[[ .ProxyConfig.BinaryPath ]]"
`;

/** Returns everything traced for one pod, in order. */
function story(config: string, pod: Record<string, unknown>) {
  const told: string[] = [];
  const steps: DecisionStep[] = [];
  const trace: InjectionTrace = {
    decision: (step) => {
      steps.push(step);
    },
    stage: (stage) => {
      told.push(stage);
    },
    rendered: (name, text) => {
      told.push(`rendered ${JSON.stringify(name)} ${text.length > 0}`);
    },
    data: (data) => {
      told.push(`data ${data.type.name}`);
    },
    template: (name) => ({
      list: (list) => told.push(`list of ${list.nodes.length}`),
      statement: (node, { start, end }) => told.push(`${name} ${node.type} ${end - start}`),
    }),
  };
  const injector = createInjector({ config, values: "image: i", mesh: "" }, { sprig, trace });
  const { decision } = injector.admit({ object: pod, namespace: "ns", proxyEnv: {} });
  return {
    decision,
    told,
    steps: steps.map(({ rule, verdict }) => `${rule}: ${verdict}`),
    all: steps,
  };
}

const POD = { metadata: { name: "p" }, spec: { containers: [{ name: "app" }] } };
const labelled = (labels: Record<string, string>) => ({ ...POD, metadata: { name: "p", labels } });

describe("InjectionTrace", () => {
  test("receives every stage of the modern engine, in order", () => {
    expect(story(MODERN, POD).told).toEqual([
      "original",
      "data *inject.SidecarTemplateData",
      "list of 3",
      "sidecar text 54",
      "sidecar action 1",
      "sidecar text 2",
      'rendered "sidecar" true',
      "template",
      "overrides",
      "cluster_env",
      "prometheus",
      "probes",
      "metadata",
      "order",
    ]);
  });

  test("receives the output of a legacy template", () => {
    const { told } = story(LEGACY, {
      ...POD,
      metadata: { annotations: { "sidecar.istio.io/inject": "yes" } },
    });
    expect(told.filter((line) => !/text|action/.test(line))).toEqual([
      "original",
      "data *inject.SidecarTemplateData",
      "list of 3",
      'rendered "" true',
    ]);
  });

  const cases: [string, string, Record<string, unknown>, string[]][] = [
    ["the policy", MODERN, POD, [
      "host_network: next",
      "ignored_namespace: next",
      "label: next",
      "annotation: next",
      "never_selector: next",
      "always_selector: next",
      "policy: inject",
    ]],
    [
      "a label, which hides the annotation",
      MODERN,
      labelled({ "sidecar.istio.io/inject": "false" }),
      [
        "host_network: next",
        "ignored_namespace: next",
        "label: skip",
        "policy: next",
      ],
    ],
    ["a selector", MODERN, labelled({ app: "never" }), [
      "host_network: next",
      "ignored_namespace: next",
      "label: next",
      "annotation: next",
      "never_selector: skip",
      "policy: next",
    ]],
    ["the host's network", MODERN, { ...POD, spec: { hostNetwork: true } }, ["host_network: skip"]],
    ["the namespace", MODERN, { ...POD, metadata: { namespace: "kube-system" } }, [
      "host_network: next",
      "ignored_namespace: skip",
    ]],
    ["the policy of the old era", LEGACY, POD, [
      "host_network: next",
      "ignored_namespace: next",
      "annotation: next",
      "never_selector: next",
      "always_selector: next",
      "policy: skip",
    ]],
    ["a selector of the old era", LEGACY, labelled({ app: "never" }), [
      "host_network: next",
      "ignored_namespace: next",
      "annotation: next",
      "never_selector: skip",
    ]],
    ["an illegal policy of the old era", LEGACY.replace("disabled", "maybe"), POD, [
      "host_network: next",
      "ignored_namespace: next",
      "policy: skip",
    ]],
  ];
  for (const [name, config, pod, steps] of cases) {
    test(`receives the rule that decided: ${name}`, () =>
      expect(story(config, pod).steps).toEqual(steps));
  }

  test("receives what a rule found", () => {
    const { all } = story(MODERN, labelled({ app: "always", "sidecar.istio.io/inject": "True" }));
    expect(all).toContainEqual({ rule: "label", verdict: "next", found: "True" });
    expect(all).toContainEqual({
      rule: "always_selector",
      verdict: "inject",
      found: "{map[] [{app In [always]}]}",
    });
  });
});
