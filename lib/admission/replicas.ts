/**
 * Answers that serve the other replicas of a workload, too: pods that a controller makes of one template
 * differ in the name of their token volume alone, and all but one of a hundred need no injecting.
 *
 * An answer is kept only if the injection proved that it hangs on nothing that differs: see
 * `PrivateName` and `maskReview`. It holds for one injector, and as long as the cluster looks as it did.
 */
import { BoundedCache, bytesOf } from "../data/bounded_cache.ts";
import { equalJson } from "../data/json.ts";
import type { ClusterFacts } from "../inject/engine.ts";
import type { StringMap } from "../inject/pod.ts";
import type { MaskedReview } from "./_masked_review.ts";
import { type AnswerFrame, framed } from "./_answer_frame.ts";
import type { ReviewAnswer, ReviewOutcome } from "./answer_review.ts";
import { readReviewText } from "./review.ts";

/** As much as the answers to some 1,400 workloads take, at 12 KB each with their reviews. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Larger reviews would push hundreds of others out. */
const MAX_ENTRY_BYTES = MAX_BYTES / 16;

/** What is kept with an answer besides its text: objects of some dozen fields. */
const ANSWER_BYTES = 1024;

interface KeptAnswer {
  readonly frame: AnswerFrame;
  /** The patch around the name of the token volume, mostly in one piece. */
  readonly patch: readonly string[];
  readonly outcome: ReviewOutcome;
  /** What was told to the log on the way. */
  readonly told: readonly string[];
  readonly namespace: string;
  facts: Facts;
}

/** What an injection may have seen of the cluster. */
interface Facts extends Pick<ClusterFacts, "nodes" | "proxyConfigs"> {
  readonly annotations: StringMap | undefined;
  readonly hasNamespaces: boolean;
}

export interface KeepOptions {
  readonly masked: MaskedReview;
  readonly path: string;
  readonly cluster: ClusterFacts;
  /** What was told to the log on the way. */
  readonly told: readonly string[];
  readonly frame: AnswerFrame;
}

export interface FindOptions {
  readonly text: string;
  readonly path: string;
  readonly cluster: ClusterFacts;
  readonly tell: (message: string) => void;
}

export class Replicas {
  readonly #answers = new BoundedCache<KeptAnswer>(MAX_BYTES);

  /** The answer to a review, if it is one that was answered before but for its uid and token. */
  find(masked: MaskedReview, { text, path, cluster, tell }: FindOptions): ReviewAnswer | undefined {
    const kept = this.#answers.get(keyOf(masked, path));
    if (kept === undefined) return undefined;
    const facts = factsOf(cluster, kept.namespace);
    if (!isSame(facts, kept.facts)) return undefined;
    kept.facts = facts;
    kept.told.forEach(tell);
    const { uid, token } = masked;
    const patch = kept.patch.join(token);
    const request = {
      ...kept.outcome.request,
      uid,
      get object() {
        // Hardly anybody asks.
        return readReviewText(text, { kindRequired: false }).request?.object;
      },
    };
    const body = framed(kept.frame, { uid, patch });
    return { body, outcome: { ...kept.outcome, request, patch } };
  }

  /** Keeps an answer whose injection proved that the token volume's name does not matter to it. */
  keep(outcome: ReviewOutcome, { masked, path, cluster, told, frame }: KeepOptions): void {
    const { request, patch } = outcome;
    const { uid, token, tokens, times } = masked;
    if (outcome.decision !== "injected" || patch === undefined || request?.uid !== uid) return;
    if (countNames(request.object, token) !== tokens) return;
    // Managed fields are none of an injection's business, as long as their times are some.
    if (countTimes(request.object) !== times) return;
    const { object, ...known } = request;
    const { metadata } = object as { metadata?: { namespace?: unknown } };
    const namespace = String(metadata?.namespace || request.namespace || "");
    const bytes = bytesOf(patch) + ANSWER_BYTES;
    if (bytes > MAX_ENTRY_BYTES) return;
    const entry: KeptAnswer = {
      frame,
      patch: token === "" ? [patch] : patch.split(token),
      outcome: { ...outcome, request: known, patch: undefined },
      told,
      namespace,
      facts: factsOf(cluster, namespace),
    };
    this.#answers.set(keyOf(masked, path), entry, bytes);
  }
}

function keyOf({ mask }: MaskedReview, path: string): string {
  return `${path.length}:${path}${mask}`;
}

function factsOf(
  { nodes, proxyConfigs, namespaceAnnotations }: ClusterFacts,
  namespace: string,
): Facts {
  const annotations = namespaceAnnotations?.(namespace);
  return { nodes, proxyConfigs, annotations, hasNamespaces: namespaceAnnotations !== undefined };
}

function isSame(a: Facts, b: Facts): boolean {
  return a.hasNamespaces === b.hasNamespaces && equalJson(a.nodes, b.nodes) &&
    equalJson(a.proxyConfigs, b.proxyConfigs) && equalJson(a.annotations, b.annotations);
}

function countTimes(object: unknown): number {
  const { metadata } = object as { metadata?: { managedFields?: unknown } };
  const entries = metadata?.managedFields;
  if (!Array.isArray(entries)) return 0;
  return entries.filter((entry) => typeof entry?.time === "string").length;
}

/** How many volumes and mounts of a pod have the name. */
function countNames(object: unknown, name: string): number {
  const { spec } = object as { spec?: Readonly<Record<string, unknown>> };
  const inList = (list: unknown) =>
    Array.isArray(list) ? list.filter((item) => item?.name === name).length : 0;
  const containers = ["containers", "initContainers", "ephemeralContainers"].flatMap((key) => {
    const list = spec?.[key];
    return Array.isArray(list) ? list as ({ volumeMounts?: unknown } | null)[] : [];
  });
  return name === "" ? 0 : inList(spec?.volumes) +
    containers.reduce((sum, container) => sum + inList(container?.volumeMounts), 0);
}
