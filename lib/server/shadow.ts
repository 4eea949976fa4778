/**
 * Injects every answered pod again with a second configuration, and reports how many pods would
 * differ and where. Its results never reach a pod.
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
  /** Returns the shadow injector for an injector; `undefined` while there is no valid one. */
  readonly shadowOf: (injector: ReviewInjector) => ReviewInjector | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
  readonly count: (result: ShadowResult) => void;
}

/** Log limits: a burst, then one line a second. A few lines describe a rollout of hundreds. */
const BURST = 10;
const LINE_MS = 1_000;

export function createShadow({ shadowOf, clock, log, count }: ShadowOptions): Observer {
  const mayLog = createPace(clock);
  return {
    missed: () => count("dropped"),
    see(seen) {
      const { outcome: { request, decision }, cluster, injector, path } = seen;
      // Only pods that are being created, and no dry runs.
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
        ...(held === 0 ? {} : { suppressed: held }),
      });
    },
  };
}

function differences({ outcome }: Seen, after: Injection): readonly Change[] {
  // The common case, which avoids parsing the patch.
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

/**
 * Returns a rate limiter: it gives the number of lines suppressed since the last one, or
 * `undefined` to suppress this one.
 */
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
