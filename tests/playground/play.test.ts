import { describe, expect, test } from "bun:test";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createBrowserHost } from "../../lib/playground/browser_host.ts";
import { EXAMPLES, shippedTexts } from "../../lib/playground/examples.ts";
import { createPlayer } from "../../lib/playground/play.ts";
import {
  DEFAULT_SETTINGS,
  type PlayRequest,
  type PlaySettings,
  requestOf,
  type Source,
  type WorkloadStatus,
} from "../../lib/playground/protocol.ts";

const play = createPlayer({ sprig: sprigFunctions(createBrowserHost()) });
const shipped = shippedTexts();

function request(
  texts: Partial<Record<Source, string>>,
  settings: Partial<PlaySettings> = {},
): PlayRequest {
  const whole = { manifest: POD, ...shipped, ...texts };
  return Object.freeze({ ...whole, settings: { ...DEFAULT_SETTINGS, ...settings } });
}

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: web:1
`;

const SMALL = `policy: enabled
templates:
  sidecar: |
    spec:
      containers:
      - name: proxy
        image: {{ .Values.global.hub }}/proxy
`;

describe("the examples", () => {
  const rows = EXAMPLES.map((example) => [example.id, example] as const);
  const outcomes: Record<string, readonly WorkloadStatus[]> = {
    deployment: ["injected"],
    probes: ["injected"],
    native: ["injected"],
    gateway: ["injected"],
    several: ["injected", "skipped"],
    "not-injected": ["skipped"],
    misplaced: ["skipped"],
    "own-template": ["injected"],
    "broken-template": ["failed"],
    legacy: ["injected"],
  };
  test.each(rows)("%s shows its feature", (id, example) => {
    const { workloads, diagnostics } = play(requestOf(example, shipped));
    expect(workloads.map(({ status }) => status)).toEqual([...outcomes[id]]);
    expect(diagnostics).toHaveLength(id === "broken-template" ? 1 : 0);
  });

  test("have distinct ids", () => {
    expect(new Set(EXAMPLES.map(({ id }) => id)).size).toBe(EXAMPLES.length);
    expect(Object.keys(outcomes).sort()).toEqual(EXAMPLES.map(({ id }) => id).sort());
  });
});

describe("play()", () => {
  test("injects a Deployment's pod, and shows the result in the Deployment", () => {
    const manifest = `kind: Deployment
apiVersion: apps/v1
metadata: {name: cart, namespace: shop}
spec:
  template:
    metadata: {labels: {app: cart}}
    spec: {containers: [{name: cart, image: cart:1}]}
`;
    const { workloads: [{ before, after, name, patch }], output } = play(request({ manifest }));
    expect(name).toBe('Deployment "shop/cart"');
    expect(output).toBe(after);
    // The owner was set for injection, and is not part of the result.
    expect(after).toContain("namespaces/shop/deployments/cart");
    expect(after).toContain("service.istio.io/canonical-name: cart");
    for (
      const hidden of [
        "pod-template-hash",
        "ownerReferences",
        "generateName",
        "namespace: shop\n      ",
      ]
    ) {
      expect(after).not.toContain(hidden);
    }
    expect(before).not.toContain("istio");
    expect(JSON.parse(patch)).toBeArray();
  });

  test("names the Job of a CronJob, and keeps its other metadata", () => {
    const manifest = `kind: CronJob
apiVersion: batch/v1
metadata: {name: nightly}
spec:
  jobTemplate:
    metadata: {labels: {a: b}}
    spec: {template: {spec: {containers: [{name: x, image: x}]}}}
