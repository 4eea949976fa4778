import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { equalJson } from "../../lib/data/json.ts";
import { parseYaml, stringifyYaml } from "../../lib/yaml/mod.ts";
import {
  annotatedLines,
  type Provenance,
  type TracedWorkload,
  traceInjection,
} from "../../lib/explain/trace_injection.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import type { EngineSources } from "../../lib/inject/engine.ts";
import { createInjector, type InjectorSettings } from "../../lib/inject/injector.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import { casesOf, compatOf, CONFORMANCE } from "../inject/_conformance.ts";
import { withShared } from "../_shared.ts";

const sprig = sprigFunctions(testSprigHost());

const TEMPLATE = `metadata:
  labels:
    team: "{{ index .ObjectMeta.Labels "team" }}"
    {{- range $key, $value := .Values.labels }}
    {{ $key }}: {{ $value | quote }}
    {{- end }}
spec:
  {{- $proxy := .Values.global.proxy }}
  containers:
  - name: istio-proxy
    image: {{ .ProxyImage }}
    {{- if .Values.debug }}
    args: ["--debug", "{{ annotation .ObjectMeta "level" $proxy.level }}"]
    {{- else }}
    args: []
    {{- end }}
    env:
    - name: MODE
      value: {{ .ProxyConfig.InterceptionMode }}
    {{- with .Spec.DNSPolicy }}
    - { name: DNS, value: {{ . }} }
    {{- end }}
    {{- define "extra" }}
    - { name: TRUST, value: {{ .TrustDomain | quote }} }
    {{- end }}
    {{- template "extra" .MeshConfig }}
`;
const SOURCES: EngineSources = {
  config: stringifyYaml({
    templates: { sidecar: TEMPLATE, second: "metadata: {labels: {team: second}}" },
  }),
  values: stringifyYaml({
    debug: true,
    sidecarInjectorWebhook: { rewriteAppHTTPProbe: true },
    labels: { colour: "red" },
    global: { hub: "h", tag: "t", proxy: { level: "warn" } },
  }),
  mesh: "trustDomain: example.org\n",
};

function trace(text: string, sources = SOURCES): TracedWorkload {
  const [{ results }] = [...traceInjection({ text, sources }, { sprig })];
  return results[0];
}

const POD = `kind: Pod
metadata: {name: p, labels: {team: a}, annotations: {level: debug}}
spec:
  dnsPolicy: ClusterFirst
  containers: [{name: c, livenessProbe: {httpGet: {port: 80, path: /}}}]
`;

/** Formats provenance, for example `sidecar:2:11 (label team=a)`. */
function shown({ spot, stage, sources }: Provenance): string {
  const where = spot ? `${spot.template}:${spot.line}:${spot.column}` : stage;
  const from = sources.filter(({ isSet }) => isSet)
    .map(({ kind, name, value }) => `${kind} ${name}${value === undefined ? "" : `=${value}`}`);
  return from.length === 0 ? where : `${where} (${from.join(", ")})`;
}

function at(traced: TracedWorkload, path: string): Provenance {
  const found = traced.provenance.find((entry) => entry.path.join("/") === path);
  if (found === undefined) throw new Error(`nothing of ${path}`);
  return found;
}

describe("traceInjection()", () => {
  const cases: [path: string, from: string][] = [
    ["metadata/labels/colour", "sidecar:5:20 (values labels.*)"],
    ["spec/containers/1/name", "sidecar:10:11"],
    [
      "spec/containers/1/image",
      "sidecar:11:15 (setting ProxyImage=h/proxyv2:t, values global.hub=h, values global.tag=t)",
    ],
    ["spec/containers/1/args/0", "sidecar:13:13"],
    [
      "spec/containers/1/args/1",
      "sidecar:13:27 (annotation level=debug, values global.proxy.level=warn)",
    ],
    ["spec/containers/1/env/0/value", "sidecar:19:17"],
    ["spec/containers/1/env/1/value", "sidecar:21:30 (pod spec.dnsPolicy=ClusterFirst)"],
    ["spec/containers/1/env/2/value", "sidecar:24:32 (mesh trustDomain=example.org)"],
    [
      "spec/containers/0/livenessProbe/httpGet/port",
      "probes (values sidecarInjectorWebhook.rewriteAppHTTPProbe=true)",
    ],
    ["metadata/annotations/sidecar.istio.io/status", "metadata (setting Revision=)"],
  ];
  for (const [path, from] of cases) {
    test(`says where ${path} comes from`, () => {
      expect(shown(at(trace(POD), path))).toBe(from);
    });
  }

  test("reports the branches around a place, and the action that wrote it", () => {
    expect(at(trace(POD), "spec/containers/1/args/1").spot).toEqual({
      template: "sidecar",
      line: 13,
      column: 27,
      action: 'annotation .ObjectMeta "level" $proxy.level',
      branches: [{ text: "if .Values.debug", line: 12 }],
    });
    const off = { ...SOURCES, values: SOURCES.values.replace("debug: true", "debug: false") };
    expect(at(trace(POD, off), "spec/containers/1/env/0/name").spot!.branches).toEqual([]);
  });

  test("reports changes and removals", () => {
    const text = POD.replace(
      "annotations: {level: debug}",
      "annotations: {prometheus_io_port: '1'}",
    );
    const traced = trace(text);
    expect(at(traced, "metadata/annotations/prometheus_io_port"))
      .toMatchObject({ change: "removed", stage: "prometheus" });
    expect(at(trace(POD), "spec/containers/0/livenessProbe/httpGet/port").change).toBe("changed");
    expect(at(trace(POD), "spec/containers/1/name").change).toBe("added");
  });

  test("attributes a value to the last template that wrote it", () => {
    const text = POD.replace(
      "level: debug",
      "level: debug, inject.istio.io/templates: 'sidecar,second'",
    );
    expect(shown(at(trace(text), "metadata/labels/team"))).toBe("second:1:27");
  });

  test("attributes the pod's own sidecar settings to the overrides", () => {
    const text = POD.replace("[{name: c", "[{name: istio-proxy, image: own}, {name: c");
    const traced = trace(text);
    const image = traced.provenance.find(({ path }) => path.at(-1) === "proxy.istio.io/overrides");
    expect(image).toMatchObject({ change: "added", stage: "overrides" });
  });

  test("paths start at the whole workload", () => {
    const spec = "spec: {containers: [{name: c}]}";
    const deployment = trace(`kind: Deployment\nspec: {template: {${spec}}}\n`);
    expect(at(deployment, "spec/template/spec/containers/1/name").spot!.line).toBe(10);
    const cron = trace(`kind: CronJob\nspec: {jobTemplate: {spec: {template: {${spec}}}}}\n`);
    expect(at(cron, "spec/jobTemplate/metadata/labels/colour").spot!.line).toBe(5);
  });

  test("a skipped workload has none", () => {
    const { provenance, patch } = trace("kind: Pod\nspec: {hostNetwork: true}\n");
    expect({ provenance, patch }).toEqual({ provenance: [], patch: [] });
  });

  test("a legacy config has a single template and its own stages", () => {
    const config =
      "template: |\n  containers:\n  - name: istio-proxy\n    image: [[ .ProxyConfig.BinaryPath ]]\n";
    const sources = { config, values: "", mesh: "" };
    const traced = trace(
      "kind: Deployment\nspec: {template: {spec: {containers: [{name: c}]}}}\n",
      sources,
    );
    const of = (path: string) => shown(at(traced, `spec/template/${path}`));
    expect(of("spec/containers/1/name")).toBe(":2:9");
    expect(of("spec/containers/1/image")).toBe(":3:13 (proxy binaryPath=/usr/local/bin/envoy)");
    expect(of("metadata/annotations/sidecar.istio.io/status")).toBe("metadata");
  });
});

