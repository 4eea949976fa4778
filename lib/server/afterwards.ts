/**
 * What is done with a review after its answer is out: recorded, tried with another configuration. It must
 * never cost a pod anything, so it waits until nobody else wants the processor, takes a small share where
 * somebody always does, and what does not fit into a short line is let go and counted.
 */

import type { ClusterFacts, ReviewInjector, ReviewOutcome } from "../admission/mod.ts";
import type { Clock } from "../host/mod.ts";

/** A review that was answered. */
export interface Seen {
  readonly outcome: ReviewOutcome;
  /** The injector that answered it. */
  readonly injector: ReviewInjector;
  readonly cluster: ClusterFacts;
  /** Path of the webhook's URL, decoded. */
  readonly path: string;
  /** Length of its body. */
  readonly bytes: number;
}

/** Somebody who wants to see reviews. */
export interface Observer {
  /** What it throws is told to `onError`, and harms nobody. */
  see(seen: Seen): void;
  /** One could not be seen: the line was full. */
  missed(): void;
}

export interface Afterwards {
  /** At once, whatever happens. */
  add(seen: Seen): void;
  /** Shows the observers all that is still waiting. */
  finish(): void;
}

export interface AfterwardsOptions {
  readonly observers: readonly Observer[];
  /** Whether there are requests to be answered. */
  readonly isBusy: () => boolean;
  readonly clock: Pick<Clock, "after" | "soon">;
  readonly onError: (error: unknown) => void;
}

/** Injecting a pod again takes about a millisecond: with this pause, a twentieth of a busy server's time. */
const PAUSE_MS = 20;

/** As many as come while a deployment of hundreds is scaled up at once. */
const MAX_WAITING = 512;

/** And as much memory as that takes with ordinary pods; the largest have 3 MiB. */
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
      // The answer is not out yet: not now.
      if (!isScheduled) clock.after(PAUSE_MS, step);
      isScheduled = true;
    },
    finish() {
      while (line.length > 0) next();
    },
  };
}
