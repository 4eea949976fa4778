/**
 * The configuration while it runs: read, built, watched, and built anew when it changes. A new one is
 * taken whole or not at all; what is wrong with it is told once, and the last good one stays.
 *
 * What is built of the texts, and so what "good" means, is the caller's.
 */

import type { Clock, FileWatch, Host } from "../host/mod.ts";
import { watchFiles } from "../host/mod.ts";
import { type ConfigFailure, describeFailure } from "./_reload_failure.ts";
import { type ConfigFiles, readConfigFiles } from "./_reload_files.ts";

export type { ConfigFailure } from "./_reload_failure.ts";
export type { ConfigFiles } from "./_reload_files.ts";

export interface ConfigTexts {
  readonly config: string;
  readonly values: string;
  readonly mesh: string;
}

export interface LiveConfig<T> {
  readonly value: T;
  /** Short hash of the texts: the same texts are the same version everywhere. */
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
  readonly files: ConfigFiles;
  /** Throws where the texts are not good enough to serve with. */
  readonly build: (texts: ConfigTexts) => T;
  readonly host: Pick<Host, "readText" | "stat" | "watchDirectory">;
  readonly clock: Pick<Clock, "now" | "after">;
  /** SHA-256. */
  readonly hash: (text: string) => string;
  readonly onChange: (live: LiveConfig<T>) => void;
  readonly onFailure: (failure: ConfigFailure) => void;
  readonly pollMs?: number;
}

/** Letters of the hash that name a version. */
const VERSION_LENGTH = 12;

/** Throws a {@link ConfigFailure} where there is no good configuration to begin with. */
export async function openConfig<T>(options: ConfigReloadOptions<T>): Promise<ConfigReload<T>> {
  const { build, host, clock, hash } = options;
  const versionOf = ({ config, values, mesh }: ConfigTexts) =>
    hash(JSON.stringify([config, values, mesh])).slice(0, VERSION_LENGTH);
  /** Where the three files are now; changes when a directory takes a file's place. */
  let files = await readConfigFiles(options.files, host);
  const load = (texts: ConfigTexts, version: string): LiveConfig<T> => {
    try {
      return { value: build(texts), version, loadedAt: clock.now() };
    } catch (error) {
      throw describeFailure(error, { texts, paths: files.paths });
    }
  };
  let live = load(files.texts, versionOf(files.texts));
  let failure: ConfigFailure | undefined;
  /** The version that failed: it is not tried again before it changes. */
  let failed: string | undefined;

  const look = async () => {
    let version: string | undefined;
    try {
      files = await readConfigFiles({ ...options.files, seen: files.seen }, host);
      version = versionOf(files.texts);
      if (version === live.version) {
        failure = failed = undefined;
        return;
      }
      if (version === failed) return;
      live = load(files.texts, version);
      failure = failed = undefined;
      options.onChange(live);
    } catch (error) {
      const next = describeFailure(error, { texts: files.texts, paths: files.paths })
        .whileServing(live.version);
      if (version === undefined && failure?.message === next.message) return;
      failed = version;
      failure = next;
      options.onFailure(next);
    }
  };

  const watch: FileWatch = watchFiles({
    paths: () => files.watched,
    look,
    host,
    clock,
    pollMs: options.pollMs,
  });
  return {
    current: () => live,
    failure: () => failure,
    close: () => watch.close(),
  };
}
