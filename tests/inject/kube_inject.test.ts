import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createEngine, type Engine, type EngineOptions } from "../../lib/inject/engine.ts";
import {
  kubeInject,
  kubeInjectDocuments,
  KubeInjectError,
  type KubeInjectOptions,
} from "../../lib/inject/kube_inject.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const VECTORS = `${import.meta.dir}/../vectors/kube-inject`;
const SETTINGS = JSON.parse(readFileSync(`${VECTORS}/settings.json`, "utf8"));
const sprig = sprigFunctions(testSprigHost());

function engineOf(options: Omit<EngineOptions, "sprig"> & { native?: string } = {}): Engine {
  const env = (name: string) => name === "ENABLE_NATIVE_SIDECARS" ? options.native : undefined;
  return createEngine(SETTINGS, { sprig, env, ...options });
}

/** Returns everything about a run in one value, even if it fails. */
function run(text: string, engine: Engine, options?: KubeInjectOptions) {
  let output = "";
  const warnings: string[] = [];
  try {
    for (const document of kubeInjectDocuments(text, engine, options)) {
      output += `${document.output}---\n`;
      warnings.push(...document.warnings);
    }
  } catch (error) {
    if (!(error instanceof KubeInjectError)) throw error;
    return { output, warnings: [...warnings, ...error.warnings], error: error.message };
  }
  return { output, warnings, error: "" };
}

interface Vector {
  readonly name: string;
  readonly input: string;
  readonly native: string;
  readonly nodes: readonly string[] | null;
  readonly revision: string;
  readonly output: string;
  readonly warnings: readonly string[];
  readonly error: string;
}

const vectors: Vector[] = readFileSync(`${VECTORS}/streams.jsonl`, "utf8").trim().split("\n")
  .map((line) => JSON.parse(line));

describe("kubeInject() matches istioctl kube-inject", () => {
  test.each(vectors.map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    const { input, native, revision, nodes } = vector;
    const engine = engineOf({ native, revision });
    const options = nodes === null ? {} : {
      cluster: { nodes: nodes.map((kubeletVersion, i) => ({ name: `n${i}`, kubeletVersion })) },
    };
    const { output, warnings, error } = run(input, engine, options);
    expect({ output, warnings }).toEqual({ output: vector.output, warnings: [...vector.warnings] });
    if (vector.error === "") expect(error).toBe("");
    else expect(error).toEndWith(`: ${vector.error}`);
  });

  test("and is idempotent", () => {
    const injected = vectors.filter(({ name, error }) =>
      !name.startsWith("random") && error === ""
    );
    for (const { output, native, nodes, revision } of injected) {
      if (nodes !== null) continue;
      const engine = engineOf({ native, revision });
      expect(run(output, engine).output.replaceAll("---\n", "")).toBe(
        output.replaceAll("---\n", ""),
      );
    }
  });
});

const POD = "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n";

