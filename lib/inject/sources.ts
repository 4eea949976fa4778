/**
 * Assembles the texts of an injector from the given ones and the shipped defaults. Also computes their
 * version, and detects bare templates.
 */
import { ConfigError, parseInjectionConfig, parseValues } from "../config/mod.ts";
import { stringifyYaml } from "../yaml/mod.ts";
import type { FunctionMap } from "../go/value.ts";
import { type CompatVersion, refuseCompat, refuseOldEmbedded } from "./compat.ts";
import { defaultConfig } from "./default_config.ts";
import type { EngineSources } from "./engine.ts";

/** The texts given by a caller. */
export interface GivenSources {
  /** The injection config; defaults to the shipped one. */
  readonly config?: string;
  /** The values. Without `config`, they are merged over the shipped values, which are also the default. */
  readonly values?: string;
  /** The mesh config; defaults to the shipped one. */
  readonly mesh?: string;
}

export interface SourcesOptions {
  readonly revision?: string;
  readonly compat?: CompatVersion;
}

/** The oldest version whose config has `templates`. */
const FIRST_MODERN = 10;

/**
 * Returns the complete texts; complete ones are returned unchanged. Throws a ConfigError if a text cannot
 * be read, and a SettingError if the config does not suit `compat`.
 *
 * @example
 * ```ts
 * effectiveSources({ values: "global: { tag: 1.28.3 }" }, { revision: "canary" });
 * ```
 */
export function effectiveSources(
  { config, values, mesh }: GivenSources,
  { revision = "", compat = "today" }: SourcesOptions = {},
): EngineSources {
  const shipped = (values = "") => defaultConfig({ values: withRevision(values, revision) });
  if (config === undefined) {
    refuseOldEmbedded(compat);
    const all = shipped(values);
    return { ...all, mesh: mesh || all.mesh };
  }
  // Legacy injectors have their own defaults.
  if (isLegacyConfig(config)) return { config, values: values ?? "", mesh: mesh ?? "" };
  if (compat !== "today" && compat < FIRST_MODERN) {
    refuseCompat(compat, `a config with "templates" is for 1.${FIRST_MODERN} or later`);
  }
  if (values !== undefined && mesh !== undefined) return { config, values, mesh };
  const all = shipped();
  return { config, values: values ?? all.values, mesh: mesh ?? all.mesh };
}

function isLegacyConfig(config: string): boolean {
  return parseInjectionConfig(config).legacyTemplate !== undefined;
}

/**
 * Returns values that use the revision's control plane, unless they name one. An installation without a
 * revision uses "default".
 */
function withRevision(values: string, revision: string): string {
  if (revision === "" || revision === "default") return values;
  const given = parseValues(values).untyped;
  return Object.hasOwn(given, "revision") ? values : stringifyYaml({ ...given, revision });
}

/** Digits of a version, as many as abbreviate a commit or an image. */
const VERSION_DIGITS = 12;

/** Returns the version of a configuration. Equal texts have equal versions on every machine. */
export function configVersion(
  { config, values, mesh }: EngineSources,
  { sprig }: { readonly sprig: FunctionMap },
): string {
  // This room has no cryptography; sprig's comes from the host.
  const hash = sprig.sha256sum.call(JSON.stringify([config, values, mesh])) as string;
  return hash.slice(0, VERSION_DIGITS);
}

/**
 * Matches a key of an injection config in the first column, which neither pods nor templates have there.
 */
const CONFIG_KEY =
  /^["']?(?:templates?|policy|defaultTemplates|aliases|(?:never|always)InjectSelector)["']?\s*:/im;

/** Reports whether a text is a single template rather than an injection config. */
export function isBareTemplate(text: string): boolean {
  if (CONFIG_KEY.test(text)) return false;
  try {
    const { templates, legacyTemplate } = parseInjectionConfig(text);
    return legacyTemplate === undefined && Object.keys(templates).length === 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // Invalid JSON is a config with a mistake; template actions start with two braces.
    return !/^\s*\{(?!\{)/.test(text);
  }
}

/** Returns a config with one bare template, named `sidecar`, for every pod. */
export function configAround(template: string): string {
  return stringifyYaml({ policy: "enabled", templates: { sidecar: template } });
}
