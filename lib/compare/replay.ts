/**
 * A recording against a configuration: each review goes through the injector that was and the one that
 * may come, and what differs is gathered. What is redacted can make a pod another than it was; where the
 * old injector does not decide as it did then, that is told, since nothing follows from such a pod.
 */

import type { Change } from "./changes.ts";
import { STATUS, type StringMap } from "../inject/mod.ts";
import { type ChangeGroup, ChangeGroups } from "./groups.ts";
import { type Admit, injectionChanges, tryInjection } from "./injection.ts";
import { factsOf, type RecordedReview } from "./recording.ts";

/** One side of the comparison. */
export interface ReplayInjector {
  readonly admit: Admit;
  readonly urlEnv: (path: string) => Readonly<Record<string, string>>;
}

export interface ReplayPair {
  readonly before: ReplayInjector;
  readonly after: ReplayInjector;
  /** Whether `before` is what answered then, so that it must decide the same again. */
  readonly isOriginal: boolean;
  /** Called before each injection: both sides are to see the same time and the same randomness. */
  readonly begin?: (review: RecordedReview) => void;
}

export interface ReplayResult {
  readonly reviews: number;
  readonly changed: number;
  /** Pods that are decided otherwise than they were, without any change of configuration. */
  readonly notReproduced: readonly string[];
  readonly groups: readonly ChangeGroup<string>[];
}

export class Replay {
  readonly #groups = new ChangeGroups<string>();
  readonly #notReproduced: string[] = [];
  #reviews = 0;
  #changed = 0;

  add(review: RecordedReview, { before, after, isOriginal, begin }: ReplayPair): readonly Change[] {
    const cluster = factsOf(review.cluster);
    const inject = ({ admit, urlEnv }: ReplayInjector) => {
      begin?.(review);
      const { object, namespace } = review;
      return tryInjection({ object, namespace, proxyEnv: urlEnv(review.path) }, { admit, cluster });
    };
    const old = inject(before);
    const name = podName(review);
    const { outcome } = review;
    this.#reviews++;
    const isSame = old.decision === outcome.decision && old.reason === outcome.reason &&
      (wasInjected(review.object) || (old.patch?.length ?? 0) === outcome.operations);
    if (isOriginal && !isSame) this.#notReproduced.push(name);
    const changes = injectionChanges(review.object, { before: old, after: inject(after) });
    if (changes.length > 0) {
      this.#changed++;
      this.#groups.add(name, changes);
    }
    return changes;
  }

  result(): ReplayResult {
    return {
      reviews: this.#reviews,
      changed: this.#changed,
      notReproduced: this.#notReproduced,
      groups: this.#groups.list(),
    };
  }
}

/**
 * Whether the pod was injected before it was sent. What that injection wrote into containers is redacted
 * and so replaced by more operations than it took then.
 */
function wasInjected(object: unknown): boolean {
  const { metadata } = (object ?? {}) as { metadata?: { annotations?: StringMap | null } | null };
  return Object.hasOwn(metadata?.annotations ?? {}, STATUS);
}

/** As far as it is known when a pod is admitted: `shop/web-5d4f8-*`. */
function podName({ namespace, object }: RecordedReview): string {
  const { metadata } = (object ?? {}) as { metadata?: Readonly<Record<string, unknown>> };
  const text = (key: string) => {
    const value = metadata?.[key];
    return typeof value === "string" ? value : "";
  };
  const name = text("name") || (text("generateName") ? `${text("generateName")}*` : "?");
  return `${text("namespace") || namespace}/${name}`;
}
