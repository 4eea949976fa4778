/**
 * Keeps resident memory low and level under load. Each answer leaves litter; once there is enough of it
 * to be worth the pause, the young part of the heap is collected, between two answers. What got old
 * before it was garbage is collected when the heap has grown by a share of what was alive, in a moment
 * without requests if there is one in time.
 */

import type { Clock, Collector } from "../host/mod.ts";

/** Litter that may lie about; collecting it takes about as long as injecting one pod. */
const YOUNG_BYTES = 3 * 1024 * 1024;

/**
 * By how much the heap may grow over what was alive, when nobody waits and in any case: collecting all
 * takes as long as injecting ten pods, and longer the more is alive, so also by a share of that.
 */
const QUIET_GROWTH = 2 * 1024 * 1024;
const BUSY_GROWTH = 3 * 1024 * 1024;
const SHARE = 0.15;

/** What answering leaves behind, measured for an ordinary pod: for each byte of the review, and besides. */
const REPEAT_FACTOR = 8;
const ANSWER_FACTOR = 16;
const ANSWER_BYTES = 128 * 1024;

export interface Tidy {
  /** A review of so many bytes was answered, by injecting or with an answer that was there. */
  answered(bytes: number, isRepeat: boolean): void;
  /** What answers are made with is another: all that went into the one before can go. */
  replaced(): void;
}

export interface TidyOptions {
  /** Absent where the runtime's own is all there is. */
  readonly collector: Collector | undefined;
  /** Whether there are requests to be answered. */
  readonly isBusy: () => boolean;
  readonly clock: Pick<Clock, "soon">;
}

export function createTidy({ collector, isBusy, clock }: TidyOptions): Tidy {
  if (collector === undefined) return { answered: () => {}, replaced: () => {} };
  let litter = 0;
  let alive = 0;
  let isScheduled = false;
  let wantsAll = false;
  const tidy = () => {
    isScheduled = false;
    litter = 0;
    if (wantsAll) {
      wantsAll = false;
      alive = collector.all();
      return;
    }
    const grown = collector.young() - alive;
    const allowed = Math.max(isBusy() ? BUSY_GROWTH : QUIET_GROWTH, alive * SHARE);
    if (grown > allowed) alive = collector.all();
  };
  const schedule = () => {
    // The answer is not out yet.
    if (!isScheduled) clock.soon(tidy);
    isScheduled = true;
  };
  return {
    answered(bytes, isRepeat) {
      litter += isRepeat ? bytes * REPEAT_FACTOR : bytes * ANSWER_FACTOR + ANSWER_BYTES;
      if (litter >= YOUNG_BYTES) schedule();
    },
    replaced() {
      wantsAll = true;
      schedule();
    },
  };
}
