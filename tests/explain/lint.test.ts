import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { stringifyYaml } from "../../lib/yaml/mod.ts";
import { type Finding, lint, type LintRequest } from "../../lib/explain/lint.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import type { CompatVersion } from "../../lib/inject/compat.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import { compatOf, CONFORMANCE } from "../inject/_conformance.ts";
import { withShared } from "../_shared.ts";

const sprig = sprigFunctions(testSprigHost());

function run(request: LintRequest, compat: CompatVersion = "today") {
  return lint(request, { sprig, compat });
}

const config = (template: string, more: object = {}) =>
  stringifyYaml({ policy: "enabled", templates: { sidecar: template }, ...more });

/** A template that renders a pod with this in an annotation. */
const printing = (expression: string) =>
  `metadata: {annotations: {a: ${expression}}}\nspec: {containers: [{name: istio-proxy}]}\n`;

function shown({ severity, id, line, column, message }: Finding): string {
  return `${severity} ${id} ${line}:${column} ${message}`;
}

describe("lint() finds", () => {
  const cases: [what: string, request: LintRequest, finding: string][] = [
    [
      "a config that is no YAML",
      { config: "policy: [" },
      "error config_unreadable 1:10",
    ],
    ["values that are none", { config: config(""), values: "[" }, "error values_unreadable"],
    [
      "a mesh config that is none",
      { config: config(""), mesh: "trustDomain: [" },
      "error mesh_unreadable",
    ],
    [
      "a policy that is none",
      { config: "policy: maybe\ntemplates: {a: b}" },
      "error policy_illegal 1:1",
    ],
    [
      "no policy",
      { config: "templates: {a: b}" },
      "error policy_illegal 1:1 The policy is missing",
    ],
    ["no templates", { config: "policy: enabled" }, "error no_templates"],
    [
      "a default template that is not there",
      { config: config("", { defaultTemplates: ["sidecar", "gone"] }) },
      'error unknown_template 3:3 defaultTemplates names the template "gone"',
    ],
    [
      "an alias to a template that is not there",
      { config: "aliases: {both: [sidecar, gone]}\npolicy: enabled\ntemplates: {sidecar: ''}\n" },
      'error unknown_template 1:27 The alias "both" names the template "gone"',
    ],
    [
      "a selector that Kubernetes rejects",
      {
        config: config("", {
          neverInjectSelector: [{ matchExpressions: [{ key: "a", operator: "Is" }] }],
        }),
      },
      "error selector_invalid 2:3",
    ],
    [
      "an empty selector",
      { config: config("", { alwaysInjectSelector: [{}] }) },
      "warning selector_empty",
    ],
    [
      "a template that does not parse",
      { config: "policy: enabled\ntemplates:\n  sidecar: |\n    ok\n    {{ if }}\n" },
      "error template_syntax 5:5 The template does not parse: missing value for if",
    ],
    [
      "an unknown function",
      { config: "policy: enabled\ntemplates:\n  sidecar: |\n    {{ .Revision | nope }}\n" },
      'error unknown_function 4:20 Function "nope" is not defined.',
    ],
    [
      "the unknown functions after the first",
      { config: config("{{ nope }}{{ nor }}") },
      'error unknown_function 3:3 Function "nor" is not defined.',
    ],
    [
      "an unknown field of the data",
      { config: config("{{ .Nope }}") },
      "error unknown_field 3:3 Field Nope does not exist in the template's data.",
    ],
    [
      "an unknown field of the pod's metadata",
      { config: config("{{ .ObjectMeta.Foo }}") },
      "error unknown_field 3:3 Field Foo does not exist in ObjectMeta (v1.ObjectMeta).",
    ],
    [
      "an unknown field through a variable and a loop",
      { config: config("{{ $s := .Spec }}{{ range $s.Containers }}{{ .Nme }}{{ end }}") },
      "error unknown_field 3:3 Field Nme does not exist in Spec.Containers.* (v1.Container).",
    ],
    [
      "an unknown field of the mesh config",
      { config: config("{{ .MeshConfig.DefaultConfig.Nope }}") },
      "Field Nope does not exist in MeshConfig.DefaultConfig (v1alpha1.ProxyConfig).",
    ],
    [
      "a missing values key that is printed",
      { config: config(printing('"{{ .Values.a.b }}"')), values: "a: {}" },
      'warning unknown_values_key 4:44 The values have no key a.b: the template prints "<no value>"',
    ],
    [
      "a missing values key below which a template reads",
      { config: config(printing('"{{ .Values.a.b | default `` }}"')), values: "{}" },
      "warning unknown_values_key 4:44 The values have no key a: .Values.a.b fails",
    ],
    [
      "a template that fails for ordinary pods",
      { config: config("{{ index .Spec.Containers 5 }}") },
      "error render_failed 3:3 The template fails for a plain pod: template: inject:1:3",
    ],
    [
      "a template whose output is not part of a pod",
      { config: config("spec: {containers: [{name: y}]}") },
      "error overlay_invalid 3:3 The template's output for a plain pod is not a valid part of a pod",
    ],
    [
      "an annotation value that breaks the YAML",
      { config: config(printing('"{{ annotation .ObjectMeta `x` `` }}"')) },
      'warning breaks_on_value 4:37 The annotation x breaks the pod if its value is "say \\"no\\""',
    ],
    [
      "a label value that is parsed as another type",
      { config: config(printing("{{ index .ObjectMeta.Labels `app` }}")) },
      'warning breaks_on_value 4:36 The label app breaks the pod if its value is "yes", "1.10"',
    ],
    [
      "an annotation value that adds fields",
      {
        config: config(
          "metadata:\n  annotations:\n    x: {{ index .ObjectMeta.Annotations `x` }}\n",
        ),
      },
      "warning breaks_on_value",
    ],
    [
      "an unquoted value where a string is required",
      { config: config(printing("{{ .Values.a }}")), values: "a: b" },
      "warning unquoted 4:36 {{ .Values.a }} is not quoted",
    ],
    [
      "a function with random results",
      { config: config(printing('"{{ randAlpha 5 }}"')) },
      "warning not_repeatable 4:37 The function randAlpha returns a different value each time",
    ],
    [
      "a branch that no pod takes",
      { config: config("{{ if .Values.never }}a: b{{ end }}") },
      "info branch_never_taken 3:3 No test pod takes this branch: if .Values.never.",
    ],
    [
      "a template that is not for pods",
      { config: config("{{ .GatewayClass }}{{ .UID }}{{ .DeploymentName }}") },
      "info not_for_pods",
    ],
    [
      "an unknown function in a legacy config",
      { config: "policy: enabled\ntemplate: |\n  [[ .Nope ]] [[ upper `x` ]]\n" },
      'error unknown_function 3:18 Function "upper" is not defined.',
    ],
    [
      "an unknown field in a legacy config",
      { config: "policy: enabled\ntemplate: |\n  a: [[ .ObjectMeta.Nope ]]\n" },
      "error unknown_field 3:20 Field Nope does not exist in ObjectMeta",
    ],
  ];
  for (const [what, request, finding] of cases) {
    test(what, () => {
      const found = run(request).findings.map(shown);
      expect(found.filter((text) => text.includes(finding)).length, found.join("\n"))
        .toBeGreaterThan(0);
    });
  }
});

