/**
 * Loads the texts and settings of an injector for commands: from the files that flags name, as `istioctl
 * kube-inject` does, and otherwise from the cluster that flags select.
 */

import { parseInjectionConfig, parseMeshConfig, parseValues } from "../config/mod.ts";
import { compatFlag } from "../flags/mod.ts";
import { sprigFunctions } from "../go/sprig/mod.ts";
import { TemplateError } from "../go/template/mod.ts";
import { createSprigHost, type Host } from "../host/mod.ts";
import {
  behavioursOf,
  type ClusterFacts,
  type CompatVersion,
  configAround,
  effectiveSources,
  type EngineSources,
  type GivenSources,
  type InjectorSettings,
  isBareTemplate,
  NATIVE_VARIABLE,
  SettingError,
  type StructureGuard,
} from "../inject/mod.ts";
import { type ClusterFlags, type InjectCluster, openCluster } from "./_inject_cluster.ts";

export interface InjectorFlags extends ClusterFlags {
  readonly injectConfigFile: string | undefined;
  readonly valuesFile: string | undefined;
  readonly meshConfigFile: string | undefined;
  readonly revision: string | undefined;
  readonly compat: string;
  readonly "native-sidecars": string | undefined;
  readonly "structure-guard": StructureGuard;
  readonly "left-delim": string | undefined;
  readonly "right-delim": string | undefined;
  readonly "allow-env": readonly string[];
}

/** The environment variables that configure the injector, as in istioctl. */
const SETTINGS = ["COMPLIANCE_POLICY", "REWRITE_TCP_PROBES"];

/** The loaded texts and settings of an injector. */
export interface LoadedSources {
  readonly sources: EngineSources;
  readonly settings: InjectorSettings;
  /** The origin of each text, for display. */
  readonly origins: Readonly<Record<keyof EngineSources, string>>;
  /** Facts about the cluster; absent without one. */
  readonly cluster?: Pick<ClusterFacts, "nodes">;
  /** Calls `build`, and prefixes an error with the text that caused it. */
  blamed<T>(build: () => T): T;
}

interface LoadOptions {
  readonly host: Host;
  readonly warn: (message: string) => void;
  /** The name of the command, for errors. */
  readonly command: string;
  /** Whether to use a cluster. By default, if a flag selects one. */
  readonly usesCluster?: boolean;
}

export async function loadSources(
  flags: InjectorFlags,
  { host, warn, command, usesCluster }: LoadOptions,
): Promise<LoadedSources> {
  const { revision = "", "left-delim": leftDelim, "right-delim": rightDelim } = flags;
  const compat = compatFlag(command, flags.compat);
  const cluster = await openCluster(flags, {
    host,
    // The config maps of the revision "default" have no suffix.
    revision: revision === "default" ? "" : revision,
    isWanted: usesCluster,
  });
  try {
    const texts = await readTexts(flags, { host, cluster });
    const blamed = <T>(build: () => T): T => {
      try {
        return build();
      } catch (error) {
        throw blameText(error, texts);
      }
    };
    const sources = blamed(() => effectiveSources(givenTexts(texts), { revision, compat }));
    const setting = flags["native-sidecars"];
    const env = (name: string) => host.env(name);
    return {
      sources,
      settings: {
        sprig: sprigFunctions(createSprigHost(host, { env })),
        ...{ revision, compat, env, warn, leftDelim, rightDelim },
        structureGuard: flags["structure-guard"],
        allowEnv: [...SETTINGS, ...flags["allow-env"]],
        variables: setting === undefined ? {} : { [NATIVE_VARIABLE]: setting },
      },
      origins: {
        config: originOf(texts.config, "config"),
        values: originOf(texts.values, "values"),
        mesh: originOf(texts.mesh, "mesh config"),
      },
      ...(cluster
        ? {
          cluster: asksNodes({ sources, compat, setting })
            ? { nodes: await cluster.nodes(warn) }
            : {},
        }
        : {}),
      blamed,
    };
  } finally {
    cluster?.close();
  }
}

/** Converts the texts for an injector. A file may contain one bare template. */
function givenTexts({ config, values, mesh }: Texts): GivenSources {
  const isBare = config?.isFile && isBareTemplate(config.text);
  return {
    config: config && (isBare ? configAround(config.text) : config.text),
    values: values?.text,
    mesh: mesh?.text,
  };
}

function originOf(text: Text | undefined, what: string): string {
  return text?.origin.replace(/^of /, "") ?? `the built-in ${what}`;
}

/** Reports whether the nodes decide if sidecars are native. */
function asksNodes(
  { sources, compat, setting }: {
    sources: EngineSources;
    compat: CompatVersion;
    setting: string | undefined;
  },
): boolean {
  const isLegacy = parseInjectionConfig(sources.config).legacyTemplate !== undefined;
  return !isLegacy && behavioursOf(compat).nativeAuto && (!setting || setting === "auto");
}

/** A text and its origin, for errors. */
interface Text {
  readonly text: string;
  /** The origin, such as `"config.yaml"` or `of ConfigMap "istio-system/istio"`. */
  readonly origin: string;
  /** Whether the text comes from a file, which may be a bare template. */
  readonly isFile: boolean;
}

/** The texts that flags name; absent if no flag does. */
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

/** Prefixes an error with the text that caused it. */
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
  if (!(error instanceof Error) || error instanceof SettingError) return error;
  if (failing(values, parseValues)) return inText("values", values, error);
  if (failing(mesh, (text) => parseMeshConfig(text))) return inText("mesh config", mesh, error);
  return config === undefined ? error : inText("injection config", config, error);
}
