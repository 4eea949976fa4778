/** Who sees reviews after `serve` has answered them: the recorder. */

import type { ReviewInjector } from "../admission/mod.ts";
import type { RecordedConfig } from "../compare/recording.ts";
import type { EngineSources } from "../inject/engine.ts";
import type { Clock, Host } from "../host/mod.ts";
import { createRecorder, type Logger, type Metrics, type Observer } from "../server/mod.ts";
import { configVersion } from "./_config_version.ts";
import { effectiveSources } from "./_serve_injector.ts";
import type { ServeSettings } from "./_serve_settings.ts";

export interface ObserverContext {
  readonly settings: ServeSettings;
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ServeObservers {
  /** To be told of each injector: what it was made of. */
  built(injector: ReviewInjector, texts: EngineSources): void;
  list(metrics: Metrics): readonly Observer[];
  /** Resolves once nothing is left to be written. */
  finish(): Promise<void>;
}

export function createServeObservers(
  { settings, host, clock, log }: ObserverContext,
): ServeObservers {
  const configs = new WeakMap<ReviewInjector, RecordedConfig>();
  let finish = () => Promise.resolve();
  return {
    built(injector, texts) {
      if (settings.record === undefined) return;
      const sources = effectiveSources(texts, settings);
      configs.set(injector, {
        version: configVersion(sources),
        sources,
        settings: recordedSettings(settings),
      });
    },
    list(metrics) {
      if (settings.record === undefined) return [];
      const recorder = createRecorder({
        directory: settings.record,
        maxBytes: settings.recordMaxBytes,
        configOf: (injector) => configs.get(injector),
        host,
        clock,
        log,
        count: metrics.recorded,
      });
      finish = recorder.finish;
      return [recorder];
    },
    finish: () => finish(),
  };
}

function recordedSettings(settings: ServeSettings): RecordedConfig["settings"] {
  const { revision, compat, leftDelim, rightDelim, variables } = settings;
  const given = [...variables].filter(([, value]) => value !== "");
  return { revision, compat, leftDelim, rightDelim, variables: Object.fromEntries(given) };
}