describe("lint() accepts", () => {
  const cases: [what: string, template: string, values: string][] = [
    [
      "a key that is checked first",
      printing('"{{ if .Values.a }}{{ .Values.a.b }}{{ end }}"'),
      "{}",
    ],
    ["a key under with", printing('"{{ with .Values.a }}{{ .b }}{{ end }}"'), "{}"],
    ["a key with a default", printing('"{{ .Values.a | default `x` }}"'), "{}"],
    ["a key behind and", printing('"{{ if and .Values.a .Values.a.b }}{{ end }}"'), "{}"],
    ["values in quotes", printing("{{ .Values.a | quote }}"), "a: b"],
    [
      "methods of the mesh config",
      printing('"{{ .ProxyConfig.GetTracing.GetZipkin.GetAddress }}"'),
      "{}",
    ],
    ["quoted annotations", printing("{{ annotation .ObjectMeta `x` `` | quote }}"), "{}"],
  ];
  for (const [what, template, values] of cases) {
    test(what, () => {
      const { findings } = run({ config: config(template), values });
      expect(findings.filter(({ severity }) => severity !== "info").map(shown)).toEqual([]);
    });
  }
});

describe("lint()", () => {
  test("reports the position and the line in the file", () => {
    const text = "policy: enabled\ntemplates:\n  sidecar: |\n    a: b\n    c: {{ .Nope }}\n";
    const [finding] = run({ config: text, files: { config: "c.yaml" } }).findings;
    expect(finding).toMatchObject({
      file: "c.yaml",
      line: 5,
      column: 11,
      sourceLine: "    c: {{ .Nope }}",
      template: "sidecar",
    });
  });

  test("accepts a single template", () => {
    const { findings } = run({ config: "a: b\nc: {{ .Nope }}\n" });
    expect(findings[0]).toMatchObject({ id: "unknown_field", line: 2, column: 7 });
  });

  test("counts lines and branches that ran", () => {
    const template = `metadata:
  annotations:
    {{- if .Values.flag }}
    a: "1"
    {{- else }}
    b: "1"
    {{- end }}
    {{- if isset .ObjectMeta.Annotations "x" }}
    x: "1"
    {{- end }}
`;
    const { coverage, tried } = run({ config: config(template), values: "flag: true" });
    expect(coverage).toEqual([{
      template: "sidecar",
      lines: { total: 7, covered: 6 },
      branches: { total: 4, taken: 3 },
      untaken: [{ text: "else of if .Values.flag", offset: 36, line: 3, taken: false }],
    }]);
    expect(tried).toBeGreaterThan(20);
  });

  test("finds no problem in the bundled config", () => {
    const { findings, coverage } = run(defaultConfig());
    expect(findings.filter(({ severity }) => severity !== "info").map(shown)).toEqual([]);
    expect(coverage.map(({ template }) => template)).toEqual(["gateway", "sidecar"]);
  });

  withShared("conformance", "lint of Istio's configs", () => {
    test("finds no error in Istio's own configs, current and legacy", () => {
      for (const [version, known] of [["head", []], ["1.7.8", []]] as const) {
        const root = `${CONFORMANCE}/${version}`;
        const settings = existsSync(`${root}/default.txt`)
          ? readFileSync(`${root}/default.txt`, "utf8").trim()
          : readFileSync(`${root}/cases/hello/case.json`, "utf8").match(/"settings": *"(\w+)"/)![1];
        const read = (file: string) => readFileSync(`${root}/settings/${settings}/${file}`, "utf8");
        const { findings } = run({
          config: read("config.yaml"),
          values: read("values.json"),
          mesh: read("mesh.yaml"),
        }, compatOf(version));
        expect(findings.filter(({ severity }) => severity === "error").map(shown)).toEqual([
          ...known,
        ]);
      }
    });
  });
});
