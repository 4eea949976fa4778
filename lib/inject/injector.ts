/**
 * The one way to an injector, for the server, every command and the page: texts and settings in, an
 * injector out. It completes the texts, chooses the era by the config (one with `template:` and no
 * `templates:` is of Istio 0.8 to 1.8, and goes to `legacy/`), and does what holds for both eras.
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
  /** Delimiters of a `template:`; told from it if absent. Modern templates always have `{{ }}`. */
  readonly leftDelim?: string;
  readonly rightDelim?: string;
  /** Settings by the names that istiod reads, as in `ENABLE_NATIVE_SIDECARS`. They go before `env`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The variables of `env` that may be read; all of them if absent. */
  readonly allowEnv?: readonly string[];
  /** Name of the cluster that facts are about; if absent, the one in the values, or `Kubernetes`. */
  readonly clusterId?: string;
  /** Whether pods that the webhook injects are marked with the version of the configuration. */
  readonly stamp?: boolean;
  /** Whether reviews may be YAML, as those of Istio's first versions. */
  readonly acceptYamlReviews?: boolean;
  /** Whether a sample pod must be injectable before there is an injector at all. */
  readonly tried?: boolean;
}

/** An admission with the names of the templates that made its patch. */
export interface TemplatedAdmission extends Admission {
  readonly templates?: readonly string[];
}

export type StreamOptions = Omit<KubeInjectOptions, "asWebhook">;

/** Config, values and mesh config made ready for any number of pods. */
export interface Injector {
  /** The texts that it is made of, complete. */
  readonly sources: EngineSources;
  /** The version of those texts. */
  readonly version: string;
  /** Whether the config is of the era of one appended template. */
  readonly isLegacy: boolean;
  /** Whether a review has to say what it is. */
  readonly kindRequired: boolean;
  /** Whether it takes reviews in YAML. */
  readonly acceptsYaml: boolean;
  /** Whether it answers a GET with a review, as Istio's servers of the old era did. */
  readonly acceptsGet: boolean;
  /** Whether it heeds a request's `privateName`, so that results can serve other pods. */
  readonly keepsNames: boolean;
  /** Takes what an injection tells the log. */
  warn(message: string): void;
  /** The webhook's door. Throws an InjectionError where Istio refuses the pod. */
  admit(request: AdmitRequest, cluster?: ClusterFacts): TemplatedAdmission;
  /** Variables that the webhook's URL asks for, to be sent on with the request. */
  urlEnv(path: string): StringMap;
  /**
   * The command line's door, a whole stream: the webhook's pods, and with a compat version istioctl's.
   * Throws a KubeInjectError for the first failure.
   */
  kubeInject(text: string, options?: StreamOptions): KubeInjected;
  /** The same, a document at a time, for those who want what came before an error. */
  kubeInjectDocuments(text: string, options?: StreamOptions): Generator<InjectedDocument>;
}

/** The part of an injector in which the eras differ. */
type EraInjector = Pick<
  Injector,
  "isLegacy" | "keepsNames" | "admit" | "urlEnv" | "kubeInjectDocuments"
>;

/** The name of a cluster that nobody named. */
const DEFAULT_CLUSTER = "Kubernetes";

/** From this version on a review has to say what it is. */
const KIND_REQUIRED_SINCE = 7;

/**
 * Builds an injector; a change of its sources means building another. Throws a ConfigError or
 * TemplateError that says what is wrong with which source, a SettingError where the settings do not go
 * with it, and an InjectionError where the sample pod is asked for and not injected.
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
  // Values of the old era may have any shape, and its injectors ask nothing of the cluster.
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
      // The facts are about our own cluster; a URL may speak for another.
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

/** The environment as the injector and its templates read it. */
function readableEnv(
  { env = () => undefined, variables = {}, allowEnv }: InjectorSettings,
): (name: string) => string | undefined {
  const allowed = allowEnv && new Set(allowEnv);
  return (name) => {
    const own = Object.hasOwn(variables, name) ? variables[name] : "";
    return own || (allowed === undefined || allowed.has(name) ? env(name) : undefined);
  };
}

/** The part of a pod that tells its templates. The pod has been injected, so it is one. */
function askedFor(object: unknown): Pod {
  const annotation = (object as Pod).metadata?.annotations?.[TEMPLATES];
  const annotations = annotation === undefined ? {} : { [TEMPLATES]: annotation };
  return { metadata: { annotations }, spec: {} } as Pod;
}

/** `undefined` leaves it to the template. */
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