describe("kubeInject()", () => {
  const engine = engineOf();

  test("returns output, results and warnings of the whole stream", () => {
    const skipped = POD.replace("containers:", "hostNetwork: true, containers:");
    const { output, results, warnings } = kubeInject(`${POD}---\na: 1\n---\n${skipped}`, engine);
    expect(output).toContain("image: hub/proxyv2:1");
    expect(results.map(({ workload, decision }) => [workload, decision.inject, decision.reason]))
      .toEqual([['Pod "p"', true, "policy_enabled"], ['Pod "p"', false, "host_network"]]);
    expect(warnings.length).toBe(1);
    expect(results[1].after).toBe(results[1].before);
    expect(results[0].before).toMatchObject({ spec: { containers: [{ name: "c" }] } });
  });

  const reasons: [what: string, metadata: string, reason: string][] = [
    ["nothing said", "{}", "policy_enabled"],
    ["label", "{labels: {sidecar.istio.io/inject: 'true'}}", "label_true"],
    ["label against", "{labels: {sidecar.istio.io/inject: 'false'}}", "label_false"],
    ["annotation", "{annotations: {sidecar.istio.io/inject: 'true'}}", "annotation_true"],
    ["annotation against", "{annotations: {sidecar.istio.io/inject: 'false'}}", "annotation_false"],
    ["namespace", "{namespace: kube-system}", "ignored_namespace"],
    ["a label that a selector of the config excludes", "{labels: {app: a}}", "policy_enabled"],
  ];
  test.each(reasons)("reports why: %s", (_, metadata, reason) => {
    const { results } = kubeInject(`kind: Pod\nmetadata: ${metadata}\n`, engine);
    expect(results.map(({ decision }) => decision.reason as string)).toEqual([reason]);
  });

  test("passes on the decision's warnings", () => {
    const text = POD.replace("{name: p}", "{annotations: {sidecar.istio.io/inject: maybe}}");
    const [{ decision }] = kubeInject(text, engine).results;
    expect(decision.warnings[0]).toStartWith('Invalid value for sidecar.istio.io/inject: "maybe"');
  });

  const failures: [what: string, text: string, message: string | RegExp][] = [
    [
      "a wrong type",
      `${POD}---\n\n# c\nkind: Pod\nspec: 5\n`,
      'Cannot inject "f.yaml", document 2 at line 5: error unmarshaling JSON: while decoding JSON: ' +
      "json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec",
    ],
    [
      "bad YAML, counted from the start of the stream",
      "a: 1\n---\nb: 2\nc: [\n",
      /^Cannot inject "f.yaml", document 2 at line \d, column \d+: \w/,
    ],
    [
      "a bad separator",
      "a: 1\n---\nb: 2\n---\n--- c\n",
      'Cannot inject "f.yaml", document 3 at line 5: invalid Yaml document separator: c',
    ],
    [
      "a missing template, with the workload",
      "kind: DeploymentConfig\nmetadata: {name: d, namespace: ns}\n",
      'Cannot inject "f.yaml", document 1 at line 1, DeploymentConfig "ns/d": spec.template is ' +
      "required value",
    ],
    [
      "an item of a List, with the workload",
      "kind: List\nitems:\n- kind: Pod\n  metadata: {name: p, annotations: " +
      "{inject.istio.io/templates: none}}\n",
      'Cannot inject "f.yaml", document 1 at line 1, Pod "p": failed to run injection template: ' +
      'requested template "none" not found; have other, sidecar',
    ],
  ];
  test.each(failures)("fails on %s", (_, text, message) => {
    const { error } = run(text, engine, { name: "f.yaml" });
    if (typeof message === "string") expect(error).toBe(message);
    else expect(error).toMatch(message);
  });

  test("names no file without one", () => {
    expect(run("- a\n", engine).error).toStartWith("Cannot inject document 1 at line 1: error");
  });

  test("treats any key of a map as an ordinary one", () => {
    const labels = "{__proto__: a, constructor: b, toString: c}";
    const text = `kind: Pod\nmetadata: {name: p, labels: ${labels}}\n__proto__: {kind: List}\n`;
    expect(kubeInject(text, engine).output).toContain(
      "    __proto__: a\n    constructor: b\n",
    );
  });

  test("skips injected pods by status and sidecar, as versions up to 1.14 did", () => {
    const [old, today] = [engineOf({ compat: 14 }), engine];
    const injected = kubeInject(POD, old).output.replace(/---\n$/, "");
    const again = kubeInject(injected, old);
    expect(again.output).toBe(`${injected}---\n`);
    expect(again.results[0].decision.reason).toBe("already_injected");
    expect(again.warnings).toEqual([
      '===> Skipping injection because Pod "p" has injected "istio-proxy" sidecar already\n',
    ]);
    expect(kubeInject(injected, today).results[0].decision.inject).toBe(true);
    const own = POD.replace("[{name: c}]", "[{name: c}, {name: istio-proxy}]");
    expect(kubeInject(own, old).results[0].decision.inject).toBe(true);
  });

  test("never modifies the engine", () => {
    const before = JSON.stringify([engine.values.untyped, engine.meshConfig, engine.config]);
    for (const { input } of vectors) run(input, engine);
    expect(JSON.stringify([engine.values.untyped, engine.meshConfig, engine.config])).toBe(before);
  });
});
