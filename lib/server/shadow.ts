/**
 * Every pod tried with a second configuration after it has been answered with the first: how many would
 * become another, and what would be different. Nothing of it reaches a pod.
 */

import {
  type Change,
  type Injection,
  injectionChanges,
  summaryOf,
  tryInjection,
} from "../compare/mod.ts";
import type { ReviewInjector, ReviewOutcome } from "../admission/mod.ts";
import type { Clock } from "../host/mod.ts";
import type { Observer, Seen } from "./afterwards.ts";
import type { Logger } from "./log.ts";

export type ShadowResult = "same" | "different" | "dropped" | "failed";

export interface ShadowOptions {
  /** The second injector beside a first one; `undefined` while there is none that works. */
  readonly shadowOf: (injector: ReviewInjector) => ReviewInjector | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
  readonly count: (result: ShadowResult) => void;
}

/** Lines at once, and then one a second: what a rollout of hundreds differs in is told by a few. */
const BURST = 10;
const LINE_MS = 1_000;

export function createShadow({ shadowOf, clock, log, count }: ShadowOptions): Observer {
  const mayLog = createPace(clock);
  return {
    missed: () => count("dropped"),
    see(seen) {
      const { outcome: { request, decision }, cluster, injector, path } = seen;
      // Only pods being created, and none that somebody merely asks about.
      if (request?.object === undefined || decision === "ignored" || request.dryRun) return;
      const shadow = shadowOf(injector);
      if (shadow === undefined) return count("failed");
      const { object } = request;
      let changes: readonly Change[];
      try {
        const after = tryInjection({
          object,
          namespace: request.namespace ?? "",
          proxyEnv: shadow.urlEnv(path),
        }, { admit: shadow.admit, cluster });
        changes = differences(seen, after);
      } catch (error) {
        count("failed");
        throw error;
      }
      count(changes.length === 0 ? "same" : "different");
      if (changes.length === 0) return;
      const held = mayLog();
      if (held === undefined) return;
      log.info("shadow configuration differs", {
        namespace: request.namespace ?? "",
        pod: seen.outcome.podName,
        changes: summaryOf(changes),
        ...(held === 0 ? {} : { untold: held }),
      });
    },
  };
}

function differences({ outcome }: Seen, after: Injection): readonly Change[] {
  // Nearly always, and it spares reading the patch.
  const isSame = after.decision === outcome.decision && outcome.patch !== undefined &&
    JSON.stringify(after.patch) === outcome.patch;
  return isSame ? [] : injectionChanges(outcome.request?.object, {
    before: injectionOf(outcome),
    after,
  });
}

function injectionOf({ decision, reason, patch, message }: ReviewOutcome): Injection {
  return {
    decision: decision === "ignored" ? "skipped" : decision,
    reason: reason as Injection["reason"],
    ...(patch === undefined ? {} : { patch: JSON.parse(patch) }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Gives how many were held back since the last time, or `undefined` where this one is. */
function createPace(clock: Pick<Clock, "monotonic">): () => number | undefined {
  let [left, at, held] = [BURST, clock.monotonic(), 0];
  return () => {
    const now = clock.monotonic();
    const earned = Math.floor((now - at) / LINE_MS);
    left = Math.min(BURST, left + earned);
    at += earned * LINE_MS;
    if (left === 0) {
      held++;
      return undefined;
    }
    left--;
    const told = held;
    held = 0;
    return told;
  };
}
