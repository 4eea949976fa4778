/**
 * The configuration while it runs: read, built, watched, and built anew when it changes. A new one is
 * taken whole or not at all; what is wrong with it is told once, and the last good one stays.
 *
 * What is built of the texts, and so what "good" means, is the caller's.
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

/** Where a text stands, for errors and logs. */
export interface SourcePlace {
  readonly file?: string;
  /** `namespace/name`. */
  readonly configMap?: string;
  readonly key?: string;
}

/** A place that some of the texts come from: files, config maps. */
export interface ConfigSource {
  /** As they are now; throws where one that must be there is not. A text that is absent is empty. */
  read(): Promise<ConfigRead>;
  /** Calls `look` whenever they may have changed. */
  watch(look: () => Promise<void>): { close(): void };
}

export interface ConfigRead {
  readonly texts: Partial<ConfigTexts>;
  readonly places: Readonly<Partial<Record<SourceName, SourcePlace>>>;
}

export interface LiveConfig<T> {
  readonly value: T;
  /** The same configuration has the same version everywhere. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly loadedAt: number;
}

export interface ConfigReload<T> {
  current(): LiveConfig<T>;
  /** Why the newest texts are not the current ones; `undefined` where they are. */
  failure(): ConfigFailure | undefined;
  close(): void;
}

export interface ConfigReloadOptions<T> {
  /** Each for texts of its own. */
  readonly sources: readonly ConfigSource[];
  /** Throws where the texts are not good enough to serve with. */
  readonly build: (texts: ConfigTexts) => T;
  readonly clock: Pick<Clock, "now">;
  /** The version of what was built. */
  readonly version: (value: T) => string;
  readonly onChange: (live: LiveConfig<T>) => void;
  readonly onFailure: (failure: ConfigFailure) => void;
}

/** Throws a {@link ConfigFailure} where there is no good configuration to begin with. */
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
  /** Texts that failed: they are not tried again before they change. */
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

/** Sources know nothing of each other: whoever comes while work is under way has it done once more. */
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
