/**
 * The one switch between the eras: whoever has an injector need not know which template its config holds.
 * A config with one `template:` and no `templates:` is of Istio 0.8 to 1.8, and goes to `legacy/`.
 *
 * The server and the command line use this file alone.
 */
import { parseInjectionConfig } from "../config/mod.ts";
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
import { createLegacyEngine, type LegacyEngine } from "./legacy/engine.ts";
import { kubeInjectLegacyDocuments } from "./legacy/kube_inject.ts";
import { urlEnv } from "./url_env.ts";
import type { StringMap } from "./pod.ts";

export interface InjectorOptions extends EngineOptions {
  /** Delimiters of a `template:`; told from it if absent. Modern templates have always `{{ }}`. */
  readonly leftDelim?: string;
  readonly rightDelim?: string;
}

/** Config, values and mesh config made ready for any number of pods. */
export interface Injector {
  /** Whether the config is of the era of one appended template. */
  readonly isLegacy: boolean;
  /** Whether it heeds a request's `privateName`, so that results can serve other pods. */
  readonly keepsNames: boolean;
  /** The webhook's door. Throws an InjectionError where Istio refuses the pod. */
  admit(request: AdmitRequest, cluster?: ClusterFacts): Admission;
  /** Variables that the webhook's URL asks for, to be sent on with the request. */
  urlEnv(path: string): StringMap;
  /** The command line's door, a whole stream. Throws a KubeInjectError for the first failure. */
  kubeInject(text: string, options?: KubeInjectOptions): KubeInjected;
  /** The same, a document at a time, for those who want what came before an error. */
  kubeInjectDocuments(text: string, options?: KubeInjectOptions): Generator<InjectedDocument>;
}

/**
 * Builds an injector; a change of its sources means building another. Throws a ConfigError or
 * TemplateError that says what is wrong with which source.
 *
 * @example
 * ```ts
 * const injector = createInjector({ config, values, mesh }, { sprig });
 * injector.kubeInject("kind: Service\n").output; // "kind: Service\n---\n"
 * ```
 */
export function createInjector(sources: EngineSources, options: InjectorOptions): Injector {
  const config = parseInjectionConfig(sources.config);
  if (config.legacyTemplate === undefined) return modernInjector(sources, options);
  const { compat, leftDelim, rightDelim, warn = () => {} } = options;
  for (const warning of config.warnings) warn(warning);
  return legacyInjector(createLegacyEngine(config, sources, {
    ...options,
    version: legacyVersion(compat, warn),
    delimiters: {
      ...(leftDelim ? { left: leftDelim } : {}),
      ...(rightDelim ? { right: rightDelim } : {}),
    },
  }));
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

function modernInjector(sources: EngineSources, options: EngineOptions): Injector {
  const engine = createEngine(sources, options);
  const documents = (text: string, settings: KubeInjectOptions = {}) =>
    kubeInjectDocuments(text, engine, settings);
  return {
    isLegacy: false,
    keepsNames: engine.caches,
    admit(request, cluster) {
      const { privateName } = request;
      if (privateName === undefined) return admit(request, engine, cluster);
      return engine.overhear(privateName.told, () => admit(request, engine, cluster));
    },
    urlEnv: (path) => urlEnv(path, engine),
    kubeInjectDocuments: documents,
    kubeInject: (text, settings) => joined(documents(text, settings)),
  };
}

function legacyInjector(engine: LegacyEngine): Injector {
  const documents = (text: string, settings: KubeInjectOptions = {}) =>
    kubeInjectLegacyDocuments(text, engine, settings);
  return {
    isLegacy: true,
    keepsNames: false,
    admit: (request) => admitLegacy(request, engine),
    urlEnv: (path) => urlEnv(path, { behaviours: { urlSlash: false }, warn: engine.warn }),
    kubeInjectDocuments: documents,
    kubeInject: (text, settings) => joined(documents(text, settings)),
  };
}

function joined(injected: Iterable<InjectedDocument>): KubeInjected {
  const documents = [...injected];
  return {
    output: joinDocuments(documents.map(({ output }) => output)),
    results: documents.flatMap(({ results }) => results),
    warnings: documents.flatMap(({ warnings }) => warnings),
  };
}