describe("annotatedLines()", () => {
  test("gives each injected line its place, and the user's lines none", () => {
    const lines = annotatedLines(trace(POD));
    expect(parseYaml(lines.map(({ text }) => `${text}\n`).join(""))).toEqual(trace(POD).after);
    const of = (text: string) => lines.find((line) => line.text.trim() === text)?.provenance;
    expect(of("name: c")).toBeUndefined();
    expect(of("image: h/proxyv2:t")?.spot?.line).toBe(11);
  });
});

/** Lists every scalar that differs, independently of stages. */
function differences(before: unknown, after: unknown, path: string, found: Set<string>): void {
  if (equalJson(before, after)) return;
  const isTree = (value: unknown) =>
    typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isTree(after)) {
    if (after !== undefined) found.add(path);
    return;
  }
  for (const [key, value] of Object.entries(after as object)) {
    const old = isTree(before) ? (before as Record<string, unknown>)[key] : undefined;
    // List indexes shift; other tests compare list items by key.
    if (Array.isArray(after) && isTree(before)) continue;
    differences(old, value, `${path}/${key}`, found);
  }
}

/** Of both eras, and of these every fifth case: each builds an injector of its own. */
const STRIDE = 5;
const VERSIONS = ["1.1.3", "1.4.10", "1.8.6", "1.10.6", "1.18.7", "1.26.8", "head"];

withShared("conformance", "provenance of conformance", () => {
  for (const version of VERSIONS) {
    test(`tells of everything in the cases of Istio ${version}, and injects the same`, () => {
      let [leaves, spots] = [0, 0];
      const cases = casesOf(version).filter((_, i) => i % STRIDE === 0);
      for (const { name, settings, kubeInject, expectedError, env, directory } of cases) {
        if (!kubeInject || expectedError) continue;
        const read = (file: string) => {
          const path = `${CONFORMANCE}/${version}/settings/${settings}/${file}`;
          try {
            return readFileSync(path, "utf8");
          } catch {
            return "";
          }
        };
        const sources = {
          config: read("config.yaml"),
          values: read("values.json"),
          mesh: read("mesh.yaml"),
        };
        const options: InjectorSettings = {
          sprig,
          compat: compatOf(version),
          env: (key) => Object.hasOwn(env, key) ? env[key] : undefined,
        };
        const text = readFileSync(`${directory}/input.yaml`, "utf8");
        const documents = [...traceInjection({ text, sources }, options)];
        const plain = [...createInjector(sources, options).kubeInjectDocuments(text)];
        expect(documents.map(({ output }) => output)).toEqual(plain.map(({ output }) => output));
        for (const { before, after, patch, provenance } of documents.flatMap((d) => d.results)) {
          expect(applyPatch(before, patch)).toEqual(after);
          const told = new Set(provenance.map(({ path }) => `/${path.join("/")}`));
          const found = new Set<string>();
          differences(before, after, "", found);
          for (const path of found) {
            if (!told.has(path)) throw new Error(`${version}/${name}: nothing told of ${path}`);
          }
          const untold = patch.filter(({ op, provenance }) =>
            op !== "remove" && provenance.length === 0
          );
          expect(untold.map(({ path }) => path)).toEqual([]);
          for (const { stage, spot } of provenance) {
            if (stage !== "template") continue;
            leaves++;
            if (spot !== undefined) spots++;
          }
        }
      }
      // What a template wrote has a place in it, but for what it moves or what its type sets.
      expect(spots / leaves).toBeGreaterThan(0.99);
    });
  }
});
