/**
 * The texts that an injector is made of: those given, and what ships with the program in place of the
 * others. Also their version, and what counts as a bare template.
 */
import { ConfigError, parseInjectionConfig, parseValues } from "../config/mod.ts";
import { stringifyYaml } from "../yaml/mod.ts";
import type { FunctionMap } from "../go/value.ts";
import { type CompatVersion, refuseCompat, refuseOldEmbedded } from "./compat.ts";
import { defaultConfig } from "./default_config.ts";
import type { EngineSources } from "./engine.ts";

/** Texts as a caller has them. */
export interface GivenSources {
  /** The injection config. Absent: the one that ships with the program. */
  readonly config?: string;
  /** Laid over the values that ship where `config` is absent; absent, those that ship are used as they are. */
  readonly values?: string;
  /** Absent: the mesh config that ships. */
  readonly mesh?: string;
}

export interface SourcesOptions {
  readonly revision?: string;
  readonly compat?: CompatVersion;
}

/** The oldest version whose config has `templates`. */
const FIRST_MODERN = 10;

/**
 * Completes the texts. Texts that are complete come back as they are. Throws a ConfigError where a text
 * cannot be read, and a SettingError where the config is of another era than `compat`.
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
  // Injectors of the old era have defaults of their own.
  if (isLegacyConfig(config)) return { config, values: values ?? "", mesh: mesh ?? "" };
  if (compat !== "today" && compat < FIRST_MODERN) {
    refuseCompat(compat, `a config with "templates" is of 1.${FIRST_MODERN} or later`);
  }
  if (values !== undefined && mesh !== undefined) return { config, values, mesh };
  const all = shipped();
  return { config, values: values ?? all.values, mesh: mesh ?? all.mesh };
}

function isLegacyConfig(config: string): boolean {
  return parseInjectionConfig(config).legacyTemplate !== undefined;
}

/**
 * Values that look for the revision's control plane, unless they name one themselves. An installation
 * without a revision goes by "default".
 */
function withRevision(values: string, revision: string): string {
  if (revision === "" || revision === "default") return values;
  const given = parseValues(values).untyped;
  return Object.hasOwn(given, "revision") ? values : stringifyYaml({ ...given, revision });
}

/** Digits of a version: as many as name a commit or an image. */
const VERSION_DIGITS = 12;

/** The version of a configuration: the same texts have the same one in a server and on a desk. */
export function configVersion(
  { config, values, mesh }: EngineSources,
  { sprig }: { readonly sprig: FunctionMap },
): string {
  // This room has no cryptography of its own; sprig's comes from the host.
  const hash = sprig.sha256sum.call(JSON.stringify([config, values, mesh])) as string;
  return hash.slice(0, VERSION_DIGITS);
}

/** A key of an injection config in the first column. No pod and no template has it there. */
const CONFIG_KEY =
  /^["']?(?:templates?|policy|defaultTemplates|aliases|(?:never|always)InjectSelector)["']?\s*:/im;

/** Reports whether a text is one template, and not an injection config. */
export function isBareTemplate(text: string): boolean {
  if (CONFIG_KEY.test(text)) return false;
  try {
    const { templates, legacyTemplate } = parseInjectionConfig(text);
    return legacyTemplate === undefined && Object.keys(templates).length === 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // JSON that cannot be read is a config with a mistake in it; actions begin with two braces.
    return !/^\s*\{(?!\{)/.test(text);
  }
}

/** The config around one bare template: the template `sidecar`, for every pod. */
export function configAround(template: string): string {
  return stringifyYaml({ policy: "enabled", templates: { sidecar: template } });
}
