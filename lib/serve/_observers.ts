/** Creates the observers of answered reviews: the recorder and the shadow configuration. */

import type { ReviewInjector } from "../admission/mod.ts";
import type { RecordedConfig } from "../compare/mod.ts";
import type { Clock, Host } from "../host/mod.ts";
import type { EngineSources, Injector } from "../inject/mod.ts";
import {
  createRecorder,
  createShadow,
  type Logger,
  type Metrics,
  type Observer,
} from "../server/mod.ts";
import type { ServeSettings } from "./_settings.ts";
import { openShadow } from "./_shadow.ts";

export interface ObserverContext {
  readonly settings: ServeSettings;
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Logger;
  /** Builds an injector from a complete set of texts. */
  readonly build: (sources: EngineSources) => Injector;
}

export interface ServeObservers {
  /** Registers an injector that serves reviews. */
  built(injector: Injector): void;
  list(metrics: Metrics): readonly Observer[];
  /** Stops the observers and waits for pending work. */
  finish(): Promise<void>;
}

export function createServeObservers(context: ObserverContext): ServeObservers {
  const { settings } = context;
  const known = new WeakMap<ReviewInjector, Injector>();
  const ends: (() => void | Promise<void>)[] = [];
  const injectorOf = (injector: ReviewInjector) => known.get(injector);
  return {
    built: (injector) => void known.set(injector, injector),
    list(metrics) {
      const found: Observer[] = [];
      const { record, shadowConfig, shadowValues, shadowMesh } = settings;
      if (record !== undefined) {
        const recorder = recorderFor({ ...context, injectorOf, metrics, directory: record });
        ends.push(recorder.finish);
        found.push(recorder);
      }
      if (shadowConfig ?? shadowValues ?? shadowMesh) {
        const shadow = openShadow(context);
        ends.push(shadow.close);
        const shadowOf = (main: ReviewInjector) => {
          const injector = injectorOf(main);
          return injector && shadow.injector(injector.sources);
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
  readonly injectorOf: (injector: ReviewInjector) => Injector | undefined;
  readonly metrics: Metrics;
  readonly directory: string;
}

function recorderFor({ settings, injectorOf, metrics, ...context }: RecorderContext) {
  const configs = new WeakMap<Injector, RecordedConfig>();
  return createRecorder({
    ...context,
    maxBytes: settings.recordMaxBytes,
    count: metrics.recorded,
    configOf(reviewing) {
      const injector = injectorOf(reviewing);
      if (injector === undefined) return undefined;
      let config = configs.get(injector);
      if (config === undefined) {
        const { version, sources } = injector;
        config = { version, sources, settings: recordedSettings(settings) };
        configs.set(injector, config);
      }
      return config;
    },
  });
}

function recordedSettings(settings: ServeSettings): RecordedConfig["settings"] {
  const { revision, compat, leftDelim, rightDelim, structureGuard, clusterId, stamp, variables } =
    settings;
  const given = [...variables].filter(([, value]) => value !== "");
  const plain = { revision, compat, leftDelim, rightDelim, structureGuard, clusterId, stamp };
  return { ...plain, variables: Object.fromEntries(given) };
}
