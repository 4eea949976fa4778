import { describe, expect, test } from "bun:test";
import { ConfigError } from "../../lib/config/config_error.ts";
import { type InjectionConfig, parseInjectionConfig } from "../../lib/config/injection_config.ts";
import { isFrozen, outcome } from "./_outcome.ts";

describe("parseInjectionConfig()", () => {
  const rows: [behaviour: string, text: string, want: Partial<InjectionConfig>][] = [
    ["reads the policy", "policy: enabled", { policy: "enabled" }],
    ["has no policy by default", "", { policy: "", templates: {}, aliases: {} }],
    ["falls back to the sidecar template", "templates: {a: x}", { defaultTemplates: ["sidecar"] }],
    ["takes an empty list for none", "defaultTemplates: []", { defaultTemplates: ["sidecar"] }],
    ["keeps default templates", "defaultTemplates: [a, b]", { defaultTemplates: ["a", "b"] }],
    ["reads aliases", "aliases: {a: [b, c], d: null}", { aliases: { a: ["b", "c"], d: [] } }],
    ["reads annotations", "injectedAnnotations: {a: b}", { injectedAnnotations: { a: "b" } }],
    ["matches keys in any letter case", "POLICY: enabled", { policy: "enabled" }],
    ["prefers the spelling that sorts last", "policy: b\nPolicy: A", { policy: "b" }],
    ["adds up maps of two spellings", "Templates: {a: x}\ntemplates: {b: z}", {
      templates: { a: "x", b: "z" },
    }],
    ["takes null for absent", "Policy: A\npolicy: null\ntemplates: null", {
      policy: "A",
      templates: {},
    }],
    ["turns scalars into text", "policy: yes\ntemplates: {a: 5, b: 1.5, c: null, 1: x}", {
      policy: "true",
      templates: { 1: "x", a: "5", b: "1.5", c: "" },
    }],
    ["prints floats with 32 bits", "policy: 123456789.125", { policy: "1.2345679e+08" }],
    ["ignores unknown keys", "policies: [x]\ntemplate2: {}", { policy: "" }],
    ["keeps a legacy template", "template: '[[ x ]]'", { legacyTemplate: "[[ x ]]", warnings: [] }],
    ["reads the first document only", "policy: a\n---\npolicy: b", { policy: "a" }],
  ];
  for (const [behaviour, text, want] of rows) {
    test(behaviour, () => expect(parseInjectionConfig(text)).toMatchObject(want));
  }

  test("drops a legacy template beside templates", () => {
    expect(parseInjectionConfig("template: x\ntemplates: {a: b}").legacyTemplate).toBeUndefined();
  });

  test("treats __proto__ as a name like any other", () => {
    const { templates } = parseInjectionConfig("templates: {__proto__: x, constructor: z}");
    expect(Object.entries(templates)).toEqual([["__proto__", "x"], ["constructor", "z"]]);
  });

  test("warns about missing templates", () => {
    const [warning] = parseInjectionConfig("policy: enabled").warnings;
    expect(warning).toStartWith("injection templates are empty. This may be caused by");
  });

  test("compiles selectors", () => {
    const { neverInjectSelector: [never], alwaysInjectSelector } = parseInjectionConfig(
      "neverInjectSelector: [{matchLabels: {a: 5}}, {}]\nalwaysInjectSelector: []",
    );
    expect(never.matches({ a: "5" })).toBe(true);
    expect(never.matches({})).toBe(false);
    expect(alwaysInjectSelector).toEqual([]);
  });

  test("skips selectors that Kubernetes rejects, with Istio's warning", () => {
    const config = parseInjectionConfig(
      "templates: {a: b}\nneverInjectSelector: [{matchExpressions: [{key: a, operator: Is, values: [b]}]}]",
    );
    expect(config.neverInjectSelector).toEqual([]);
    expect(config.warnings).toEqual([
      'Invalid selector for NeverInjectSelector: {map[] [{a Is [b]}]} ("Is" is not a valid label ' +
      "selector operator)",
    ]);
  });

  test("returns a frozen value", () => {
    const text = "templates: {a: b}\naliases: {a: [b]}\nneverInjectSelector: [{}]";
    expect(isFrozen(parseInjectionConfig(text))).toBe(true);
  });
});

describe("parseInjectionConfig() refuses", () => {
  const JSON_ERROR = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ";
  const field = "Go struct field ";
  const never = "LabelSelector.neverInjectSelector";
  const requirement = "LabelSelectorRequirement.neverInjectSelector.matchExpressions";
  const rows: [text: string, want: string][] = [
    ["5", `${JSON_ERROR}number into Go value of type inject.Config`],
    ["- a", `${JSON_ERROR}array into Go value of type inject.Config`],
    ["policy: [1]", `${JSON_ERROR}array into ${field}Config.policy of type inject.InjectionPolicy`],
    [
      "templates: x",
      `${JSON_ERROR}string into ${field}Config.templates of type inject.RawTemplates`,
    ],
    ["templates: {a: []}", `${JSON_ERROR}array into ${field}Config.templates of type string`],
    ["aliases: {a: b}", `${JSON_ERROR}string into ${field}Config.aliases of type []string`],
    [
      "defaultTemplates: a",
      `${JSON_ERROR}string into ${field}Config.defaultTemplates of type []string`,
    ],
    [
      "injectedAnnotations: {a: {}}",
      `${JSON_ERROR}object into ${field}Config.injectedAnnotations of type string`,
    ],
    [
      "neverInjectSelector: {}",
      `${JSON_ERROR}object into ${field}Config.neverInjectSelector of type []v1.LabelSelector`,
    ],
    [
      "neverInjectSelector: [true]",
      `${JSON_ERROR}bool into ${field}Config.neverInjectSelector of type v1.LabelSelector`,
    ],
    [
      "neverInjectSelector: [{matchLabels: [a]}]",
      `${JSON_ERROR}array into ${field}${never}.matchLabels of type map[string]string`,
    ],
    [
      "neverInjectSelector: [{matchExpressions: [{operator: []}]}]",
      `${JSON_ERROR}array into ${field}${requirement}.operator of type v1.LabelSelectorOperator`,
    ],
    ["a: [1", "error converting YAML to JSON: yaml: line 1: did not find expected ',' or ']'"],
    [
      "a: b: c",
      "error converting YAML to JSON: yaml: mapping values are not allowed in this context",
    ],
  ];
  for (const [text, want] of rows) {
    test(text, () => {
      expect(outcome(() => parseInjectionConfig(text)))
        .toBe(`error: failed to unmarshal injection template: ${want}`);
    });
  }

  test("with a message for operators too", () => {
    try {
      parseInjectionConfig("templates: x");
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      const { code, message } = error as ConfigError;
      expect(code).toBe("bad_type");
      expect(message).toBe(
        'Cannot read injection config: key "templates" must hold a map, current type is string',
      );
    }
  });
});
