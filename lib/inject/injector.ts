/**
 * Builds injectors from texts and settings, for the server, every command and the page. Completes the
 * texts, selects the engine by the config (one with `template:` and no `templates:` is for Istio 0.8 to 1.8
 * and goes to `legacy/`), and does what both engines share.
 */
import { type InjectionConfig, parseInjectionConfig, parseValues } from "../config/mod.ts";
import { envFunctions } from "../go/sprig/env.ts";
import { injectSample } from "./_sample.ts";
import { type Admission, admit, type AdmitRequest } from "./admit.ts";
import type { CompatVersion } from "./compat.ts";
import { joinDocuments } from "./documents.ts";
import {
  type ClusterFacts,
  createEngine,
  type EngineOptions,
  type EngineSources,
} from "./engine.ts";
import {
  type InjectedDocument,
  kubeInjectDocuments,
  type KubeInjected,
  type KubeInjectOptions,
} from "./kube_inject.ts";
import { admitLegacy } from "./legacy/admit.ts";
import { LAST_LEGACY, type LegacyVersion, versionText } from "./legacy/compat.ts";
import { createLegacyEngine } from "./legacy/engine.ts";
import { kubeInjectLegacyDocuments } from "./legacy/kube_inject.ts";
import { CLUSTER_VARIABLE, TEMPLATES } from "./names.ts";
import type { Pod, StringMap } from "./pod.ts";
import { selectTemplates } from "./render.ts";
import { configVersion, effectiveSources, type GivenSources } from "./sources.ts";
import { stamped } from "./stamp.ts";
import { urlEnv } from "./url_env.ts";

export interface InjectorSettings extends EngineOptions {
  /** The delimiters of a `template:`, guessed from it if absent. Modern templates always use `{{ }}`. */
  readonly leftDelim?: string;
  readonly rightDelim?: string;
  /** Settings by istiod's variable names, such as `ENABLE_NATIVE_SIDECARS`. They override `env`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The variables of `env` that may be read; absent means all. */
  readonly allowEnv?: readonly string[];
  /** The name of the cluster; defaults to the one in the values, or `Kubernetes`. */
  readonly clusterId?: string;
  /** Marks pods injected by the webhook with the version of the configuration. */
  readonly stamp?: boolean;
  /** Accepts reviews in YAML, as Istio's first versions did. */
  readonly acceptYamlReviews?: boolean;
  /** Requires that a sample pod can be injected before an injector is returned. */
  readonly tried?: boolean;
}

/** An admission with the names of the templates that produced its patch. */
export interface TemplatedAdmission extends Admission {
  readonly templates?: readonly string[];
}

export type StreamOptions = Omit<KubeInjectOptions, "asWebhook">;

/** Config, values and mesh config prepared for any number of pods. */
export interface Injector {
  /** The complete texts that the injector uses. */
  readonly sources: EngineSources;
  /** The version of those texts. */
  readonly version: string;
  /** Whether the config has a single `template`, as for Istio 0.8 to 1.8. */
  readonly isLegacy: boolean;
  /** Whether a review must state its kind. */
  readonly kindRequired: boolean;
  /** Whether reviews may be YAML. */
  readonly acceptsYaml: boolean;
  /** Whether a GET may carry a review, as with Istio's old servers. */
  readonly acceptsGet: boolean;
  /** Whether a request's `privateName` is honoured, so that results can be reused for other pods. */
  readonly keepsNames: boolean;
  /** Logs a warning from an injection. */
  warn(message: string): void;
  /** Handles a webhook request. Throws an InjectionError where Istio denies the pod. */
  admit(request: AdmitRequest, cluster?: ClusterFacts): TemplatedAdmission;
  /** Returns the variables in the webhook's URL, to pass on with the request. */
  urlEnv(path: string): StringMap;
  /**
   * Injects a YAML stream as kube-inject. Pods come out as from the webhook, or with a compat version as
   * from istioctl. Throws a KubeInjectError for the first failure.
   */
  kubeInject(text: string, options?: StreamOptions): KubeInjected;
  /** Injects a stream one document at a time, so that callers get the documents before an error. */
  kubeInjectDocuments(text: string, options?: StreamOptions): Generator<InjectedDocument>;
}

/** The part of an injector that differs between the modern and the legacy engine. */
type EraInjector = Pick<
  Injector,
  "isLegacy" | "keepsNames" | "admit" | "urlEnv" | "kubeInjectDocuments"
>;

/** The default cluster name. */
const DEFAULT_CLUSTER = "Kubernetes";

/** The first version in which a review must state its kind. */
const KIND_REQUIRED_SINCE = 7;

/**
 * Builds an injector; to change its sources, build another. Throws a ConfigError or TemplateError that
 * names the bad source, a SettingError if the settings contradict the config, and an InjectionError if a
 * sample pod is required and cannot be injected.
 *
 * @example
 * ```ts
 * const injector = createInjector({ config, values, mesh }, { sprig });
 * injector.kubeInject("kind: Service\n").output; // "kind: Service\n---\n"
 * ```
 */
