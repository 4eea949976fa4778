/**
 * The engine behind `inject`: from the files that flags name, as `istioctl kube-inject` takes them, and
 * for what no flag names, from what ships with the program.
 */

import { ConfigError, parseInjectionConfig, parseMeshConfig, parseValues } from "../config/mod.ts";
import { stringifyYaml } from "../data/yaml.ts";
import { sprigFunctions } from "../go/sprig/mod.ts";
import { TemplateError } from "../go/template/mod.ts";
import type { Host } from "../host/mod.ts";
import type { CompatVersion } from "../inject/compat.ts";
import { defaultConfig } from "../inject/default_config.ts";
import { createEngine, type Engine, type EngineSources } from "../inject/engine.ts";
import { createSprigHost } from "./_sprig_host.ts";
import { UsageError } from "./command.ts";

export interface EngineFlags {
  readonly injectConfigFile: string | undefined;
  readonly valuesFile: string | undefined;
  readonly meshConfigFile: string | undefined;
  readonly revision: string | undefined;
  readonly compat: string;
  readonly "native-sidecars": string | undefined;
  readonly "allow-env": readonly string[];
}

/** Variables that are settings of the injector itself, as they are istioctl's. */
const SETTINGS = ["COMPLIANCE_POLICY", "REWRITE_TCP_PROBES"];

export async function loadEngine(
  flags: EngineFlags,
  { host, warn }: { host: Host; warn: (message: string) => void },
): Promise<Engine> {
  // An installation without a revision of its own goes by "default", and its templates get none.
  const revision = flags.revision === undefined || flags.revision === "default"
    ? ""
    : flags.revision;
  const compat = compatVersion(flags.compat);
  const texts = await readTexts(flags, host);
  const readable = new Set([...SETTINGS, ...flags["allow-env"]]);
  const env = (name: string) => {
    if (name === "ENABLE_NATIVE_SIDECARS") return flags["native-sidecars"];
    return readable.has(name) ? host.env(name) : undefined;
  };
  const sprig = sprigFunctions(createSprigHost(host, { env }));
  try {
    return createEngine(sourcesOf(texts, revision), { sprig, revision, compat, env, warn });
  } catch (error) {
    throw blame(error, flags, texts);
  }
}

/** What the flags name; absent where they name nothing. */
interface Texts {
  readonly config?: string;
  readonly values?: string;
  readonly mesh?: string;
}

async function readTexts(flags: EngineFlags, host: Host): Promise<Texts> {
  const read = (path: string | undefined) => path === undefined ? undefined : host.readText(path);
  return {
    config: await read(flags.injectConfigFile),
    values: await read(flags.valuesFile),
    mesh: await read(flags.meshConfigFile),
  };
}

function sourcesOf({ config, values, mesh }: Texts, revision: string): EngineSources {
  if (config === undefined) {
    const shipped = defaultConfig({ values: withRevision(values ?? "", revision) });
    return { ...shipped, mesh: mesh ?? shipped.mesh };
  }
  // A config of another's comes with its own values; ours stand in where it does not.
  const shipped = defaultConfig({ values: withRevision("", revision) });
  return {
    config: asConfig(config),
    values: values ?? shipped.values,
    mesh: mesh ?? shipped.mesh,
  };
}

/** Values that look for the revision's control plane, unless they say themselves which it is. */
function withRevision(values: string, revision: string): string {
  if (revision === "") return values;
  const given = parseValues(values).untyped;
  return Object.hasOwn(given, "revision") ? values : stringifyYaml({ ...given, revision });
}

/** A text that holds no templates is a template itself. */
function asConfig(text: string): string {
  let config;
  try {
    config = parseInjectionConfig(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  if (config?.legacyTemplate !== undefined) {
    throw new Error(
      'it has one "template", as Istio had it before 1.9; what is read here has "templates"',
    );
  }
  const hasTemplates = config !== undefined && Object.keys(config.templates).length > 0;
  return hasTemplates ? text : stringifyYaml({ templates: { sidecar: text } });
}

/** The error with the file in front that it comes from. */
function blame(error: unknown, flags: EngineFlags, { config, values, mesh }: Texts): unknown {
  const inFile = (what: string, file: string, cause: Error) => {
    const excerpt = cause instanceof TemplateError ? cause.excerpt() : "";
    const message = `Cannot use ${what} ${JSON.stringify(file)}: ${cause.message}`;
    return new Error(excerpt === "" ? message : `${message}\n${excerpt}`, { cause });
  };
  const failing = (text: string | undefined, parse: (text: string) => unknown) => {
    if (text === undefined) return false;
    try {
      parse(text);
      return false;
    } catch {
      return true;
    }
  };
  if (!(error instanceof Error)) return error;
  if (failing(values, parseValues)) return inFile("values", flags.valuesFile!, error);
  if (failing(mesh, (text) => parseMeshConfig(text))) {
    return inFile("mesh config", flags.meshConfigFile!, error);
  }
  return config === undefined ? error : inFile("injection config", flags.injectConfigFile!, error);
}

/** The oldest version whose config has `templates`. */
const OLDEST = 10;

function compatVersion(text: string): CompatVersion {
  if (text === "today") return text;
  const minor = /^v?1\.(\d{1,3})(\.\d+)?$/.exec(text)?.[1];
  if (minor !== undefined && Number(minor) >= OLDEST) return Number(minor);
  throw new UsageError(
    `Flag --compat wants a version of Istio from 1.${OLDEST} on, as in 1.22, or today, ` +
      `got ${JSON.stringify(text)}. Run "outrigger help inject"`,
  );
}
