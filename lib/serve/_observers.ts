/** Who sees reviews after `serve` has answered them: the recorder, and the shadow configuration. */

import type { ReviewInjector } from "../admission/mod.ts";
import type { RecordedConfig } from "../compare/recording.ts";
import type { Clock, Host } from "../host/mod.ts";
import type { EngineSources } from "../inject/engine.ts";
import {
  createRecorder,
  createShadow,
  type Logger,
  type Metrics,
  type Observer,
} from "../server/mod.ts";
import { configVersion } from "./config_version.ts";
import { effectiveSources } from "./injector.ts";
import type { ServeSettings } from "./_settings.ts";
import { openShadow } from "./_shadow.ts";

export interface ObserverContext {
  readonly settings: ServeSettings;
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Logger;
  /** Makes an injector of texts that are complete. */
  readonly build: (sources: EngineSources) => ReviewInjector;
}

export interface ServeObservers {
  /** To be told of each injector: what it was made of. */
  built(injector: ReviewInjector, texts: EngineSources): void;
  list(metrics: Metrics): readonly Observer[];
  /** Resolves once nothing is left to be done. */
  finish(): Promise<void>;
}

export function createServeObservers(context: ObserverContext): ServeObservers {
  const { settings } = context;
  const sources = new WeakMap<ReviewInjector, EngineSources>();
  const ends: (() => void | Promise<void>)[] = [];
  const sourcesOf = (injector: ReviewInjector) => sources.get(injector);
  return {
    built: (injector, texts) => void sources.set(injector, effectiveSources(texts, settings)),
    list(metrics) {
      const found: Observer[] = [];
      const { record, shadowConfig, shadowValues, shadowMesh } = settings;
      if (record !== undefined) {
        const recorder = recorderFor({ ...context, sourcesOf, metrics, directory: record });
        ends.push(recorder.finish);
        found.push(recorder);
      }
      if (shadowConfig ?? shadowValues ?? shadowMesh) {
        const shadow = openShadow(context);
        ends.push(shadow.close);
        const shadowOf = (main: ReviewInjector) => {
          const texts = sourcesOf(main);
          return texts && shadow.injector(texts);
        };
        found.push(createShadow({ ...context, shadowOf, count: metrics.shadowed }));
      }
      return found;
    },
    async finish() {
      for (const end of ends) await end();
    },
  };
}

interface RecorderContext extends ObserverContext {
  readonly sourcesOf: (injector: ReviewInjector) => EngineSources | undefined;
  readonly metrics: Metrics;
  readonly directory: string;
}

function recorderFor({ settings, sourcesOf, metrics, ...context }: RecorderContext) {
  const configs = new WeakMap<EngineSources, RecordedConfig>();
  return createRecorder({
    ...context,
    maxBytes: settings.recordMaxBytes,
    count: metrics.recorded,
    configOf(injector) {
      const sources = sourcesOf(injector);
      if (sources === undefined) return undefined;
      let config = configs.get(sources);
      if (config === undefined) {
        const version = configVersion(sources);
        config = { version, sources, settings: recordedSettings(settings) };
        configs.set(sources, config);
      }
      return config;
    },
  });
}

function recordedSettings(settings: ServeSettings): RecordedConfig["settings"] {
  const { revision, compat, leftDelim, rightDelim, clusterId, stamp, variables } = settings;
  const given = [...variables].filter(([, value]) => value !== "");
  const plain = { revision, compat, leftDelim, rightDelim, clusterId, stamp };
  return { ...plain, variables: Object.fromEntries(given) };
}
