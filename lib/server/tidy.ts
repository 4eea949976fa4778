/**
 * Keeps resident memory low and steady under load. Once answers have left enough garbage to be
 * worth the pause, the young generation is collected between two answers. The old generation is
 * collected when the heap has grown by a share of its live size, if possible while no requests are
 * waiting.
 */

import type { Clock, Collector } from "../host/mod.ts";

/** The garbage that triggers a young collection, which takes about as long as injecting one pod. */
const YOUNG_BYTES = 3 * 1024 * 1024;

/**
 * How far the heap may grow beyond its live size, when idle and when busy. A full collection takes
 * as long as injecting ten pods and grows with the live size, so a share of that is allowed as
 * well.
 */
const QUIET_GROWTH = 2 * 1024 * 1024;
const BUSY_GROWTH = 3 * 1024 * 1024;
const SHARE = 0.15;

/**
 * Garbage left by an answer to an ordinary pod, as measured: a factor of the review's size plus a
 * constant.
 */
const REPEAT_FACTOR = 8;
const ANSWER_FACTOR = 16;
const ANSWER_BYTES = 128 * 1024;

export interface Tidy {
  /** Reports an answered review, and whether a kept answer was repeated. */
  answered(bytes: number, isRepeat: boolean): void;
  /** Reports that the injector was replaced, so that everything of the old one is garbage. */
  replaced(): void;
}

export interface TidyOptions {
  /** Absent if the runtime has no such API. */
  readonly collector: Collector | undefined;
  /** Reports whether requests are waiting for an answer. */
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
    // Wait: the answer has not been sent yet.
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
