/** Tests the choice between modern and legacy engine, and legacy results for hostile or unclear input. */
import { describe, expect, test } from "bun:test";
import { ConfigError } from "../../../lib/config/mod.ts";
import { TemplateError } from "../../../lib/go/template/mod.ts";
import { InjectionError } from "../../../lib/inject/errors.ts";
import { createInjector, type InjectorSettings } from "../../../lib/inject/injector.ts";
import { KubeInjectError } from "../../../lib/inject/kube_inject.ts";
import { guessVersion, ISTIO_0_8, versionText } from "../../../lib/inject/legacy/compat.ts";
import { delimitersOf } from "../../../lib/inject/legacy/template.ts";
import { applyPatch } from "../../../lib/patch/json_patch.ts";
import { stringifyYaml } from "../../../lib/yaml/mod.ts";
import { deepFreeze } from "../../_freeze.ts";
import { sprig } from "./_cases.ts";

interface Given extends Partial<InjectorSettings> {
  readonly values?: string;
  readonly mesh?: string;
}

function injectorOf(template: string, { values = "", mesh = "", ...options }: Given = {}) {
  const config = stringifyYaml({ policy: "enabled", template });
  return createInjector({ config, values, mesh }, { sprig, ...options });
}

const POD = { metadata: { name: "web" }, spec: { containers: [{ name: "web" }] } };

type Patched = { spec: { containers: { name: string; env?: { value: string }[] }[] } };

function admitted(injector: ReturnType<typeof createInjector>, pod: object = POD): Patched {
  const { patch } = injector.admit({ object: deepFreeze(pod), namespace: "ns", proxyEnv: {} });
  return applyPatch(pod, patch ?? []) as Patched;
}

/** Returns the value of the sidecar's only variable. */
function rendered(expression: string, given: Given = {}, pod: object = POD): string {
  const template = `containers:\n- name: istio-proxy\n  env: [{name: X, value: '${expression}'}]`;
  return admitted(injectorOf(template, given), pod).spec.containers.at(-1)!.env![0].value ?? "";
}

describe("createInjector()", () => {
  test("treats a config with a single template as legacy", () => {
    expect(injectorOf("containers: []").isLegacy).toBe(true);
  });

  test("treats a config with templates as modern, whatever else it contains", () => {
    const config = stringifyYaml({ template: "{{ poison", templates: { sidecar: "spec: {}" } });
    expect(createInjector({ config, values: "", mesh: "" }, { sprig }).isLegacy).toBe(false);
  });

  test("reports the version that it guesses", () => {
    const warnings: string[] = [];
    injectorOf("x: '[[ toJSON .ObjectMeta.Labels ]]'", { warn: (text) => warnings.push(text) });
    expect(warnings.join()).toContain("Istio 1.1");
    injectorOf("", { compat: 4, warn: (text) => warnings.push(text) });
    expect(warnings.length).toBe(1);
  });

  test("treats a newer version as the last one with such configs", () => {
    const warnings: string[] = [];
    const warn = (text: string) => warnings.push(text);
    expect(rendered('{{ "a" | upper }}', { compat: 22, warn })).toBe("A");
    expect(warnings.join()).toContain("1.8");
  });

  test("refuses a template that does not compile, a bad mesh config and bad values", () => {
    expect(() => injectorOf("[[ if ]]")).toThrow(TemplateError);
    expect(() => injectorOf("[[ nonsense 1 ]]")).toThrow('function "nonsense" not defined');
    expect(() => injectorOf("", { mesh: "proxyListenPort: x" })).toThrow(ConfigError);
    expect(() => injectorOf("", { mesh: "a: [" })).toThrow(ConfigError);
    expect(() => injectorOf("", { values: "- 1" })).toThrow(ConfigError);
  });
});

