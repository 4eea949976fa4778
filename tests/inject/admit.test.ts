/** Tests the webhook with the shipped template, for properties that hold for every pod. */
import { describe, expect, test } from "bun:test";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { admit } from "../../lib/inject/admit.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import { createEngine } from "../../lib/inject/engine.ts";
import { InjectionError } from "../../lib/inject/errors.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const sprig = sprigFunctions(testSprigHost());
const engine = createEngine(defaultConfig(), { sprig, revision: "default" });
const native = createEngine(defaultConfig(), {
  sprig,
  revision: "default",
  env: (name) => name === "ENABLE_NATIVE_SIDECARS" ? "true" : undefined,
});

interface TestPod {
  metadata: Record<string, unknown>;
  spec: { containers: Record<string, unknown>[]; [key: string]: unknown };
  [key: string]: unknown;
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

function makePod(annotations: Record<string, string> = {}, container = {}): TestPod {
  return freeze({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop", labels: { app: "web" }, annotations },
    spec: {
      containers: [{ name: "app", image: "nginx", resources: {}, ...container }],
      volumes: [{ name: "kube-api-access-x1y2z", projected: { sources: [] } }],
    },
  });
}

function inject(pod: unknown, with_ = engine): TestPod {
  const { patch } = admit({ object: pod, namespace: "shop", proxyEnv: {} }, with_);
  return applyPatch(pod, patch ?? []) as TestPod;
}

const names = (list: unknown) => (list as { name: string }[] | undefined)?.map(({ name }) => name);

describe("admit()", () => {
  test("adds the sidecar, its init container, volumes, labels and the status", () => {
    const { metadata, spec } = inject(makePod());
    expect(names(spec.containers)).toEqual(["app", "istio-proxy"]);
    expect(names(spec.initContainers)).toEqual(["istio-init"]);
    expect(names(spec.volumes)).toContain("kube-api-access-x1y2z");
    expect(metadata.labels).toMatchObject({ "service.istio.io/canonical-name": "web" });
    expect(metadata.annotations).toHaveProperty(["sidecar.istio.io/status"]);
  });

  test("makes the sidecar native if configured", () => {
    const { spec } = inject(makePod(), native);
    expect(names(spec.containers)).toEqual(["app"]);
    expect(names(spec.initContainers)).toEqual(["istio-init", "istio-proxy"]);
  });

  for (const [kind, with_] of [["plain", engine], ["native", native]] as const) {
    test(`does not change an injected pod (${kind})`, () => {
      const once = inject(makePod(), with_);
      const { patch } = admit({ object: once, namespace: "shop", proxyEnv: {} }, with_);
      expect(patch).toEqual([]);
    });
  }

  test("keeps unknown fields", () => {
    const pod = freeze({
      ...makePod(),
      fromTheFuture: { a: 1 },
      spec: { ...makePod().spec, alsoNew: true },
    });
    expect(inject(pod)).toMatchObject({ fromTheFuture: { a: 1 }, spec: { alsoNew: true } });
  });

  test("keeps values as the user wrote them", () => {
    const resources = { limits: { cpu: "2000m", memory: "1024Mi" } };
    const { spec } = inject(makePod({}, { resources }));
    expect(spec.containers[0].resources).toEqual(resources);
  });

  test("reports why a pod is skipped", () => {
    const pod = freeze({ ...makePod(), spec: { ...makePod().spec, hostNetwork: true } });
    const admission = admit({ object: pod, namespace: "shop", proxyEnv: {} }, engine);
    expect(admission).toEqual({
      decision: { inject: false, reason: "host_network", warnings: [] },
    });
  });

  test("uses the request's namespace for a pod without one", () => {
    const pod = freeze({ ...makePod(), metadata: { name: "web" } });
    const { decision } = admit({ object: pod, namespace: "kube-system", proxyEnv: {} }, engine);
    expect(decision.reason).toBe("ignored_namespace");
  });

  /** Values that would change the structure of YAML if a template printed them unquoted. */
  const HOSTILE = [
    'x"\n    - name: evil',
    "x: {y: [z",
    "]}",
    "--- ",
    "# comment",
    "*alias",
    "&anchor a",
    "{{ .Values }}",
    "null",
    "\u2028",
    "a\\nb",
    "'",
  ];
  for (const value of HOSTILE) {
    test(`keeps the pod's structure with an annotation of ${JSON.stringify(value)}`, () => {
      const shape = (pod: TestPod) => [
        names(pod.spec.containers),
        names(pod.spec.initContainers),
        names(pod.spec.volumes),
      ];
      const want = shape(inject(makePod()));
      for (
        const name of [
          "sidecar.istio.io/logLevel",
          "sidecar.istio.io/componentLogLevel",
          "sidecar.istio.io/agentLogLevel",
          "sidecar.istio.io/proxyImage",
          "traffic.sidecar.istio.io/includeOutboundPorts",
          "inject.istio.io/other",
        ]
      ) expect(shape(inject(makePod({ [name]: value })))).toEqual(want);
      const labelled = {
        ...makePod(),
        metadata: { name: "web", labels: { app: value, version: value } },
      };
      expect(shape(inject(freeze(labelled)))).toEqual(want);
    });
  }

  test("treats keys like __proto__ as ordinary ones", () => {
    const annotations = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}');
    const { metadata } = inject(makePod(annotations));
    expect(JSON.stringify(metadata.annotations)).toContain('"__proto__":"a"');
    expect(metadata.annotations).toMatchObject({ constructor: "b", toString: "c" });
  });

  const REFUSED: [what: string, pod: unknown, message: RegExp][] = [
    [
      "a label that is no text",
      { metadata: { labels: { a: 1 } } },
      /^json: cannot unmarshal number into Go struct field .*labels of type string$/,
    ],
    [
      "a document that is no pod",
      [],
      /^json: cannot unmarshal array into Go value of type v1.Pod$/,
    ],
    [
      "an unknown template",
      makePod({ "inject.istio.io/templates": "nope" }),
      /^failed to run injection template: requested template "nope" not found; have sidecar, gateway$|have gateway, sidecar$/,
    ],
    [
      "an invalid annotation",
      makePod({ "status.sidecar.istio.io/port": "x" }),
      /^failed to run injection template: 1 error occurred:\n\t\* invalid value 'x' for annotation/,
    ],
    [
      "broken overrides",
      makePod({ "proxy.istio.io/overrides": "{" }),
      /^failed to run injection template: unexpected end of JSON input$/,
    ],
    [
      "a reserved port",
      makePod({ "prometheus.io/port": "15090" }),
      /^failed to process pod: invalid prometheus scrape configuration: port 15090 is reserved/,
    ],
  ];
  for (const [what, pod, message] of REFUSED) {
    test(`refuses ${what} with Istio's message`, () => {
      const run = () => admit({ object: pod, namespace: "shop", proxyEnv: {} }, engine);
      expect(run).toThrow(InjectionError);
      expect(run).toThrow(message);
    });
  }
});
