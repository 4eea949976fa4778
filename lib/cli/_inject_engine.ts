/**
 * The injector behind `inject`: from the files that flags name, as `istioctl kube-inject` takes them; for
 * what no file is named, from the cluster that flags name, and without one from what ships with the program.
 */

import { ConfigError, parseInjectionConfig, parseMeshConfig, parseValues } from "../config/mod.ts";
import { stringifyYaml } from "../data/yaml.ts";
import { sprigFunctions } from "../go/sprig/mod.ts";
import { TemplateError } from "../go/template/mod.ts";
import type { Host } from "../host/mod.ts";
import { behavioursOf, type CompatVersion } from "../inject/compat.ts";
import { defaultConfig } from "../inject/default_config.ts";
import type { ClusterFacts, EngineSources } from "../inject/engine.ts";
import { createInjector, type Injector, type InjectorOptions } from "../inject/injector.ts";
import { type ClusterFlags, type InjectCluster, openCluster } from "./_inject_cluster.ts";
import { ISTIO_0_8 } from "../inject/legacy/compat.ts";
import { createSprigHost } from "../host/sprig_host.ts";
import { UsageError } from "./command.ts";

export interface InjectorFlags extends ClusterFlags {
  readonly injectConfigFile: string | undefined;
  readonly valuesFile: string | undefined;
  readonly meshConfigFile: string | undefined;
  readonly revision: string | undefined;
  readonly compat: string;
  readonly "native-sidecars": string | undefined;
  readonly "left-delim": string | undefined;
  readonly "right-delim": string | undefined;
  readonly "allow-env": readonly string[];
}

/** Variables that are settings of the injector itself, as they are istioctl's. */
const SETTINGS = ["COMPLIANCE_POLICY", "REWRITE_TCP_PROBES"];

export interface LoadedInjector {
  readonly injector: Injector;
  /** Absent without a cluster. */
  readonly cluster?: Pick<ClusterFacts, "nodes">;
}

/** What an injector is made of. */
export interface LoadedSources {
  readonly sources: EngineSources;
  readonly options: InjectorOptions;
  /** Where each text is from, for people. */
  readonly origins: Readonly<Record<keyof EngineSources, string>>;
  /** Absent without a cluster. */
  readonly cluster?: Pick<ClusterFacts, "nodes">;
  /** An error of making the injector, with the text that it is about in front. */
  blame(error: unknown): unknown;
}

interface LoadOptions {
  readonly host: Host;
  readonly warn: (message: string) => void;
  /** Whether a cluster is asked; if absent, where a flag names one. */
  readonly usesCluster?: boolean;
}

export function buildInjector(loaded: LoadedSources): LoadedInjector {
  try {
    const injector = createInjector(loaded.sources, loaded.options);
    return { injector, cluster: loaded.cluster };
  } catch (error) {
    throw loaded.blame(error);
  }
}

export async function loadSources(
  flags: InjectorFlags,
  { host, warn, usesCluster }: LoadOptions,
): Promise<LoadedSources> {
  // An installation without a revision of its own goes by "default", and its templates get none.
  const revision = flags.revision === undefined || flags.revision === "default"
    ? ""
    : flags.revision;
  const compat = compatVersion(flags.compat);
  const cluster = await openCluster(flags, { host, revision, isWanted: usesCluster });
  try {
    const texts = await readTexts(flags, { host, cluster });
    const blame = (error: unknown) => blameText(error, texts);
    const env = readableEnv(flags, host);
    const sprig = sprigFunctions(createSprigHost(host, { env }));
    if (texts.config === undefined && compat !== "today") {
      throw new UsageError(
        "Flag --compat goes with a config of that version: the templates that ship are of today",
      );
    }
    const { sources, isLegacy } = orElse(() => sourcesOf(texts, revision), blame);
    if (!isLegacy && compat !== "today" && compat < OLDEST) {
      throw new UsageError(
        `Flag --compat wants 1.${OLDEST} or later for a config with "templates", got ${flags.compat}`,
      );
    }
    const { "left-delim": leftDelim, "right-delim": rightDelim } = flags;
    const asks = asksNodes({ isLegacy, compat, setting: flags["native-sidecars"] });
    return {
      sources,
      options: { sprig, revision, compat, env, warn, leftDelim, rightDelim },
      origins: {
        config: originOf(texts.config),
        values: originOf(texts.values),
        mesh: originOf(texts.mesh),
      },
      ...(cluster ? { cluster: asks ? { nodes: await cluster.nodes(warn) } : {} } : {}),
      blame,
    };
  } finally {
    cluster?.close();
  }
}

function orElse<T>(work: () => T, blame: (error: unknown) => unknown): T {
  try {
    return work();
  } catch (error) {
    throw blame(error);
  }
}

function originOf(text: Text | undefined): string {
  return text?.origin.replace(/^of /, "") ?? "what ships with outrigger";
}

function readableEnv(flags: InjectorFlags, host: Host): (name: string) => string | undefined {
  const readable = new Set([...SETTINGS, ...flags["allow-env"]]);
  return (name) => {
    if (name === "ENABLE_NATIVE_SIDECARS") return flags["native-sidecars"];
    return readable.has(name) ? host.env(name) : undefined;
  };
}

