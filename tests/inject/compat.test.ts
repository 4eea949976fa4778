/** Tests the behaviours of older versions, a row each. */
import { describe, expect, test } from "bun:test";
import { meshSchema } from "../../lib/config/mesh_schema.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { admit } from "../../lib/inject/admit.ts";
import { validateAnnotations } from "../../lib/inject/annotations.ts";
import { type Behaviour, behavioursOf } from "../../lib/inject/compat.ts";
import { estimateConcurrency } from "../../lib/inject/concurrency.ts";
import { deploymentMeta } from "../../lib/inject/deployment_meta.ts";
import { createEngine } from "../../lib/inject/engine.ts";
import { meshDefaults } from "../../lib/inject/mesh_defaults.ts";
import type { Pod } from "../../lib/inject/pod.ts";
import { mergePrometheus } from "../../lib/inject/post/prometheus.ts";
import { previousNames, previousStatus } from "../../lib/inject/status.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const sprig = sprigFunctions(testSprigHost());

describe("behavioursOf()", () => {
  const rows: [behaviour: Behaviour, without: number, with_: number][] = [
    ["decisionLabel", 11, 12],
    ["decisionLenientValues", 27, 26],
    ["nativeAnnotation", 23, 24],
    ["estimatesConcurrency", 18, 17],
    ["estimatesConcurrency", 10, 11],
  ];
  for (const [behaviour, without, with_] of rows) {
    test(`${behaviour}: not in 1.${without}, in 1.${with_}`, () => {
      expect(behavioursOf(without)[behaviour]).toBe(false);
      expect(behavioursOf(with_)[behaviour]).toBe(true);
    });
  }

  test("today equals any later version", () => {
    expect(behavioursOf("today")).toEqual(behavioursOf(99));
  });
});

describe("meshDefaults()", () => {
  const rows: [minor: number, field: string, value: unknown][] = [
    [10, "concurrency", 2],
    [18, "concurrency", undefined],
    [16, "parentShutdownDuration", "60s"],
    [17, "parentShutdownDuration", undefined],
    [21, "tracing", { zipkin: { address: "zipkin.istio-system:9411" } }],
    [22, "tracing", undefined],
  ];
  for (const [minor, field, value] of rows) {
    test(`${field} of 1.${minor} is ${JSON.stringify(value)}`, () => {
      expect(meshDefaults(behavioursOf(minor)).defaultConfig[field]).toEqual(value);
    });
  }
});

describe("estimateConcurrency()", () => {
  const CPU = "sidecar.istio.io/proxyCPU";
  const LIMIT = "sidecar.istio.io/proxyCPULimit";
  const values = { global: { proxy: { resources: { limits: { cpu: "2500m" } } } } };
  const rows: [what: string, concurrency: number | undefined, annotations: object, want: number][] =
    [
      ["none is two", undefined, {}, 2],
      ["a number is itself", 3, { [LIMIT]: "9" }, 3],
      ["zero is the limit, started cores counted", 0, { [LIMIT]: "6500m", [CPU]: "1" }, 7],
      ["zero is the request without a limit", 0, { [CPU]: "100m" }, 1],
      ["a limit that is no quantity is two", 0, { [LIMIT]: "many", [CPU]: "5" }, 2],
      ["zero without annotations is what values say", 0, {}, 3],
    ];
  for (const [what, concurrency, annotations, want] of rows) {
    test(what, () => {
      const config = concurrency === undefined ? {} : { concurrency };
      const options = { annotations: annotations as Record<string, string>, values };
      expect(estimateConcurrency(config, options)).toBe(want);
    });
  }

  test("values of any shape", () => {
    for (const values of [undefined, {}, { global: 5 }, { global: { proxy: null } }]) {
      expect(estimateConcurrency({ concurrency: 0 }, { annotations: undefined, values })).toBe(2);
    }
  });
});

