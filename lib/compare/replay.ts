/**
 * Replays a recording: injects each review with the old and with the new configuration, and
 * collects the differences. Redaction can change a pod's injection. If the old configuration does
 * not decide as recorded, the pod is reported, because its comparison proves nothing.
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
  /** Whether `before` is the configuration that answered, and so must decide the same again. */
  readonly isOriginal: boolean;
  /** Called before each injection, to give both sides the same time and randomness. */
  readonly begin?: (review: RecordedReview) => void;
}

export interface ReplayResult {
  readonly reviews: number;
  readonly changed: number;
  /** Pods that the recorded configuration now decides differently. */
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
 * Reports whether the pod was injected before it was sent. Redaction changes what that injection
 * wrote into containers, so replacing it takes more operations than recorded.
 */
function wasInjected(object: unknown): boolean {
  const { metadata } = (object ?? {}) as { metadata?: { annotations?: StringMap | null } | null };
  return Object.hasOwn(metadata?.annotations ?? {}, STATUS);
}

/** Returns the name as far as it is known at admission: `shop/web-5d4f8-*`. */
function podName({ namespace, object }: RecordedReview): string {
  const { metadata } = (object ?? {}) as { metadata?: Readonly<Record<string, unknown>> };
  const text = (key: string) => {
    const value = metadata?.[key];
    return typeof value === "string" ? value : "";
  };
  const name = text("name") || (text("generateName") ? `${text("generateName")}*` : "?");
  return `${text("namespace") || namespace}/${name}`;
}
