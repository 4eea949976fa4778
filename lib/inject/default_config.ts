/**
 * What the injector runs with where it is given no config: the templates, values and mesh config of
 * `templates/`, as the texts that Istio's config maps hold. They are part of the executable.
 *
 * A values file for Istio may be laid over ours. It then says what it says in Istio's charts: values,
 * and the parts of injection config and mesh config that the charts make of them.
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
  /** Text of values to lay over ours, YAML or JSON. */
  readonly values?: string;
}

/**
 * The three texts. Throws a ConfigError where the values given are none.
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

/** A config of the `template:` era, for those who start from one. */
export const LEGACY_CONFIG: string = legacyText;

/** The values as they ship, with what each is for. */
export const COMMENTED_VALUES: string = valuesText;

/** The values that charts make config of; whoever laid others over may have taken any away. */
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

/** As Helm does it: maps are merged, everything else replaced, and a null takes the key away. */
function layOver(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    if (value === null) merged.delete(key);
    else merged.set(key, layOver(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
