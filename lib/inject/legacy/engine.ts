/**
 * Builds the engine for configs with a single `template`: config, values and mesh config prepared for any
 * number of pods, with the rules of the version that the template was written for.
 */
import {
  ConfigError,
  type InjectionConfig,
  type MeshConfig,
  parseValues,
  type Values,
} from "../../config/mod.ts";
import type { MeshSchema } from "../../config/mesh_schema.ts";
import { parseYaml, YamlError } from "../../yaml/mod.ts";
import { parseGoBool } from "../_go_bool.ts";
import type { EngineOptions, EngineSources } from "../engine.ts";
import type { GuardOptions } from "../structure_guard.ts";
import type { InjectionTrace } from "../trace.ts";
import {
  guessVersion,
  LAST_LEGACY,
  type LegacyBehaviours,
  legacyBehavioursOf,
  type LegacyVersion,
  versionText,
} from "./compat.ts";
import { legacyMeshDefaults, legacyMeshSchema, parseLegacyMesh } from "./mesh.ts";
import {
  compileLegacyTemplate,
  type Delimiters,
  delimitersOf,
  type LegacyTemplate,
} from "./template.ts";

export interface LegacyEngineOptions extends Omit<EngineOptions, "compat"> {
  /** Guessed from the template if absent. */
  readonly version?: LegacyVersion;
  /** Guessed from the template if absent. */
  readonly delimiters?: Partial<Delimiters>;
  /** The mesh config's defaults; if absent, those of the version. */
  readonly meshDefaults?: MeshConfig;
}

export interface LegacyEngine extends GuardOptions {
  readonly config: InjectionConfig;
  readonly template: LegacyTemplate;
  /** The SHA-256 of the template text, which identifies the template in an injected pod. */
  readonly templateHash: string;
  readonly values: Record<string, unknown>;
  /** Set only if the version's code reads values itself. */
  readonly typedValues?: Values["typed"];
  readonly meshDefaults: MeshConfig;
  readonly meshConfig: MeshConfig;
  readonly meshSchema: MeshSchema;
  readonly version: LegacyVersion;
  readonly behaviours: LegacyBehaviours;
  readonly revision: string;
  /** Whether volumes get group 1337, in versions where nothing else decides it. */
  readonly fsGroup: boolean;
  readonly trace?: InjectionTrace;
}

/** Builds an engine. Throws a ConfigError or TemplateError that names the bad source. */
export function createLegacyEngine(
  config: InjectionConfig,
  sources: Omit<EngineSources, "config">,
  options: LegacyEngineOptions,
): LegacyEngine {
  const { env = () => undefined, warn = () => {}, sprig, trace } = options;
  const text = config.legacyTemplate ?? "";
  const delimiters = { ...delimitersOf(text), ...options.delimiters };
  const version = options.version ?? guessed(text, { delimiters, warn });
  const behaviours = legacyBehavioursOf(version);
  const schema = legacyMeshSchema(version);
  const meshDefaults = options.meshDefaults ?? legacyMeshDefaults(version);
  // 0.8 had a subset of the functions of 1.0.
  const minor = Math.max(version, 0);
  const functions = { env, warn, minor, proxyDefaults: meshDefaults.defaultConfig };
  const values = behaviours.topology ? parseValues(sources.values) : undefined;
  return {
    config,
    template: compileLegacyTemplate(text, {
      delimiters,
      functions,
      sprig: behaviours.sprig ? sprig : undefined,
      trace: trace?.template?.(""),
    }),
    // This room has no cryptography; sprig's comes from the host.
    templateHash: sprig.sha256sum.call(text) as string,
    values: values?.untyped ?? readValues(sources.values),
    typedValues: values?.typed,
    meshDefaults,
    meshConfig: parseLegacyMesh(sources.mesh, { defaults: meshDefaults, schema }),
    meshSchema: schema,
    version,
    behaviours,
    revision: options.revision ?? "",
    fsGroup: parseGoBool(env("ENABLE_LEGACY_FSGROUP_INJECTION") ?? "") !== false,
    structureGuard: options.structureGuard ?? "deny",
    warn,
    ...(trace ? { trace } : {}),
  };
}

function guessed(
  template: string,
  { delimiters, warn }: { delimiters: Delimiters; warn: (message: string) => void },
): LegacyVersion {
  const version = guessVersion(template, delimiters);
  warn(
    `Injecting as Istio ${versionText(version)} did, guessed from the config's template; ` +
      `set a compat version up to ${versionText(LAST_LEGACY)} to choose another`,
  );
  return version;
}

/** Parses values of any shape, since only templates read them. */
function readValues(text: string): Record<string, unknown> {
  const failed = (reason: string, cause?: unknown) =>
    new ConfigError("bad_yaml", `Cannot read values: ${reason}`, {
      original: `could not parse configuration values: ${reason}`,
      cause,
    });
  let value: unknown;
  try {
    value = parseYaml(text) ?? {};
  } catch (error) {
    throw error instanceof YamlError ? failed(error.message, error) : error;
  }
  if (typeof value !== "object" || Array.isArray(value)) throw failed("values must be a map");
  return value as Record<string, unknown>;
}
