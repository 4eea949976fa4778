/**
 * Parses the injection config, the `config` key of the config map `istio-sidecar-injector`, into a frozen
 * value. Templates stay text: lib/inject compiles them.
 */
import { isMap } from "../data/map.ts";
import { ConfigError } from "./config_error.ts";
import { frozen } from "./_frozen.ts";
import { readYaml } from "./_read_yaml.ts";
import {
  decodeTyped,
  listOf,
  mapOf,
  STRING,
  type TypedShape,
  TypeMismatch,
} from "./_typed_json.ts";
import {
  compileLabelSelector,
  type LabelSelector,
  type LabelSelectorSpec,
  labelSelectorText,
} from "./label_selector.ts";

export interface InjectionConfig {
  /** `enabled` or `disabled`; any other value turns injection off. */
  readonly policy: string;
  /** Template texts by name. */
  readonly templates: Readonly<Record<string, string>>;
  readonly defaultTemplates: readonly string[];
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** The selectors that Kubernetes accepts; `warnings` reports the others. */
  readonly neverInjectSelector: readonly LabelSelector[];
  readonly alwaysInjectSelector: readonly LabelSelector[];
  readonly injectedAnnotations: Readonly<Record<string, string>>;
  /** The single template of Istio before 1.9, used if `templates` is absent. */
  readonly legacyTemplate?: string;
  /** Istio's warnings about this config, for the log. */
  readonly warnings: readonly string[];
}

/** The template used when a config sets no default. */
export const DEFAULT_TEMPLATE = "sidecar";

const SELECTOR: TypedShape = {
  kind: "struct",
  name: "v1.LabelSelector",
  fields: {
    matchLabels: mapOf(STRING),
    matchExpressions: listOf({
      kind: "struct",
      name: "v1.LabelSelectorRequirement",
      fields: {
        key: STRING,
        operator: { kind: "string", name: "v1.LabelSelectorOperator" },
        values: listOf(STRING),
      },
    }),
  },
};

const CONFIG: TypedShape = {
  kind: "struct",
  name: "inject.Config",
  fields: {
    policy: { kind: "string", name: "inject.InjectionPolicy" },
    defaultTemplates: listOf(STRING),
    templates: mapOf(STRING, "inject.RawTemplates"),
    aliases: mapOf(listOf(STRING)),
    neverInjectSelector: listOf(SELECTOR),
    alwaysInjectSelector: listOf(SELECTOR),
    injectedAnnotations: mapOf(STRING),
  },
};

interface Decoded {
  readonly policy: string;
  readonly defaultTemplates?: readonly string[];
  readonly templates?: Readonly<Record<string, string>>;
  readonly aliases?: Readonly<Record<string, readonly string[] | undefined>>;
  readonly neverInjectSelector?: readonly LabelSelectorSpec[];
  readonly alwaysInjectSelector?: readonly LabelSelectorSpec[];
  readonly injectedAnnotations?: Readonly<Record<string, string>>;
}

const NO_TEMPLATES = "injection templates are empty." +
  " This may be caused by using an injection template from an older version of Istio." +
  " Please ensure the template is correct; mismatch template versions can lead to unexpected" +
  " results, including pods not being injected.";

/**
 * Parses an injection config. Keys match case-insensitively and unknown keys are ignored. Throws a
 *
 * @example
 * ```ts
 * parseInjectionConfig("policy: enabled\ntemplates: {sidecar: ''}").defaultTemplates; // ["sidecar"]
 * ```
 */
export function parseInjectionConfig(text: string): InjectionConfig {
  if (latest?.text !== text) latest = { text, config: parse(text) };
  return latest.config;
}

/** Caches the last result: building an injector parses the same long text more than once. */
let latest: { readonly text: string; readonly config: InjectionConfig } | undefined;

function parse(text: string): InjectionConfig {
  const value = readYaml(text, {
    what: "injection config",
    original: (yaml) => failed(`error converting YAML to JSON: ${yaml}`),
  });
  const decoded = decode(value);
  const templates = decoded.templates ?? {};
  const warnings: string[] = [];
  const hasTemplates = Object.keys(templates).length > 0;
  const legacyTemplate = hasTemplates ? undefined : legacyTemplateOf(value);
  if (!hasTemplates && legacyTemplate === undefined) warnings.push(NO_TEMPLATES);
  const selectors = (name: string, specs: readonly LabelSelectorSpec[] = []) =>
    specs.flatMap((spec) => {
      try {
        return [compileLabelSelector(spec)];
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        warnings.push(
          `Invalid selector for ${name}: ${labelSelectorText(spec)} (${error.original})`,
        );
        return [];
      }
    });
  return frozen({
    policy: decoded.policy,
    templates,
    defaultTemplates: decoded.defaultTemplates?.length
      ? decoded.defaultTemplates
      : [DEFAULT_TEMPLATE],
    aliases: Object.fromEntries(
      Object.entries(decoded.aliases ?? {}).map(([name, names]) => [name, names ?? []]),
    ),
    neverInjectSelector: selectors("NeverInjectSelector", decoded.neverInjectSelector),
    alwaysInjectSelector: selectors("AlwaysInjectSelector", decoded.alwaysInjectSelector),
    injectedAnnotations: decoded.injectedAnnotations ?? {},
    ...(legacyTemplate === undefined ? {} : { legacyTemplate }),
    warnings,
  });
}

function decode(value: unknown): Decoded {
  try {
    return decodeTyped(CONFIG, value) as Decoded;
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    const key = error.path.length === 0 ? "it" : `key "${error.path.join(".")}"`;
    const wanted =
      { string: "a text", list: "a list", map: "a map", struct: "a map" }[error.wanted];
    throw new ConfigError(
      "bad_type",
      `Cannot read injection config: ${key} must hold ${wanted}, current type is ${error.given}`,
      {
        original: failed(`error unmarshaling JSON: while decoding JSON: ${error.message}`),
        cause: error,
      },
    );
  }
}

function failed(reason: string): string {
  return `failed to unmarshal injection template: ${reason}`;
}

function legacyTemplateOf(value: unknown): string | undefined {
  if (!isMap(value)) return undefined;
  const key = Object.keys(value).find((key) => key.toLowerCase() === "template");
  const template = key === undefined ? undefined : (value as Record<string, unknown>)[key];
  return typeof template === "string" ? template : undefined;
}
