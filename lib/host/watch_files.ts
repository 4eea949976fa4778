/**
 * Watches files for changes. It watches their directories, because the kubelet updates a mounted volume by
 * renaming a symbolic link (`..data`), which a watch on the file itself does not see. It also polls, because
 * native watches can miss changes (network file systems, replaced directories, system limits).
 *
 * It does not read the files: the caller reads and compares them.
 */

import type { Clock } from "./clock.ts";
import type { Host } from "./host.ts";

export interface WatchFilesOptions {
  /** Returns the files to watch; called before each read, because they may change. */
  readonly paths: () => readonly string[];
  /** Reads the files. Calls never overlap. */
  readonly look: () => Promise<void>;
  readonly host: Pick<Host, "watchDirectory">;
  readonly clock: Pick<Clock, "after">;
  readonly pollMs?: number;
  readonly debounceMs?: number;
}

export interface FileWatch {
  /** Calls `look` soon, as if something had changed. */
  nudge(): void;
  close(): void;
}

/** Changes come in bursts: a certificate is two files, a config map is a directory and three links. */
const DEBOUNCE_MS = 100;
const POLL_MS = 10_000;
/** The poll interval while a directory cannot be watched, for example because it does not exist. */
const BLIND_POLL_MS = 1_000;

/** Calls `look` after changes and at each poll, but not at the start. */
export function watchFiles(options: WatchFilesOptions): FileWatch {
  const { host, clock, pollMs = POLL_MS, debounceMs = DEBOUNCE_MS } = options;
  let stopWatching = () => {};
  let cancelPoll = () => {};
  /** Set while a call is scheduled. Later changes do not postpone it. */
  let cancelLook: (() => void) | undefined;
  let looking = false;
  let again = false;
  let closed = false;

  const nudge = () => {
    if (closed) return;
    if (looking) again = true;
    else cancelLook ??= clock.after(debounceMs, look);
  };

  /** Renews the watches, because the watch of a replaced directory reports nothing. Reports failures. */
  const arm = (): boolean => {
    const ends: (() => void)[] = [];
    let blind = false;
    for (const directory of new Set(options.paths().map(directoryOf))) {
      try {
        ends.push(host.watchDirectory(directory, { onChange: nudge, onError: nudge }));
      } catch {
        blind = true;
      }
    }
    stopWatching();
    stopWatching = () => ends.forEach((end) => end());
    return blind;
  };

  const armAndPoll = () => {
    cancelPoll();
    cancelPoll = clock.after(arm() ? Math.min(BLIND_POLL_MS, pollMs) : pollMs, look);
  };

  const look = async () => {
    cancelLook?.();
    cancelLook = undefined;
    if (closed || looking) return;
    looking = true;
    // Watch before reading, so that a change in between is reported.
    armAndPoll();
    try {
      await options.look();
    } finally {
      looking = false;
      if (again) {
        again = false;
        nudge();
      }
    }
  };

  armAndPoll();
  return {
    nudge,
    close() {
      closed = true;
      stopWatching();
      cancelPoll();
      cancelLook?.();
    },
  };
}

function directoryOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : slash === 0 ? "/" : path.slice(0, slash);
}