describe("validateAnnotations() of older versions", () => {
  const RANGES = "traffic.sidecar.istio.io/includeOutboundIPRanges";
  const PORTS = "traffic.sidecar.istio.io/excludeInboundPorts";
  const rows: [minor: number, name: string, value: string, problem: string | undefined][] = [
    [24, "sidecar.istio.io/enableCoreDump", "maybe", "strconv.ParseBool"],
    [25, "sidecar.istio.io/enableCoreDump", "maybe", undefined],
    [26, "sidecar.istio.io/proxyCPU", "much", undefined],
    [27, "sidecar.istio.io/proxyCPU", "much", "quantities must match"],
    [29, "traffic.sidecar.istio.io/excludeInterfaces", "5", undefined],
    [30, "traffic.sidecar.istio.io/excludeInterfaces", "5", "contains invalid characters"],
    [10, PORTS, "x", "failed parsing port '0': failed parsing port '0'"],
    [10, PORTS, "70000", "failed parsing port '0': failed parsing port '65535'"],
    [11, PORTS, "x", "failed parsing port 'x': failed parsing port 'x'"],
    [15, RANGES, "10.0.0.0/33", "invalid CIDR address: 10.0.0.0/33"],
    [15, RANGES, "10.0.0.0/08", undefined],
    [16, RANGES, "10.0.0.0/08", "netip.ParsePrefix"],
    [10, "proxy.istio.io/config", "statusPort: 0", undefined],
    [11, "proxy.istio.io/config", "statusPort: 0", "invalid status port"],
    [13, "proxy.istio.io/config", "interceptionMode: NONE", 'unknown value "\\"NONE\\""'],
    [14, "proxy.istio.io/config", "interceptionMode: NONE", undefined],
    [
      16,
      "proxy.istio.io/config",
      "drainDuration: 60s",
      "parent shutdown time 1m0s must be greater",
    ],
    [16, "proxy.istio.io/config", "{drainDuration: 60s, parentShutdownDuration: 70s}", undefined],
    [17, "proxy.istio.io/config", "drainDuration: 60s", undefined],
    [21, "proxy.istio.io/config", "drainDuration: 3601s", "drain time 1h0m1s must be <1h0m0s"],
    [22, "proxy.istio.io/config", "drainDuration: 3601s", undefined],
  ];
  for (const [minor, name, value, problem] of rows) {
    test(`1.${minor}: ${name}: ${value}`, () => {
      const version = { behaviours: behavioursOf(minor), meshSchema: meshSchema(minor) };
      const messages = validateAnnotations({ [name]: value }, version);
      if (problem === undefined) expect(messages).toEqual([]);
      else expect(messages.join()).toContain(problem);
    });
  }
});

describe("deploymentMeta() of older versions", () => {
  const owned = (kind: string, name: string, labels = {}) => ({
    name: "pod",
    generateName: "x-",
    labels,
    ownerReferences: [{ apiVersion: "v1", kind, name, controller: true }],
  });
  const rollout = owned("ReplicaSet", "a-1", { "rollouts-pod-template-hash": "1" });
  const rows: [minor: number, metadata: ReturnType<typeof owned>, want: object][] = [
    [21, rollout, { kind: "ReplicaSet", name: "a-1" }],
    [22, rollout, { kind: "Rollout", name: "a" }],
    [11, owned("ReplicationController", "a-1", { deploymentconfig: "a" }), { name: "a-1" }],
    [12, owned("ReplicationController", "a-1", { deploymentconfig: "a" }), { name: "a" }],
    [21, owned("Job", "a-12345678"), { name: "a", apiVersion: "batch/v1beta1" }],
    [22, owned("Job", "a-12345678"), { name: "a", apiVersion: "batch/v1" }],
    [99, owned("ReplicaSet", "-1", { "pod-template-hash": "1" }), { name: "pod" }],
  ];
  for (const [minor, metadata, want] of rows) {
    test(`1.${minor}: ${metadata.ownerReferences[0].kind} is ${JSON.stringify(want)}`, () => {
      expect(deploymentMeta(metadata, { behaviours: behavioursOf(minor) })).toMatchObject(want);
    });
  }
});

describe("previousStatus()", () => {
  const none = { initContainers: [], containers: [] };
  const rows: [text: string, status: object | undefined, names: object][] = [
    ['{"containers":["a"],"initContainers":null}', { ...none, containers: ["a"] }, {
      ...none,
      containers: ["a"],
    }],
    ['{"CONTAINERS":["a"]}', { ...none, containers: ["a"] }, none],
    ["null", none, none],
    ["[]", undefined, none],
    ["{", undefined, none],
    ['{"containers":["a",5]}', undefined, { ...none, containers: ["a"] }],
    ['{"containers":["a"],"revision":5}', undefined, { ...none, containers: ["a"] }],
    ['{"containers":["a"],"version":5}', { ...none, containers: ["a"] }, {
      ...none,
      containers: ["a"],
    }],
  ];
  for (const [text, status, names] of rows) {
    test(text, () => {
      const annotations = { "sidecar.istio.io/status": text };
      const pod = { metadata: { annotations }, spec: { containers: [] } };
      expect(previousStatus(pod)).toEqual(status as never);
      expect(previousNames(pod)).toEqual(names as never);
    });
  }
});