`;
    const { workloads: [{ after }] } = play(request({ manifest }));
    expect(after).toContain("cronjobs/nightly");
    expect(after).toContain(
      "  jobTemplate:\n    metadata:\n      labels:\n        a: b\n    spec:",
    );
  });

  test("keeps documents without pods, byte for byte", () => {
    const service = "# a comment\nkind: Service\nmetadata: {name:   x}\n";
    const { output, workloads } = play(request({ manifest: `${service}---\n${POD}` }));
    expect(output).toStartWith(`${service}---\napiVersion: v1\n`);
    expect(workloads).toHaveLength(1);
    expect(workloads[0].line).toBe(5);
  });

  test("finds the workloads of a List", () => {
    const manifest =
      `kind: List\napiVersion: v1\nitems:\n- {kind: Service, metadata: {name: s}}\n` +
      `- {kind: Pod, metadata: {name: a}, spec: {containers: [{name: a}]}}\n` +
      `- {kind: Pod, metadata: {name: b}, spec: {hostNetwork: true, containers: [{name: b}]}}\n`;
    const { workloads } = play(request({ manifest }));
    expect(workloads.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'Pod "default/a" injected',
      'Pod "default/b" skipped',
    ]);
  });

  test("applies policy and selectors, as the webhook does", () => {
    const config = SMALL.replace("enabled", "disabled");
    expect(play(request({ config })).workloads[0].status).toBe("skipped");
    const always = `${config}alwaysInjectSelector: [{matchLabels: {a: b}}]\n`;
    const manifest = POD.replace("name: web\n", "name: web\n  labels: {a: b}\n");
    expect(play(request({ config: always, manifest })).workloads[0].status).toBe("injected");
  });

  test("accepts a single template as config", () => {
    const config = "spec:\n  containers:\n  - name: p\n    image: {{ .Values.global.hub }}/p\n";
    const { workloads: [{ status, after }] } = play(request({ config }));
    expect(status).toBe("injected");
    expect(after).toContain("image: docker.io/istio/p\n");
  });

  test("keeps the injector until a text changes", () => {
    expect(play(request({ config: SMALL })).workloads[0].after).toContain("docker.io/istio/proxy");
    const values = "global: {hub: other}\n";
    expect(play(request({ config: SMALL, values })).workloads[0].after).toContain("other/proxy");
    const manifest = POD.replace("web:1", "web:2");
    expect(play(request({ config: SMALL, values, manifest })).workloads[0].after).toContain(
      "web:2",
    );
  });

  test("reports the injector's warnings every time", () => {
    const legacy = requestOf(EXAMPLES.find(({ id }) => id === "legacy")!, shipped);
    const unsure = { ...legacy, settings: { ...legacy.settings, compat: "today" } };
    for (let count = 0; count < 2; count++) {
      expect(play(unsure).warnings.join()).toContain("Injecting as Istio 1.");
    }
  });

  const wrong: [
    name: string,
    texts: Partial<Record<Source, string>>,
    place: string,
    message: string,
  ][] = [
    ["YAML of the manifest", { manifest: "a: 1\n---\nkind: Pod\nb: [\n" }, "manifest 5:1", ""],
    [
      "a separator",
      { manifest: "a: 1\n--- x\n" },
      "manifest 2:1",
      "invalid Yaml document separator",
    ],
    [
      "a type in the manifest",
      { manifest: `x: 1\n---\n${POD}  hostNetwork: {}\n` },
      "manifest 3:1",
      "bool",
    ],
    [
      "an annotation, at the annotation",
      {
        manifest: POD.replace(
          "name: web\n",
          "name: web\n  annotations:\n    sidecar.istio.io/proxyCPU: lots\n",
        ),
      },
      "manifest 6:5",
      "sidecar.istio.io/proxyCPU",
    ],
    [
      "YAML of the config",
      { config: "templates:\n  a: [\n" },
      "config 3:1",
      "Cannot read injection config",
    ],
    [
      "a type in the config",
      { config: "policy: enabled\ntemplates: []\n" },
      "config 2:1",
      '"templates"',
    ],
    ["an empty config", { config: " \n" }, "config 1:1", "it is empty"],
    [
      "a template's syntax, in the config",
      {
        config: "policy: enabled\ntemplates:\n  a: |\n    x: y\n    z: {{ .Foo }\n  sidecar: ''\n",
      },
      "config 5:",
      'unexpected "}" in operand',
    ],
    [
      "a template in brackets",
      { config: "policy: enabled\ntemplate: |\n    containers:\n    - name: [[ nope ]]\n" },
      "config 4:",
      'function "nope" not defined',
    ],
    [
      "a template's execution, in the template that failed",
      {
        config: "policy: enabled\ndefaultTemplates: [a, b]\ntemplates:\n  a: |\n    spec: {}\n" +
          "  b: |\n    spec: {}\n    x: {{ .Values.global.hub.name }}\n",
      },
      "config 8:",
      "can't evaluate field name",
    ],
    [
      "a template in quotes, without a place",
      { config: 'policy: enabled\ntemplates: {sidecar: "{{ x }}"}\n' },
      "config 1:1",
      'function "x" not defined',
    ],
    ["YAML of the values", { values: "a: 1\nb: {\n" }, "values 3:1", "Cannot read"],
    ["YAML of the mesh config", { mesh: "a: 1\nb: {\n" }, "mesh 3:1", "mesh config"],
    ["a type in the mesh config", { mesh: "enablePrometheusMerge: [1]\n" }, "mesh 1:1", ""],
  ];
  test.each(wrong)("locates an error in %s", (_name, texts, place, message) => {
    const { diagnostics } = play(request(texts));
    expect(diagnostics).toHaveLength(1);
    const [{ source, line, column, message: text }] = diagnostics;
    expect(`${source} ${line}:${column}`).toStartWith(place);
    expect(text).toContain(message);
  });

  const versions: [compat: string, message: string][] = [
    ["1.9", 'a config with "templates" is for 1.10 or later'],
    ["2.0", "must be a version of Istio, as in 1.22 or 0.8, or today"],
    ["<b>", "must be a version of Istio, as in 1.22 or 0.8, or today"],
  ];
  test.each(versions)("rejects the unknown version %s", (compat, message) => {
    const { diagnostics } = play(request({}, { compat }));
    expect(diagnostics.map(({ message }) => message).join()).toContain(message);
  });

  test("makes sidecars native if the nodes support them", () => {
    const init = (nativeSidecars: boolean) =>
      /initContainers:[^]*restartPolicy: Always/.test(
        play(request({}, { nativeSidecars })).workloads[0].after,
      );
    expect([init(false), init(true)]).toEqual([false, true]);
  });

  test("handles names such as constructor", () => {
    const manifest =
      `kind: Pod\nmetadata:\n  name: x\n  annotations: {__proto__: q, constructor: z}\n` +
      `spec: {containers: [{name: toString}]}\n---\nkind: constructor\n---\nkind: __proto__\n`;
    const { workloads } = play(request({ manifest }));
    expect(workloads).toHaveLength(1);
    expect(workloads[0].after).toContain("__proto__: q");
    expect(({} as Record<string, unknown>).q).toBeUndefined();
  });
});
