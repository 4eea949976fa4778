/** Tests the limits of a review: on a pod's parts, on the budget of all stages, and linear growth of the work. */
import { describe, expect, test } from "bun:test";
import { Budget } from "../../lib/data/budget.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { admit } from "../../lib/inject/admit.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import { createEngine } from "../../lib/inject/engine.ts";
import { InjectionError } from "../../lib/inject/errors.ts";
import { createInjector } from "../../lib/inject/injector.ts";
import {
  MAX_ANNOTATION_BYTES,
  MAX_CONTAINERS,
  MAX_OVERRIDES,
  MAX_PORTS,
  MAX_TEMPLATES,
  REVIEW_UNITS,
  reviewBudget,
  yamlUnits,
} from "../../lib/inject/limits.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { strategicMerge } from "../../lib/patch/strategic_merge.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const sprig = sprigFunctions(testSprigHost());
const engine = createEngine(defaultConfig(), { sprig, revision: "default" });
/** Parses each rendered text, as for the first pod of a kind. */
const forgetful = createEngine(defaultConfig(), { sprig, revision: "default", caches: false });

const list = <T>(count: number, item: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => item(i));

function podOf({ annotations = {}, spec = {} }: { annotations?: object; spec?: object }) {
  const labels = { "sidecar.istio.io/inject": "true" };
  return {
    metadata: { name: "web", labels, annotations },
    spec: { containers: [{ name: "app" }], ...spec },
  };
}

function outcome(
  pod: unknown,
  { budget, with_ = engine }: { budget?: Budget; with_?: typeof engine } = {},
) {
  try {
    const { decision, patch } = admit(
      { object: pod, namespace: "shop", proxyEnv: {}, budget },
      with_,
    );
    return { reason: decision.reason, patch, message: "" };
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    return { reason: error.code, message: error.message };
  }
}

const container = (i: number) => ({ name: `c${i}` });
const port = (i: number) => ({ containerPort: i + 1 });
const templates = (count: number) => ({
  "inject.istio.io/templates": list(count, () => "sidecar").join(","),
});
const overrides = (count: number) => ({
  "proxy.istio.io/overrides": JSON.stringify({ containers: list(count, container) }),
});

describe("a pod above a limit is denied, and one at the limit is not", () => {
  const cases: [name: string, most: number, pod: (count: number) => unknown, message: string][] = [
    [
      "templates",
      MAX_TEMPLATES,
      (count) => podOf({ annotations: templates(count) }),
      'annotation "inject.istio.io/templates" has 17 templates: the limit is 16',
    ],
    [
      "containers",
      MAX_CONTAINERS,
      (count) => podOf({ spec: { containers: list(count, container) } }),
      "the pod has 501 containers: the limit is 500",
    ],
    [
      "init containers",
      MAX_CONTAINERS - 1,
      (count) => podOf({ spec: { initContainers: list(count, container) } }),
      "the pod has 501 containers: the limit is 500",
    ],
    [
      "ports",
      MAX_PORTS,
      (count) => podOf({ spec: { containers: [{ name: "app", ports: list(count, port) }] } }),
      "the pod has 1025 container ports: the limit is 1024",
    ],
    [
      "overrides",
      MAX_OVERRIDES,
      (count) => podOf({ annotations: overrides(count) }),
      'failed to run injection template: annotation "proxy.istio.io/overrides" has 129 containers: the limit is 128',
    ],
    [
      "annotations",
      MAX_ANNOTATION_BYTES - 1,
      (count) => podOf({ annotations: { a: "é".repeat(count >> 1) + "x".repeat(count & 1) } }),
      "the pod's annotations have 262145 bytes: the limit is 262144",
    ],
  ];
  test.each(cases)("%s", (_, most, pod, message) => {
    expect(outcome(pod(most)).reason).toBe("label_true");
    expect(outcome(pod(most + 1))).toEqual({ reason: "too_large", message });
  });
});

