/**
 * Loads the configuration, watches it and reloads it on change. A new configuration is used entirely or not
 * at all; a failure is reported once, and the last good configuration stays in use.
 *
 * The caller builds a value from the texts, and so decides what a good configuration is.
 */

import type { Clock } from "../host/mod.ts";
import { type ConfigFailure, describeFailure } from "./_reload_failure.ts";

export { ConfigFailure } from "./_reload_failure.ts";
export { type ConfigFiles, fileSource } from "./file_source.ts";

export interface ConfigTexts {
  readonly config: string;
  readonly values: string;
  readonly mesh: string;
}

export type SourceName = keyof ConfigTexts;

/** The location of a text, for errors and logs. */
export interface SourcePlace {
  readonly file?: string;
  /** The ConfigMap as `namespace/name`. */
  readonly configMap?: string;
  readonly key?: string;
}

/** A source of configuration texts, such as files or config maps. */
export interface ConfigSource {
  /** Reads the current texts. Throws if a required text is missing; an absent optional text is empty. */
  read(): Promise<ConfigRead>;
  /** Calls `look` whenever the texts may have changed. */
  watch(look: () => Promise<void>): { close(): void };
}

export interface ConfigRead {
  readonly texts: Partial<ConfigTexts>;
  readonly places: Readonly<Partial<Record<SourceName, SourcePlace>>>;
}

export interface LiveConfig<T> {
  readonly value: T;
  /** Identifies the content: equal configurations have equal versions on every replica. */
  readonly version: string;
  /** Milliseconds since the Unix epoch. */
  readonly loadedAt: number;
}

export interface ConfigReload<T> {
  current(): LiveConfig<T>;
  /** Returns why the latest texts are not in use, or `undefined` if they are. */
  failure(): ConfigFailure | undefined;
  close(): void;
}

export interface ConfigReloadOptions<T> {
  /** The sources; each provides different texts. */
  readonly sources: readonly ConfigSource[];
  /** Builds a value from the texts. Throws if they are not good enough to serve with. */
  readonly build: (texts: ConfigTexts) => T;
  readonly clock: Pick<Clock, "now">;
  /** Returns the version of a built value. */
  readonly version: (value: T) => string;
  readonly onChange: (live: LiveConfig<T>) => void;
  readonly onFailure: (failure: ConfigFailure) => void;
}

/** Loads the configuration. Throws a {@link ConfigFailure} if the initial configuration is bad. */
export async function openConfig<T>(options: ConfigReloadOptions<T>): Promise<ConfigReload<T>> {
  const { build, clock, sources } = options;
  let read = await readAll(sources);
  const load = (texts: ConfigTexts): LiveConfig<T> => {
    try {
      const value = build(texts);
      return { value, version: options.version(value), loadedAt: clock.now() };
    } catch (error) {
      throw describeFailure(error, { texts, places: read.places });
    }
  };
  let live = load(read.texts);
  let liveTexts = read.texts;
  let failure: ConfigFailure | undefined;
  /** The texts that last failed; not retried until they change. */
  let failed: ConfigTexts | undefined;

  const look = async () => {
    let texts: ConfigTexts | undefined;
    try {
      read = await readAll(sources);
      texts = read.texts;
      if (isSame(texts, liveTexts)) {
        failure = failed = undefined;
        return;
      }
      if (failed !== undefined && isSame(texts, failed)) return;
      live = load(texts);
      liveTexts = texts;
      failure = failed = undefined;
      options.onChange(live);
    } catch (error) {
      const next = describeFailure(error, read).whileServing(live.version);
      if (texts === undefined && failure?.message === next.message) return;
      failed = texts;
      failure = next;
      options.onFailure(next);
    }
  };

  const lookInTurn = oneAtATime(look);
  const watches = sources.map((source) => source.watch(lookInTurn));
  return {
    current: () => live,
    failure: () => failure,
    close: () => watches.forEach((watch) => watch.close()),
  };
}

function isSame(a: ConfigTexts, b: ConfigTexts): boolean {
  return a.config === b.config && a.values === b.values && a.mesh === b.mesh;
}

interface AllRead extends ConfigRead {
  readonly texts: ConfigTexts;
}

async function readAll(sources: readonly ConfigSource[]): Promise<AllRead> {
  const all = await Promise.all(sources.map((source) => source.read()));
  const none: AllRead = { texts: { config: "", values: "", mesh: "" }, places: {} };
  return all.reduce<AllRead>((before, { texts, places }) => ({
    texts: { ...before.texts, ...texts },
    places: { ...before.places, ...places },
  }), none);
}

/** Serialises runs of `work`. Calls that arrive while it runs share one further run. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again = false;
  const run = async () => {
    try {
      do {
        again = false;
        await work();
      } while (again);
    } finally {
      running = undefined;
    }
  };
  return () => {
    again = running !== undefined;
    return running ??= run();
  };
}