/** Whether it is left to the nodes what kind of sidecars there are. */
function asksNodes(
  { isLegacy, compat, setting }: {
    isLegacy: boolean;
    compat: CompatVersion;
    setting: string | undefined;
  },
): boolean {
  return !isLegacy && behavioursOf(compat).nativeAuto && (!setting || setting === "auto");
}

/** A text, and where it is from, for errors. */
interface Text {
  readonly text: string;
  /** As in `"config.yaml"` or `of ConfigMap "istio-system/istio"`. */
  readonly origin: string;
  /** Of a file of the user's, which may be a bare template. */
  readonly isFile: boolean;
}

/** What flags name; absent where that is nothing. */
interface Texts {
  readonly config?: Text;
  readonly values?: Text;
  readonly mesh?: Text;
}

async function readTexts(
  flags: InjectorFlags,
  { host, cluster }: { host: Host; cluster: InjectCluster | undefined },
): Promise<Texts> {
  const read = async (
    path: string | undefined,
    other: (() => Promise<Omit<Text, "isFile">>) | undefined,
  ): Promise<Text | undefined> => {
    if (path !== undefined) {
      return { text: await host.readText(path), origin: JSON.stringify(path), isFile: true };
    }
    return other && { ...await other(), isFile: false };
  };
  return {
    config: await read(flags.injectConfigFile, cluster && (() => cluster.injection("config"))),
    values: await read(flags.valuesFile, cluster && (() => cluster.injection("values"))),
    mesh: await read(flags.meshConfigFile, cluster && (() => cluster.mesh())),
  };
}

function sourcesOf(
  { config, values, mesh }: Texts,
  revision: string,
): { sources: EngineSources; isLegacy: boolean } {
  if (config === undefined) {
    const shipped = defaultConfig({ values: withRevision(values?.text ?? "", revision) });
    return { sources: { ...shipped, mesh: mesh?.text ?? shipped.mesh }, isLegacy: false };
  }
  const { text, isLegacy } = asConfig(config);
  // The old era has defaults of its own for what is not given.
  if (isLegacy) {
    const sources = { config: text, values: values?.text ?? "", mesh: mesh?.text ?? "" };
    return { sources, isLegacy };
  }
  // A config of another's comes with its own values; ours stand in where it does not.
  const shipped = defaultConfig({ values: withRevision("", revision) });
  const sources = {
    config: text,
    values: values?.text ?? shipped.values,
    mesh: mesh?.text ?? shipped.mesh,
  };
  return { sources, isLegacy };
}

/** Values that look for the revision's control plane, unless they say themselves which it is. */
function withRevision(values: string, revision: string): string {
  if (revision === "") return values;
  const given = parseValues(values).untyped;
  return Object.hasOwn(given, "revision") ? values : stringifyYaml({ ...given, revision });
}

/** The text of a file that holds no templates is a template itself. */
function asConfig({ text, isFile }: Text): { text: string; isLegacy: boolean } {
  let config;
  try {
    config = parseInjectionConfig(text);
  } catch (error) {
    if (!(error instanceof ConfigError && isFile)) throw error;
  }
  const isLegacy = config?.legacyTemplate !== undefined;
  const hasTemplates = config !== undefined && Object.keys(config.templates).length > 0;
  if (isLegacy || hasTemplates || !isFile) return { text, isLegacy };
  return { text: stringifyYaml({ templates: { sidecar: text } }), isLegacy };
}

/** The error with what it comes from in front. */
function blameText(error: unknown, { config, values, mesh }: Texts): unknown {
  const inText = (what: string, { origin }: Text, cause: Error) => {
    const excerpt = cause instanceof TemplateError ? cause.excerpt() : "";
    const message = `Cannot use ${what} ${origin}: ${cause.message}`;
    return new Error(excerpt === "" ? message : `${message}\n${excerpt}`, { cause });
  };
  const failing = (
    text: Text | undefined,
    parse: (text: string) => unknown,
  ): text is Text => {
    if (text === undefined) return false;
    try {
      parse(text.text);
      return false;
    } catch {
      return true;
    }
  };
  if (!(error instanceof Error)) return error;
  if (failing(values, parseValues)) return inText("values", values, error);
  if (failing(mesh, (text) => parseMeshConfig(text))) return inText("mesh config", mesh, error);
  return config === undefined ? error : inText("injection config", config, error);
}

/** The oldest version whose config has `templates`. */
const OLDEST = 10;

export function compatVersion(text: string, command = "inject"): CompatVersion {
  if (text === "today") return text;
  if (text === "0.8") return ISTIO_0_8;
  const minor = /^v?1\.(\d{1,3})(\.\d+)?$/.exec(text)?.[1];
  if (minor !== undefined) return Number(minor);
  throw new UsageError(
    `Flag --compat wants a version of Istio, as in 1.22 or 0.8, or today, ` +
      `got ${JSON.stringify(text)}. Run "outrigger help ${command}"`,
  );
}