test("a template that a pod asks for twice gives what it gives once, as in Istio", () => {
  const injected = (templates: string) => {
    const pod = podOf({ annotations: { "inject.istio.io/templates": templates } });
    return applyPatch(pod, outcome(pod).patch!) as { spec: unknown };
  };
  const once = injected("sidecar");
  expect(injected("sidecar,sidecar").spec).toEqual(once.spec);
  expect(injected("sidecar, sidecar ,sidecar").spec).toEqual(once.spec);
});

test("a pod that is not injected may be as large as it likes", () => {
  const pod = podOf({
    spec: { containers: list(MAX_CONTAINERS + 1, container), hostNetwork: true },
  });
  expect(outcome(pod).reason).toBe("host_network");
});

describe("the budget", () => {
  test("causes a denial that names the stage and the pod's largest part", () => {
    const pod = podOf({ spec: { containers: [{ name: "app", ports: list(100, port) }] } });
    expect(outcome(pod, { budget: new Budget({ units: 3_000 }) })).toEqual({
      reason: "too_large",
      message:
        "the pod is too large to inject: the work exceeds 3000 units at rendering a template; " +
        "spec.containers[0].ports has 100 items",
    });
  });

  test("ends with the time, even if work is left", () => {
    let time = 0;
    const budget = reviewBudget(() => time += 3_000);
    const { reason, message } = outcome(podOf({}), { budget });
    expect(reason).toBe("too_slow");
    expect(message).toStartWith("cannot inject the pod in time: deadline exceeded at ");
  });

  test("is twenty times what an ordinary pod needs", () => {
    const budget = reviewBudget();
    expect(outcome(podOf({}), { budget }).reason).toBe("label_true");
    expect(budget.spent).toBeLessThan(8_000);
  });

  test.each<[string, object]>([
    ["metadata of the proxy", {
      "proxy.istio.io/config": JSON.stringify({
        proxyMetadata: Object.fromEntries(list(15_000, (i) => [`K${i}`, "v"])),
      }),
    }],
    ["a flow list", { "proxy.istio.io/config": `a: [${"a,".repeat(100_000)}]` }],
    ["line breaks", { "proxy.istio.io/config": "a:\n".repeat(80_000) }],
    ["volumes of the user", {
      "sidecar.istio.io/userVolume": JSON.stringify(
        Object.fromEntries(list(9_000, (i) => [`v${i}`, { emptyDir: {} }])),
      ),
    }],
  ])("ends for 256 KiB of %s", (_, annotations) => {
    expect(outcome(podOf({ annotations })).reason).toBe("too_large");
  });

  const perContainer = (call: string) =>
    createInjector({
      config: JSON.stringify({
        policy: "enabled",
        defaultTemplates: ["own"],
        templates: {
          own: `{{ range .Spec.Containers }}{{ $_ := ${call} }}{{ end }}metadata: {labels: {a: b}}`,
        },
      }),
      values: "{}",
      mesh: "",
    }, { sprig });
  test.each([
    ["bcrypt", "bcrypt .Name"],
    ["htpasswd", 'htpasswd "user" .Name'],
    ["derivePassword", 'derivePassword 1 "long" "password" "user" .Name'],
    ["genPrivateKey", 'genPrivateKey "ecdsa"'],
    ["genCA", "genCA .Name 365"],
    ["genSelfSignedCert", "genSelfSignedCert .Name nil nil 365"],
    ["regexMatch", 'regexMatch "(a?){100}a{100}" (repeat 100 "a")'],
    ["regexReplaceAll", 'regexReplaceAll "(a?){100}a{100}" (repeat 100 "a") "b"'],
    ["regexFind", '.Name | regexFind (repeat 500 "(a{9}|b)")'],
  ])("ends when a template calls %s for each container", (name, call) => {
    const injector = perContainer(call);
    const admitted = (count: number) => {
      const object = podOf({ spec: { containers: list(count, container) } });
      return injector.admit({ object, namespace: "shop", proxyEnv: {} });
    };
    expect(admitted(1).patch).toBeDefined();
    expect(() => admitted(120)).toThrow(
      `the pod is too large to inject: the work exceeds ${REVIEW_UNITS} units at function "${name}"; ` +
        "spec.containers has 120 items",
    );
  });

  test("allows a regular expression for each of many containers", () => {
    const object = podOf({ spec: { containers: list(200, container) } });
    const injector = perContainer('regexReplaceAll "[^a-z0-9-]+" .Name "-"');
    expect(injector.admit({ object, namespace: "shop", proxyEnv: {} }).patch).toBeDefined();
  });

  test("counts in the era of one template, too", () => {
    const config =
      "policy: enabled\ntemplate: |\n  containers:\n  [[ range .Spec.Containers -]]\n  - name: x\n  [[ end -]]\n";
    const injector = createInjector({ config, values: "", mesh: "" }, { sprig, compat: 4 });
    const object = podOf({ spec: { containers: list(400, container) } });
    const admitted = (units: number) => () =>
      injector.admit({ object, namespace: "shop", proxyEnv: {}, budget: new Budget({ units }) });
    expect(admitted(1_000)).toThrow("the pod is too large to inject");
    expect(admitted(1_000_000)).not.toThrow();
  });
});

