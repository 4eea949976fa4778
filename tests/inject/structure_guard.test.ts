import { describe, expect, test } from "bun:test";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { InjectionError } from "../../lib/inject/errors.ts";
import { createInjector, type InjectorSettings } from "../../lib/inject/injector.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const sprig = sprigFunctions(testSprigHost());
const EVIL = "x\nspec:\n  hostPID: true\n#";

function injectorOf(template: string, options: Partial<InjectorSettings> = {}) {
  const config = JSON.stringify({
    policy: "enabled",
    defaultTemplates: ["t"],
    templates: { t: template },
  });
  return createInjector({ config, values: "x: [1, 2]", mesh: "" }, { sprig, ...options });
}

function podWith(annotation: string) {
  return {
    metadata: { name: "p", namespace: "d", annotations: { a: annotation }, labels: {} },
    spec: { containers: [{ name: "c" }] },
  };
}

/** Injects a pod with the annotation `a`; returns the pod, or the code and message of its denial. */
function outcome(template: string, annotation: string, options?: Partial<InjectorSettings>) {
  const pod = podWith(annotation);
  try {
    const request = { object: pod, namespace: "d", proxyEnv: {} };
    const { patch } = injectorOf(template, options).admit(request);
    return { pod: applyPatch(pod, patch!) as ReturnType<typeof podWith> & { spec: object } };
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    return { code: error.code, message: error.message };
  }
}

const A = "{{ .ObjectMeta.Annotations.a }}";
const label = (action: string) => `metadata:\n  labels:\n    l: ${action}\n`;

describe("guardStructure() denies a value that leaves its scalar", () => {
  for (
    const [name, template, value] of [
      ["by a line break", label(A), EVIL],
      [
        "by the end of a flow map",
        `metadata: {labels: {l: ${A} }}`,
        "x}}\nspec: {hostPID: true} #",
      ],
      ["as nothing in a flow list", `spec: {x: [{y: [${A}]}]}`, ""],
      ["as blanks in a flow list", `spec: {x: [{y: [${A}]}]}`, " "],
      ["by leaving no document", A, "# x"],
      ["as another spelling of a key", `metadata:\n  labels:\n    1: s\n    ${A}: x\n`, "0x1"],
      ["as the key beside it", `metadata:\n  labels:\n    k${A}: x\n    k: safe\n`, ""],
      ["as a merge key", `metadata:\n  labels:\n    ${A}: {x: y}\n`, "<<"],
      ["as a directive of the merge", `metadata:\n  labels:\n    ${A}: delete\n`, "$patch"],
      [
        "as a directive in a structure",
        "spec:\n  volumes:\n  - {{ toYaml (fromJSON .ObjectMeta.Annotations.a) | indent 4 }}\n",
        '{"name": "x", "$patch": "replace"}',
      ],
      ["as an alias", `metadata:\n  labels:\n    k: &x safe\n    l: ${A}\n`, "*x"],
      ["as a tag", label(A), "!!binary eA=="],
      ["as an anchor", label(A), "&x y"],
      ["as the end of the document", label(A) + "spec: {x: y}\n", "x\n---\n"],
      ["out of a comment", `# ${A}\n${label("x")}`, "\nspec: {hostPID: true}"],
      ["out of a block scalar", label(`|\n      ${A}`), "x\u0085spec: {hostPID: true}"],
      ["out of single quotes", label(`'${A}'`), "x'\nspec: {hostPID: true} #"],
      ["by way of a variable", `{{ $x := .ObjectMeta.Annotations.a }}${label("{{ $x }}")}`, EVIL],
      [
        "by way of a variable that is set later",
        `{{ $x := "" }}{{ range list 1 2 }}{{ if eq . 2 }}${label("{{ $x }}")}{{ end }}` +
        "{{ $x = $.ObjectMeta.Annotations.a }}{{ end }}",
        EVIL,
      ],
      [
        "by way of a range's variable",
        `{{ range $i, $v := .Values.x }}{{ if eq $i 1 }}{{ $v = $.ObjectMeta.Annotations.a }}${
          label("{{ $v }}")
        }{{ end }}{{ end }}`,
        EVIL,
      ],
      [
        "by way of a variable that a range sets",
        `{{ $v := .Values.x }}{{ range $v = .ObjectMeta.Annotations }}{{ end }}${
          label("{{ $v }}")
        }`,
        EVIL,
      ],
      ["by way of with", `{{ with .ObjectMeta.Annotations.a }}${label("{{ . }}")}{{ end }}`, EVIL],
      [
        "by way of another template",
        `{{ define "n" }}${label("{{ . }}")}{{ end }}{{ template "n" .ObjectMeta.Annotations.a }}`,
        EVIL,
      ],
      [
        "by way of a map that names it as the values",
        `{{ $d := dict "Values" . }}${label("{{ (index $d `Values`).ObjectMeta.Annotations.a }}")}`,
        EVIL,
      ],
      [
        "by way of a template's data that names it as the values",
        `{{ define "n" }}{{ with .Values.ObjectMeta }}${label("{{ .Annotations.a }}")}{{ end }}` +
        '{{ end }}{{ template "n" (dict "Values" .) }}{{ if false }}{{ template "n" . }}{{ end }}',
        EVIL,
      ],
      [
        "by way of the values",
        `{{ $_ := set .Values "y" .ObjectMeta.Annotations.a }}${label("{{ .Values.y }}")}`,
        EVIL,
      ],
      ["by way of printf", label('{{ printf "%s" .ObjectMeta.Annotations.a }}'), EVIL],
      ["by way of annotation", label("{{ annotation .ObjectMeta `a` `` }}"), EVIL],
      [
        "by choosing the indentation of a structure",
        "metadata:\n  labels:\n{{ toYaml .ObjectMeta.Annotations | indent (atoi .ObjectMeta.Annotations.a) }}\n",
        "0",
      ],
    ] as const
  ) {
    test(name, () => {
      expect(outcome(template, value, { structureGuard: "off" })).not.toEqual({});
      expect(outcome(template, value)).toMatchObject({ code: "structure" });
    });
  }
});

describe("guardStructure() keeps", () => {
  for (
    const [name, template, value, labels] of [
      ["a plain value", label(A), "fine", { l: "fine" }],
      ["a value with blanks", label(A), "a b", { l: "a b" }],
      ["a folded value", label(A), "a\n      b", { l: "a b" }],
      ["a quoted value", label("{{ quote .ObjectMeta.Annotations.a }}"), EVIL, { l: EVIL }],
      ["a key", `metadata:\n  labels:\n    ${A}: x\n`, "a b", { "a b": "x" }],
      [
        "a structure's own keys",
        "metadata:\n  labels:\n    {{ toYaml .ObjectMeta.Annotations | indent 4 }}\n",
        EVIL,
        { a: EVIL },
      ],
      ["JSON", "metadata:\n  labels: {{ toJSON .ObjectMeta.Annotations }}\n", EVIL, { a: EVIL }],
    ] as const
  ) {
    test(name, () => {
      expect(outcome(template, value)).toMatchObject({ pod: { metadata: { labels } } });
    });
  }
});

test("the denial names the annotation, the template's line and the fix", () => {
  expect(outcome(label("{{ index .ObjectMeta.Annotations `a` }}"), EVIL).message).toBe(
    'failed to run injection template: annotation "a" changes the structure of the YAML that template "t" renders ' +
      "at line 3, {{index .ObjectMeta.Annotations `a`}}: the value may only change the text it stands in; " +
      'change the value, or let the template quote it (| quote, in old templates | printf "%q")',
  );
});
