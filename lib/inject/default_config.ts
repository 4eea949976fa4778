/**
 * Builds the default config from the templates, values and mesh config in `templates/`, which are part of
 * the executable, in the form of Istio's config maps.
 *
 * A values file for Istio may be merged over the shipped values. It has the same effect as in Istio's
 * charts: on values, and on the parts of the injection config and mesh config that the charts derive from
 * them.
 */
import gatewayTemplate from "../../templates/gateway.yaml" with { type: "text" };
import legacyText from "../../templates/legacy-1.1.yaml" with { type: "text" };
import meshText from "../../templates/mesh.yaml" with { type: "text" };
import sidecarTemplate from "../../templates/sidecar.yaml" with { type: "text" };
import valuesText from "../../templates/values.yaml" with { type: "text" };
import { parseValues } from "../config/mod.ts";
import { isMap } from "../data/map.ts";
import { parseYaml, stringifyYaml } from "../yaml/mod.ts";
import type { EngineSources } from "./engine.ts";

export interface DefaultConfigOptions {
  /** Values to merge over the shipped ones, as YAML or JSON. */
  readonly values?: string;
}

/**
 * Returns the three texts. Throws a ConfigError if the given values are invalid.
 *
 * @example
 * ```ts
 * createEngine(defaultConfig({ values: "global: { tag: 1.28.3 }" }), { sprig });
 * ```
 */
export function defaultConfig({ values: given = "" }: DefaultConfigOptions = {}): EngineSources {
  const values = layOver(parseYaml(valuesText), parseValues(given).untyped) as ShippedValues;
  return {
    config: stringifyYaml(configOf(values)),
    values: stringifyYaml(values),
    mesh: stringifyYaml(meshOf(values)),
  };
}

/** A sample config with a single `template`, to start from. */
export const LEGACY_CONFIG: string = legacyText;

/** The shipped values with their comments. */
export const COMMENTED_VALUES: string = valuesText;

/** The values from which charts derive config. The given values may have removed any of them. */
interface ShippedValues {
  readonly revision?: string;
  readonly meshConfig?: unknown;
  readonly global?: {
    readonly istioNamespace?: string;
    readonly meshID?: string;
    readonly proxy?: { readonly autoInject?: unknown };
  };
  readonly sidecarInjectorWebhook?: {
    readonly templates?: Readonly<Record<string, unknown>>;
    readonly [key: string]: unknown;
  };
}

function configOf({ global, sidecarInjectorWebhook = {} }: ShippedValues): unknown {
  const {
    templates = {},
    defaultTemplates,
    aliases,
    neverInjectSelector,
    alwaysInjectSelector,
    injectedAnnotations,
  } = sidecarInjectorWebhook;
  return {
    policy: global?.proxy?.autoInject,
    defaultTemplates,
    aliases,
    neverInjectSelector,
    alwaysInjectSelector,
    injectedAnnotations,
    templates: layOver({ sidecar: sidecarTemplate, gateway: gatewayTemplate }, templates),
  };
}

function meshOf({ revision, global = {}, meshConfig = {} }: ShippedValues): unknown {
  const { istioNamespace = "istio-system", meshID } = global;
  const istiod = revision ? `istiod-${revision}` : "istiod";
  const derived = {
    rootNamespace: istioNamespace,
    defaultConfig: {
      discoveryAddress: `${istiod}.${istioNamespace}.svc:15012`,
      ...(meshID ? { meshId: meshID } : {}),
    },
  };
  return layOver(layOver(parseYaml(meshText), derived), meshConfig);
}

/** Merges values as Helm does: maps merge, other values replace, and null removes a key. */
function layOver(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    if (value === null) merged.delete(key);
    else merged.set(key, layOver(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