test("yamlUnits() counts what may start a node, but not quoted text", () => {
  const nodes = (text: string) => Math.round((yamlUnits(text) - text.length * 0.05) / 4);
  expect(nodes("a: [b, c]\n")).toBe(4);
  expect(nodes('a: ",,,\\",,:"\n')).toBe(2);
  expect(nodes("don't: [a,a]\n")).toBe(1);
  expect(nodes("don't\n[a,a]")).toBe(3);
});

/** Counts the properties read from a list's items, a measure of work that does not depend on the machine. */
function readsOf(count: number, run: (items: object[]) => void): number {
  let reads = 0;
  const items = list(count, (i) =>
    new Proxy({ name: `n${i}`, image: "x" }, {
      get(target, key, receiver) {
        reads++;
        return Reflect.get(target, key, receiver);
      },
      getOwnPropertyDescriptor(target, key) {
        reads++;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    }));
  run(items);
  return reads;
}

describe("twice the items take twice the steps", () => {
  const spec = (containers: object[]) => ({ spec: { containers } });
  const cases: [name: string, run: (items: object[]) => void][] = [
    ["a merge by key", (items) => strategicMerge(spec(items), spec(items), "Pod")],
    [
      "a merge of other keys",
      (items) => strategicMerge(spec(items), spec(items.map((_, i) => ({ name: `o${i}` }))), "Pod"),
    ],
    [
      "deletions by key",
      (items) =>
        strategicMerge(
          spec(items),
          spec(items.map((_, i) => ({ name: `n${i}`, $patch: "delete" }))),
          "Pod",
        ),
    ],
  ];
  test.each(cases)("%s", (_, run) => {
    const [once, twice] = [readsOf(300, run), readsOf(600, run)];
    expect(once).toBeGreaterThan(300);
    expect(twice / once).toBeLessThan(2.2);
  });

  test.each<[string, (count: number) => unknown]>([
    [
      "ports",
      (count) => podOf({ spec: { containers: [{ name: "app", ports: list(count, port) }] } }),
    ],
    ["containers", (count) => podOf({ spec: { containers: list(count, container) } })],
    [
      "metadata of the proxy",
      (count) =>
        podOf({
          annotations: {
            "proxy.istio.io/config": JSON.stringify({
              proxyMetadata: Object.fromEntries(list(count, (i) => [`K${i}`, "v"])),
            }),
          },
        }),
    ],
  ])("units for %s", (_, pod) => {
    const spent = (count: number) => {
      const budget = new Budget({ units: Infinity });
      outcome(pod(count), { budget, with_: forgetful });
      return budget.spent;
    };
    const base = spent(1);
    expect((spent(400) - base) / (spent(200) - base)).toBeLessThan(2.2);
  });
});
