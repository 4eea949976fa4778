/**
 * Passes answered reviews to observers: the recorder and the shadow configuration. Observers must
 * never delay a pod, so they run when the server is idle, or in small steps if it is always busy.
 * Reviews that do not fit into a bounded queue are dropped and counted.
 */

import type { ClusterFacts, ReviewInjector, ReviewOutcome } from "../admission/mod.ts";
import type { Clock } from "../host/mod.ts";

/** An answered review. */
export interface Seen {
  readonly outcome: ReviewOutcome;
  /** The injector that answered the review. */
  readonly injector: ReviewInjector;
  readonly cluster: ClusterFacts;
  /** The decoded path of the webhook's URL. */
  readonly path: string;
  /** The length of the request body. */
  readonly bytes: number;
}

/** Receives reviews after they are answered. */
export interface Observer {
  /** Observes a review. Errors are passed to `onError` and affect nothing else. */
  see(seen: Seen): void;
  /** Counts a review that was dropped because the queue was full. */
  missed(): void;
}

export interface Afterwards {
  /** Queues a review, without waiting. */
  add(seen: Seen): void;
  /** Passes all queued reviews to the observers. */
  finish(): void;
}

export interface AfterwardsOptions {
  readonly observers: readonly Observer[];
  /** Reports whether requests are waiting for an answer. */
  readonly isBusy: () => boolean;
  readonly clock: Pick<Clock, "after" | "soon">;
  readonly onError: (error: unknown) => void;
}

/**
 * The pause between two reviews on a busy server. Injecting a pod takes about a millisecond, so
 * observers use a twentieth of the time.
 */
const PAUSE_MS = 20;

/**
 * The maximum number of queued reviews: as many as arrive when a deployment of hundreds scales up.
 */
const MAX_WAITING = 512;

/** The maximum size of queued reviews. 512 ordinary pods fit; the largest pods have 3 MiB. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

export function createAfterwards(options: AfterwardsOptions): Afterwards {
  const { observers, isBusy, clock, onError } = options;
  const line: Seen[] = [];
  let bytes = 0;
  let isScheduled = false;

  const next = () => {
    const seen = line.shift();
    if (seen === undefined) return;
    bytes -= seen.bytes;
    for (const observer of observers) {
      try {
        observer.see(seen);
      } catch (error) {
        onError(error);
      }
    }
  };
  const step = () => {
    next();
    isScheduled = line.length > 0;
    if (!isScheduled) return;
    if (isBusy()) clock.after(PAUSE_MS, step);
    else clock.soon(step);
  };
  return {
    add(seen) {
      if (observers.length === 0) return;
      if (line.length >= MAX_WAITING || bytes + seen.bytes > MAX_WAITING_BYTES) {
        for (const observer of observers) observer.missed();
        return;
      }
      line.push(seen);
      bytes += seen.bytes;
      // Wait: the answer has not been sent yet.
      if (!isScheduled) clock.after(PAUSE_MS, step);
      isScheduled = true;
    },
    finish() {
      while (line.length > 0) next();
    },
  };
}
