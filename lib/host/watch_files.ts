/**
 * Files that may change while we run. The directories they lie in are watched natively, since what is
 * mounted into a pod changes by renaming a symbolic link (`..data`), which no watch on the file itself
 * sees; and all is looked at again now and then, since native watches can be deaf (network file
 * systems, a directory that was replaced, a limit of the system).
 *
 * Reads nothing and decides nothing: whoever is told looks and says whether anything had changed.
 */

import type { Clock } from "./clock.ts";
import type { Host } from "./host.ts";

export interface WatchFilesOptions {
  /** Asked each time, so that what is watched may change. */
  readonly paths: () => readonly string[];
  /** Looks at the files. Never called while an earlier call is unfinished. */
  readonly look: () => Promise<void>;
  readonly host: Pick<Host, "watchDirectory">;
  readonly clock: Pick<Clock, "after">;
  readonly pollMs?: number;
  readonly debounceMs?: number;
}

export interface FileWatch {
  /** Looks soon, as if something had changed. */
  nudge(): void;
  close(): void;
}

/** Changes come in bursts: a certificate is two files, a config map a directory and three links. */
const DEBOUNCE_MS = 100;
const POLL_MS = 10_000;
/** While a directory cannot be watched, for example since it is gone. */
const BLIND_POLL_MS = 1_000;

/** Calls `look` at the first change, and from then on; not at the start. */
export function watchFiles(options: WatchFilesOptions): FileWatch {
  const { host, clock, pollMs = POLL_MS, debounceMs = DEBOUNCE_MS } = options;
  let stopWatching = () => {};
  let cancelPoll = () => {};
  /** Set while a look is due; not set anew by later changes, which could put it off for ever. */
  let cancelLook: (() => void) | undefined;
  let looking = false;
  let again = false;
  let closed = false;

  const nudge = () => {
    if (closed) return;
    if (looking) again = true;
    else cancelLook ??= clock.after(debounceMs, look);
  };

  /** Watches afresh: a directory that was replaced keeps its path, and the old watch its silence. */
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
    // First watch, then read: a change in between is told and read again.
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