describe("delimiters", () => {
  const rows: [template: string, left: string][] = [
    ["a: [[ .X ]]", "[["],
    ["a: {{ .X }}", "{{"],
    ["a: {{ .X }}{{ .Y }}\nb: [[ -f x ]]", "{{"],
    ["a: [[ .X ]][[ .Y ]]\nb: '{{ name }}'", "[["],
    ["a: 1", "{{"],
  ];
  for (const [template, left] of rows) {
    test(`of ${JSON.stringify(template)} are ${left}`, () => {
      expect(delimitersOf(template).left).toBe(left);
    });
  }

  test("can be set", () => {
    const given = { leftDelim: "<<", rightDelim: ">>" };
    expect(rendered("<< .ObjectMeta.Name >>[[ {{", given)).toBe("web[[ {{");
  });
});

describe("guessVersion()", () => {
  const rows: [template: string, version: string][] = [
    ["[[ formatDuration .ProxyConfig.DiscoveryRefreshDelay ]]", "0.8"],
    ["[[ annotation .ObjectMeta `a` 1 ]][[ .ProxyConfig.DiscoveryRefreshDelay ]]", "1.0"],
    ["[[ valueOrDefault .DeploymentMeta.Name `x` ]]", "1.1"],
    ["[[ .Spec.NodeName ]]", "1.1"],
    ["containers: []", "1.1"],
    ["{{ .Values.global.hub }}", "1.2"],
    ["{{ toLower .TypeMeta.Kind }}", "1.4"],
    ["{{ env `A` `b` }}", "1.6"],
    ["{{ if gt .ProxyConfig.Concurrency.GetValue 0 }}{{ end }}", "1.7"],
    ["{{ appendMultusNetwork `a` `b` }}", "1.8"],
  ];
  for (const [template, version] of rows) {
    test(`guesses ${version} for ${template}`, () => {
      expect(versionText(guessVersion(template, delimitersOf(template)))).toBe(version);
    });
  }
});

describe("a legacy template", () => {
  test("can render others with its own data", () => {
    const values = stringifyYaml({ name: "{{ .ObjectMeta.Name }}-{{ .Values.more }}", more: "x" });
    expect(rendered("{{ render .Values.name }}", { values, compat: 2 })).toBe("web-x");
    expect(rendered("{{ render `{{ nonsense` }}", { compat: 2 })).toBe("");
  });

  test("cannot render without end", () => {
    const loop = "{{ render .Values.loop }}{{ render .Values.loop }}";
    expect(rendered("{{ render .Values.loop }}", { values: stringifyYaml({ loop }), compat: 2 }))
      .toBe("");
  });

  test("does not change the values of the next pod", () => {
    const template = "containers:\n- name: istio-proxy\n" +
      "  env: [{name: X, value: '{{ .Values.x }}{{ $_ := set .Values `x` `2` }}{{ .Values.x }}'}]";
    const injector = injectorOf(template, { values: "x: '1'", compat: 8 });
    const value = () => admitted(injector).spec.containers.at(-1)!.env![0].value;
    expect([value(), value()]).toEqual(["12", "12"]);
  });

  test("treats __proto__ as an ordinary key", () => {
    const pod = JSON.parse(
      '{"metadata":{"name":"w","labels":{"__proto__":"a","constructor":"b"},' +
        '"annotations":{"__proto__":"c"}},"spec":{"containers":[]}}',
    );
    const expression =
      "[[ toJSON .ObjectMeta.Labels ]][[ isset .ObjectMeta.Annotations `toString` ]]";
    expect(rendered(expression, {}, pod)).toBe('{"__proto__":"a","constructor":"b"}false');
  });

  test("injects even an empty pod", () => {
    const injector = injectorOf("containers:\n- name: istio-proxy");
    const { patch } = injector.admit({ object: {}, namespace: "", proxyEnv: {} });
    const pod = applyPatch({}, patch!) as Patched;
    expect(pod.spec.containers.map(({ name }) => name)).toEqual(["istio-proxy"]);
  });

  test("drops restartPolicy, which had no effect at that time", () => {
    const template = "initContainers:\n- {name: istio-init, restartPolicy: Always}";
    const { patch } = injectorOf(template).admit({ object: POD, namespace: "", proxyEnv: {} });
    expect(patch![0]).toEqual({
      op: "add",
      path: "/spec/initContainers",
      value: [{ name: "istio-init", resources: {} }],
    });
  });

  const refusals: [template: string, message: string, version?: number][] = [
    ["[[ .Nope ]]", "can't evaluate field Nope in type *inject.SidecarTemplateData"],
    [
      "a: [",
      "error converting YAML to JSON: yaml: line 1: did not find expected node content",
    ],
    [
      "{{ `a: [` }}",
      "failed parsing generated injected YAML (check Istio sidecar injector configuration): error " +
      "converting YAML to JSON: yaml: line 1: did not find expected node content",
      4,
    ],
    [
      "text",
      "error unmarshaling JSON: json: cannot unmarshal string into Go value of type " +
      "inject.SidecarInjectionSpec",
    ],
    [
      "rewriteAppHTTPProbe: yep",
      "error unmarshaling JSON: json: cannot unmarshal string into Go struct field " +
      "SidecarInjectionSpec.RewriteAppHTTPProbe of type bool",
    ],
    [
      "containers: 5",
      "error unmarshaling JSON: json: cannot unmarshal number into Go struct field " +
      "SidecarInjectionSpec.Containers of type []v1.Container",
    ],
    [
      "volumes: [{name: a, secret: []}]",
      "error unmarshaling JSON: json: cannot unmarshal array into Go struct field " +
      "Volume.Volumes.VolumeSource.secret of type v1.SecretVolumeSource",
    ],
  ];
  for (const [template, message, compat = 1] of refusals) {
    test(`fails a pod with the original's message for ${JSON.stringify(template)}`, () => {
      const injector = injectorOf(template, { compat });
      expect(() => admitted(injector)).toThrow(InjectionError);
      expect(() => admitted(injector)).toThrow(message);
    });
  }
});

