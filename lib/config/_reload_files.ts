/** Where the texts of the configuration lie: files, or directories as config maps are mounted. */

import type { Host } from "../host/mod.ts";
import type { ConfigTexts } from "./reload.ts";

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
  /** Those that were there before. */
  readonly seen?: ReadonlySet<SourceName>;
}

export type SourceName = keyof ConfigTexts;

export interface ConfigFilesRead {
  readonly texts: ConfigTexts;
  /** The files themselves. */
  readonly paths: Readonly<Partial<Record<SourceName, string>>>;
  /** Files whose directories are to be watched. */
  readonly watched: readonly string[];
  readonly seen: ReadonlySet<SourceName>;
}

const NAMES: readonly SourceName[] = ["config", "values", "mesh"];

/** Reads that differ before what was read last is taken: whoever writes that fast will be heard of again. */
const ATTEMPTS = 3;

/**
 * All files as they were at one time: a config map may be swapped between two of them, so that they are
 * read until two readings agree. Throws a HostError where a file that must be there cannot be read.
 */
export async function readConfigFiles(
  files: ConfigFiles,
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
  files: ConfigFiles,
  host: Pick<Host, "readText" | "stat">,
): Promise<ConfigFilesRead> {
  const texts = { config: "", values: "", mesh: "" };
  const paths: Partial<Record<SourceName, string>> = {};
  const watched: string[] = [];
  const seen = new Set(files.seen);
  for (const name of NAMES) {
    const given = files[name];
    if (given === undefined) continue;
    const info = await host.stat(given);
    const path = info?.kind === "directory" ? `${given.replace(/\/+$/, "")}/${name}` : given;
    // Both, since a directory may yet become a file, or the other way round.
    watched.push(given, path);
    paths[name] = path;
    const mayBeAbsent = files.optional?.includes(name) && !seen.has(name);
    if (mayBeAbsent && await host.stat(path) === undefined) continue;
    texts[name] = await host.readText(path);
    seen.add(name);
  }
  return { texts, paths, watched, seen };
}