export function createInjector(given: GivenSources, settings: InjectorSettings): Injector {
  const sources = effectiveSources(given, settings);
  const { compat = "today", warn = () => {} } = settings;
  const env = readableEnv(settings);
  const options = { ...settings, env, sprig: { ...settings.sprig, ...envFunctions({ env }) } };
  const config = parseInjectionConfig(sources.config);
  const { defaultTemplates: defaults, aliases } = config;
  const isLegacy = config.legacyTemplate !== undefined;
  const era = isLegacy
    ? legacyInjector(config, sources, options)
    : modernInjector(sources, options);
  // Legacy values may have any shape, and legacy injectors do not query the cluster.
  const clusterName = isLegacy ? "" : parseValues(sources.values).typed.clusterName;
  const own = settings.clusterId ?? (clusterName || DEFAULT_CLUSTER);
  const version = configVersion(sources, settings);
  const injector: Injector = {
    sources,
    version,
    kindRequired: !isLegacy || (compat !== "today" && compat >= KIND_REQUIRED_SINCE),
    acceptsYaml: settings.acceptYamlReviews ?? false,
    acceptsGet: isLegacy,
    warn,
    ...era,
    admit(request, cluster) {
      // The facts are about our own cluster; a URL may name another.
      const of = request.proxyEnv[CLUSTER_VARIABLE] || clusterName || own;
      const plain = era.admit(request, of === own ? cluster : {});
      const admission = settings.stamp ? stamped(plain, version) : plain;
      if (admission.patch === undefined || isLegacy) return admission;
      const templates = selectTemplates(askedFor(request.object), { defaults, aliases });
      return { ...admission, templates };
    },
    kubeInject(text, options) {
      const documents = [...era.kubeInjectDocuments(text, options)];
      return {
        output: joinDocuments(documents.map(({ output }) => output)),
        results: documents.flatMap(({ results }) => results),
        warnings: documents.flatMap(({ warnings }) => warnings),
      };
    },
  };
  if (settings.tried) injectSample(injector.admit);
  return injector;
}

/** Returns the environment as the injector and its templates may read it. */
function readableEnv(
  { env = () => undefined, variables = {}, allowEnv }: InjectorSettings,
): (name: string) => string | undefined {
  const allowed = allowEnv && new Set(allowEnv);
  return (name) => {
    const own = Object.hasOwn(variables, name) ? variables[name] : "";
    return own || (allowed === undefined || allowed.has(name) ? env(name) : undefined);
  };
}

/** Returns the part of a pod that selects its templates. The pod was injected, so it is a valid pod. */
function askedFor(object: unknown): Pod {
  const annotation = (object as Pod).metadata?.annotations?.[TEMPLATES];
  const annotations = annotation === undefined ? {} : { [TEMPLATES]: annotation };
  return { metadata: { annotations }, spec: {} } as Pod;
}

/** Returns `undefined` to guess the version from the template. */
function legacyVersion(
  compat: CompatVersion | undefined,
  warn: (message: string) => void,
): LegacyVersion | undefined {
  if (compat === undefined || compat === "today") return undefined;
  if (compat <= LAST_LEGACY) return compat;
  warn(
    `Istio 1.${compat} had no config with one template; ` +
      `injecting as the last that had, ${versionText(LAST_LEGACY)}`,
  );
  return LAST_LEGACY;
}

function modernInjector(sources: EngineSources, options: EngineOptions): EraInjector {
  const engine = createEngine(sources, options);
  return {
    isLegacy: false,
    keepsNames: engine.caches,
    admit(request, cluster) {
      const { privateName } = request;
      if (privateName === undefined) return admit(request, engine, cluster);
      return engine.overhear(privateName.told, () => admit(request, engine, cluster));
    },
    urlEnv: (path) => urlEnv(path, engine),
    kubeInjectDocuments: (text, settings = {}) =>
      kubeInjectDocuments(text, engine, { ...settings, asWebhook: engine.minor === undefined }),
  };
}

function legacyInjector(
  config: InjectionConfig,
  sources: EngineSources,
  options: InjectorSettings,
): EraInjector {
  const { compat, leftDelim, rightDelim, warn = () => {} } = options;
  for (const warning of config.warnings) warn(warning);
  const engine = createLegacyEngine(config, sources, {
    ...options,
    version: legacyVersion(compat, warn),
    delimiters: {
      ...(leftDelim ? { left: leftDelim } : {}),
      ...(rightDelim ? { right: rightDelim } : {}),
    },
  });
  return {
    isLegacy: true,
    keepsNames: false,
    admit: (request) => admitLegacy(request, engine),
    urlEnv: (path) => urlEnv(path, { behaviours: { urlSlash: false }, warn: engine.warn }),
    kubeInjectDocuments: (text, settings = {}) => kubeInjectLegacyDocuments(text, engine, settings),
  };
}
