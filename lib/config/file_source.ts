/** Reads configuration from files, or from directories mounted from config maps. */

import { type Clock, type Host, watchFiles } from "../host/mod.ts";
import type { ConfigSource, ConfigTexts, SourceName, SourcePlace } from "./reload.ts";

export interface ConfigFiles {
  /** A file, or a directory that contains a file named `config`. */
  readonly config?: string;
  /** A file, or a directory that contains a file named `values`. */
  readonly values?: string;
  /** A file, or a directory that contains a file named `mesh`. */
  readonly mesh?: string;
  /**
   * Sources that may be missing at startup. A file that existed and is later removed is a failure, not an
   * empty text.
   */
  readonly optional?: readonly SourceName[];
}

export interface FileSourceOptions {
  readonly host: Pick<Host, "readText" | "stat" | "watchDirectory">;
  readonly clock: Pick<Clock, "after">;
  readonly pollMs?: number;
}

/** Returns a source that reads files. Reading throws a HostError if a required file cannot be read. */
export function fileSource(files: ConfigFiles, options: FileSourceOptions): ConfigSource {
  const { host, clock, pollMs } = options;
  /** Currently watched paths; they change when a directory replaces a file. */
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
  /** The sources that existed before. */
  readonly seen: ReadonlySet<SourceName>;
}

interface ConfigFilesRead {
  readonly texts: Partial<ConfigTexts>;
  readonly places: Readonly<Partial<Record<SourceName, SourcePlace>>>;
  /** Files whose directories are watched. */
  readonly watched: readonly string[];
  readonly seen: ReadonlySet<SourceName>;
}

const NAMES: readonly SourceName[] = ["config", "values", "mesh"];

/** Caps the reads spent waiting for two equal ones. A faster writer triggers another watch event. */
const ATTEMPTS = 3;

/**
 * Reads a consistent snapshot of all files. A config map may be swapped between two reads, so the files are
 * read until two consecutive reads agree.
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
    // Watch both, since a directory may become a file and the other way round.
    watched.push(given, path);
    places[name] = { file: path };
    const mayBeAbsent = files.optional?.includes(name) && !seen.has(name);
    if (mayBeAbsent && await host.stat(path) === undefined) continue;
    texts[name] = await host.readText(path);
    seen.add(name);
  }
  return { texts, places, watched, seen };
}
