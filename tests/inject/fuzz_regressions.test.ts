/**
 * Pods for which our injector once differed from Istio's, found by tests/fuzz and
 * shrunk. The expected results are Istio's.
 */
import { describe, expect, test } from "bun:test";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { admit } from "../../lib/inject/admit.ts";
import { createEngine, type Engine } from "../../lib/inject/engine.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { behavioursOf } from "../../lib/inject/compat.ts";
import { dropApplicationUser, proxyIds } from "../../lib/inject/openshift.ts";
import type { Container, Pod } from "../../lib/inject/pod.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const sprig = sprigFunctions(testSprigHost());

/** A minimal template: a sidecar, native or not, and what a test adds. */
function engineWith(more = "", native = false): Engine {
  const template = [
    "spec:",
    "  {{ if .NativeSidecars }}initContainers{{ else }}containers{{ end }}:",
    "  - name: istio-proxy",
    "    image: proxy",
    more,
  ].join("\n");
  return createEngine({
    config: JSON.stringify({ policy: "enabled", templates: { sidecar: template } }),
    values: '{"sidecarInjectorWebhook":{"rewriteAppHTTPProbe":true}}',
    mesh: "",
  }, { sprig, env: (name) => name === "ENABLE_NATIVE_SIDECARS" ? String(native) : undefined });
}

interface Sent {
  annotations?: Record<string, string>;
  containers: readonly unknown[];
}

interface Injected {
  metadata: { annotations: Record<string, string> };
  spec: Record<"containers" | "initContainers", Container[]>;
}

function inject({ annotations = {}, containers }: Sent, engine = engineWith()): Injected {
  const object = { metadata: { annotations }, spec: { containers }, status: {} };
  const { patch } = admit({ object, namespace: "n", proxyEnv: {} }, engine);
  return applyPatch(object, patch ?? []) as unknown as Injected;
}

const named = (...names: string[]) =>
  names.map((name, i) => ({ name, image: `i${i}`, resources: {} }));

describe("invalid overrides are refused with Go's message", () => {
  const cases: [text: string, message: string][] = [
    ["[]", "cannot unmarshal array into Go value of type inject.podOverrides"],
    ["5", "cannot unmarshal number into Go value of type inject.podOverrides"],
    [
      '{"containers":5}',
      "cannot unmarshal number into Go struct field podOverrides.containers of type []v1.Container",
    ],
    [
      '{"initContainers":[{"name":5}]}',
      "cannot unmarshal number into Go struct field Container.initContainers.name of type string",
    ],
    [
      '{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}',
      "cannot unmarshal bool into Go struct field " +
      "HTTPGetAction.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
    ],
  ];
  for (const [text, message] of cases) {
    test(text, () => {
      const sent = { annotations: { "proxy.istio.io/overrides": text }, containers: named("app") };
      expect(() => inject(sent)).toThrow(`failed to run injection template: json: ${message}`);
    });
  }

  test("other fields of a pod's spec are ignored", () => {
    const annotations = { "proxy.istio.io/overrides": '{"volumes":5}' };
    expect(inject({ annotations, containers: named("app") }).spec.containers).toHaveLength(2);
  });
});

describe("several containers of one name", () => {
  test("only the first istio-proxy becomes the native sidecar", () => {
    const { spec } = inject(
      { containers: named("istio-proxy", "istio-proxy") },
      engineWith("", true),
    );
    expect(spec.containers.map(({ image }) => image)).toEqual(["i1"]);
    expect(spec.initContainers.map(({ image }) => image)).toEqual(["i0"]);
  });

  test("are adjacent after the user's sidecar is merged again", () => {
    const containers = named("istio-proxy", "app", "other", "app");
    const { spec } = inject({ containers }, engineWith("", true));
    expect(spec.containers.map(({ name }) => name)).toEqual(["app", "app", "other"]);
  });
});

describe("templates that do not suit a pod", () => {
  test("the first mistake by sorted keys is reported", () => {
    const engine = engineWith(
      "  volumes: [{name: v, emptyDir: 5}]\n  imagePullSecrets: [{name: 5}]",
    );
    expect(() => inject({ containers: named("app") }, engine)).toThrow(
      "unmarshal patched pod: json: cannot unmarshal number into Go struct field " +
        "LocalObjectReference.spec.imagePullSecrets.name of type string",
    );
  });

  test("an unknown template's name is quoted as Go quotes", () => {
    const annotations = { "inject.istio.io/templates": "a\u0007\u0001é" };
    expect(() => inject({ annotations, containers: [] })).toThrow(
      'requested template "a\\a\\x01é" not found; have sidecar',
    );
  });
});

describe("probers of an earlier injection are decoded by type", () => {
  const probes = { readinessProbe: { httpGet: { port: 80 } } };
  const fresh = '"/app-health/app/readyz":{"httpGet":{"port":80}}';
  const cases: [old: string, merged: string][] = [
    ["null", `{${fresh}}`],
    ['{"a":1}', '{"a":1}'],
    ["[]", "[]"],
    ["5", "5"],
    ['{"a":null}', `{${fresh},"a":null}`],
    ['{"a":{"exec":{},"x":1}}', `{${fresh},"a":{}}`],
    ['{"a":{"HTTPGet":{"path":"/x"}}}', `{${fresh},"a":{"httpGet":{"path":"/x","port":0}}}`],
    ['{"a":{"grpc":{"port":5}}}', `{${fresh},"a":{"grpc":{"port":5,"service":null}}}`],
    ['{"a":{"timeoutSeconds":1.5}}', '{"a":{"timeoutSeconds":1.5}}'],
  ];
  for (const [old, merged] of cases) {
    test(old, () => {
      const env = [{ name: "ISTIO_KUBE_APP_PROBERS", value: old }];
      const { spec } = inject({
        annotations: { "sidecar.istio.io/status": "{}" },
        containers: [{ ...named("app")[0], ...probes }, { ...named("istio-proxy")[0], env }],
      });
      const sidecar = spec.containers.find(({ name }) => name === "istio-proxy");
      expect(sidecar?.env).toEqual([{ name: "ISTIO_KUBE_APP_PROBERS", value: merged }]);
    });
  }
});

describe("OpenShift", () => {
  const cases: [range: string, uid: number][] = [
    ["1/ 2", 2],
    ["\u00a01-\t2", 2],
    ["5/1-3", 5],
    ["0/0", 4294967295],
    ["+1/2", 1337],
    ["1/+2", 1337],
    ["1 /2", 1337],
    ["\n1/2", 1337],
    ["1/\n2", 1337],
    ["1-2/3", 1337],
  ];
  for (const [range, uid] of cases) {
    test(`the id range ${JSON.stringify(range)} ends at ${uid}`, () => {
      expect(proxyIds({ "openshift.io/sa.scc.uid-range": range }).uid).toBe(uid);
    });
  }

  test("of two istio-proxy, the last one's user is compared with the application's", () => {
    const as = (name: string, runAsUser: number) => ({ name, securityContext: { runAsUser } });
    const pod: Pod = {
      metadata: {},
      spec: {
        containers: [as("app", 5), as("istio-proxy", 7)],
        initContainers: [as("istio-proxy", 5)],
      },
    };
    const { spec } = dropApplicationUser(pod, behavioursOf("today"));
    expect(spec.containers?.[1].securityContext).toEqual({});
  });
});
