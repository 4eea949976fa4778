/** Configuration that lies in files, or in directories as config maps are mounted. */

import { type Clock, type Host, watchFiles } from "../host/mod.ts";
import type { ConfigSource, ConfigTexts, SourceName, SourcePlace } from "./reload.ts";

export interface ConfigFiles {
  /** A file, or a directory in which it is called `config`. */
  readonly config?: string;
  /** A file, or a directory in which it is called `values`. */
  readonly values?: string;
  /** A file, or a directory in which it is called `mesh`. */
  readonly mesh?: string;
  /**
   * Those that may be absent, as long as they were never there: a file that goes away later is a
   * failure, not an empty one.
   */
  readonly optional?: readonly SourceName[];
}

export interface FileSourceOptions {
  readonly host: Pick<Host, "readText" | "stat" | "watchDirectory">;
  readonly clock: Pick<Clock, "after">;
  readonly pollMs?: number;
}

/** Reading throws a HostError where a file that must be there cannot be read. */
export function fileSource(files: ConfigFiles, options: FileSourceOptions): ConfigSource {
  const { host, clock, pollMs } = options;
  /** Where the files are now; changes when a directory takes a file's place. */
  let watched: readonly string[] = [];
  let seen: ReadonlySet<SourceName> = new Set();
  return {
    async read() {
      const read = await readConfigFiles({ ...files, seen }, host);
      ({ watched, seen } = read);
      return read;
    },
    watch: (look) => watchFiles({ paths: () => watched, look, host, clock, pollMs }),
  };
}

interface Wanted extends ConfigFiles {
  /** Those that were there before. */
  readonly seen: ReadonlySet<SourceName>;
}

interface ConfigFilesRead {
  readonly texts: Partial<ConfigTexts>;
  readonly places: Readonly<Partial<Record<SourceName, SourcePlace>>>;
  /** Files whose directories are to be watched. */
  readonly watched: readonly string[];
  readonly seen: ReadonlySet<SourceName>;
}

const NAMES: readonly SourceName[] = ["config", "values", "mesh"];

/** Reads that differ before what was read last is taken: whoever writes that fast will be heard of again. */
const ATTEMPTS = 3;

/**
 * All files as they were at one time: a config map may be swapped between two of them, so that they are
 * read until two readings agree.
 */
async function readConfigFiles(
  files: Wanted,
  host: Pick<Host, "readText" | "stat">,
): Promise<ConfigFilesRead> {
  let last = await readOnce(files, host);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const next = await readOnce(files, host);
    if (NAMES.every((name) => next.texts[name] === last.texts[name])) return next;
    last = next;
  }
  return last;
}

async function readOnce(
  files: Wanted,
  host: Pick<Host, "readText" | "stat">,
): Promise<ConfigFilesRead> {
  const texts: Partial<Record<SourceName, string>> = {};
  const places: Partial<Record<SourceName, SourcePlace>> = {};
  const watched: string[] = [];
  const seen = new Set(files.seen);
  for (const name of NAMES) {
    const given = files[name];
    if (given === undefined) continue;
    const info = await host.stat(given);
    const path = info?.kind === "directory" ? `${given.replace(/\/+$/, "")}/${name}` : given;
    // Both, since a directory may yet become a file, or the other way round.
    watched.push(given, path);
    places[name] = { file: path };
    const mayBeAbsent = files.optional?.includes(name) && !seen.has(name);
    if (mayBeAbsent && await host.stat(path) === undefined) continue;
    texts[name] = await host.readText(path);
    seen.add(name);
  }
  return { texts, places, watched, seen };
}