describe("mergePrometheus() of older versions", () => {
  const merged = (minor: number, annotations: Record<string, string>) => {
    const pod: Pod = { metadata: { annotations }, spec: { containers: [] } };
    const behaviours = behavioursOf(minor);
    return mergePrometheus(pod, { enabled: true, statusPort: 15020, behaviours, warn: () => {} })
      .metadata.annotations;
  };
  const OURS = {
    "prometheus.io/port": "15020",
    "prometheus.io/path": "/stats/prometheus",
    "prometheus.io/scrape": "true",
  };
  test("1.12 supports one spelling, and ignores scrape: false", () => {
    expect(merged(12, { "prometheus.io/scrape": "false" })).toEqual(OURS);
    expect(merged(12, { "prometheus.io-port": "80" })).toEqual({
      ...OURS,
      "prometheus.io-port": "80",
    });
  });
  test("1.30 ignores scrape targets", () => {
    const targets = { "prometheus.istio.io/scrape-targets": "80" };
    expect(merged(30, targets)).toEqual({ ...OURS, ...targets });
    expect(merged(31, targets)).toEqual(OURS);
  });
});

describe("an engine of an older version", () => {
  const patched = (template: string, compat: number, metadata: object = {}) => {
    const config = JSON.stringify({ policy: "enabled", templates: { sidecar: template } });
    const engine = createEngine({ config, values: "", mesh: "" }, { sprig, compat });
    const object = { metadata: { name: "p", ...metadata }, spec: { containers: [] } };
    const { patch } = admit({ object, namespace: "n", proxyEnv: {} }, engine);
    return applyPatch(object, patch!) as unknown as Pod;
  };
  const label = (text: string) => `metadata: {labels: {x: '${text}'}}`;

  test("has the function render up to 1.13", () => {
    expect(() => patched(label("{{ render `x` }}"), 14)).toThrow('function "render" not defined');
    expect(patched(label("{{ render `{{ .ObjectMeta.Name }}!` }}"), 13).metadata.labels?.x)
      .toBe("p!");
  });

  test("drops a template's restartPolicy of containers up to 1.18", () => {
    const template = "spec: {initContainers: [{name: a, restartPolicy: Always}]}";
    expect(patched(template, 18).spec.initContainers).toEqual([{ name: "a", resources: {} }]);
    expect(patched(template, 19).spec.initContainers?.[0].restartPolicy).toBe("Always");
  });

  test("shows templates the pod's proxy config in the mesh config up to 1.12", () => {
    const template = label("{{ .MeshConfig.DefaultConfig.StatusPort }}");
    const annotations = { "proxy.istio.io/config": "statusPort: 80" };
    expect(patched(template, 12, { annotations }).metadata.labels?.x).toBe("80");
    expect(patched(template, 13, { annotations }).metadata.labels?.x).toBe("15020");
  });

  test("merges proxy configs deeply from 1.13 to 1.15", () => {
    const template = label("{{ protoToJSON .ProxyConfig }}");
    const annotations = { "proxy.istio.io/config": "tracing: {sampling: 5}" };
    const tracing = (minor: number) =>
      JSON.parse(patched(template, minor, { annotations }).metadata.labels!.x).tracing;
    expect(tracing(15)).toEqual({ zipkin: { address: "zipkin.istio-system:9411" }, sampling: 5 });
    expect(tracing(16)).toEqual({ sampling: 5 });
    expect(tracing(12)).toEqual({ sampling: 5 });
  });

  test("reports YAML errors up to 1.13", () => {
    expect(() => patched("a: [", 13)).toThrow("yaml to json: yaml: line 1: did not find");
    expect(() => patched("a: [", 14)).toThrow("strategic merge: invalid JSON document");
  });
});