describe("a pod that was injected before", () => {
  const probe = { httpGet: { path: "/", port: 1 } };
  const pod = {
    metadata: { name: "web" },
    spec: {
      containers: [
        { name: "istio-proxy" },
        { name: "one", readinessProbe: probe },
        { name: "two", livenessProbe: probe },
      ],
    },
  };
  const template = "rewriteAppHTTPProbe: true\n" +
    "containers:\n- {name: istio-proxy, args: [--statusPort=15020]}";

  for (const compat of [1, 2, 4, 6, 7, 8]) {
    test(`gets its own probes in ${versionText(compat)}, even if positions changed`, () => {
      const { containers } = admitted(injectorOf(template, { compat }), pod).spec;
      expect(containers.map(({ name }) => name)).toEqual(["one", "two", "istio-proxy"]);
      expect(JSON.stringify(containers[0])).toContain("/app-health/one/readyz");
      expect(JSON.stringify(containers[1])).toContain("/app-health/two/livez");
    });
  }
});

describe("kubeInject() of a legacy config", () => {
  const template = "containers:\n- {name: istio-proxy}";

  test("reports which document failed and why", () => {
    const stream = "kind: Service\n---\nkind: Deployment\nmetadata: {name: web}\n" +
      "spec: {template: {metadata: {annotations: {status.sidecar.istio.io/port: x}}}}\n";
    const injector = injectorOf(template, { compat: 2 });
    expect(() => injector.kubeInject(stream)).toThrow(KubeInjectError);
    expect(() => injector.kubeInject(stream)).toThrow(
      'Cannot inject document 2 at line 3, Deployment "web": 1 error occurred:',
    );
    const documents = injector.kubeInjectDocuments(stream);
    expect(documents.next().value?.output).toBe("kind: Service\n");
  });

  test("reports skipped workloads", () => {
    const { warnings, results } = injectorOf(template).kubeInject(
      "kind: Pod\nmetadata: {name: web}\nspec: {hostNetwork: true, containers: [{name: a}]}\n",
    );
    expect(warnings).toEqual([
      '===> Skipping injection because Pod "web" has host networking enabled\n',
    ]);
    expect(results.map(({ decision }) => decision.reason)).toEqual(["host_network"]);
  });

  test("passes bare pods through in 0.8", () => {
    const stream = "kind: Pod\nspec: {containers: [{name: a}]}\n";
    const { output } = injectorOf(template, { compat: ISTIO_0_8 }).kubeInject(stream);
    expect(output).toBe(`${stream}---\n`);
  });
});
