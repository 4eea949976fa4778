/**
 * Answers that serve the other replicas of a workload, too: pods that a controller makes of one template
 * differ in the name of their token volume alone, and all but one of a hundred need no injecting.
 *
 * An answer is kept only if the injection proved that it hangs on nothing that differs: see
 * `PrivateName` and `maskReview`. It holds for one injector, and as long as the cluster looks as it did.
 */
import { BoundedCache, bytesOf } from "../data/bounded_cache.ts";
import { equalJson } from "../data/json.ts";
import type { ClusterFacts, StringMap } from "../inject/mod.ts";
import type { MaskedReview } from "./_masked_review.ts";
import { type AnswerFrame, framed } from "./_answer_frame.ts";
import type { ReviewAnswer, ReviewOutcome } from "./answer_review.ts";
import { type AdmissionRequest, readReviewText } from "./review.ts";

/** As much as the answers to some 1,600 workloads take, at 2.5 KB each. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A larger patch takes milliseconds to pack; ordinary ones have 7 KB. */
const MAX_PATCH_LENGTH = 128 * 1024;

/** Larger answers would push hundreds of others out. */
const MAX_ENTRY_BYTES = MAX_BYTES / 16;

/** What the objects of a kept answer take besides their texts, measured. */
const ANSWER_BYTES = 1536;

/** What it takes to keep answers. */
export interface KeepAnswers {
  /**
   * Names a text by one that is short, and in such a way that nobody can make two texts with one name: a
   * cryptographic hash. Answers are found by it, and pods come from anybody.
   */
  readonly digest: (text: string) => string;
  /**
   * Makes data small, the smaller the more alike it is to other data. Patches are much alike: the
   * twentieth part is left of one.
   */
  readonly pack: (data: Uint8Array, like: Uint8Array) => Uint8Array;
  readonly unpack: (packed: Uint8Array, like: Uint8Array) => Uint8Array;
}

interface KeptAnswer {
  readonly frame: AnswerFrame;
  /** Packed. */
  readonly patch: Uint8Array;
  /** The token volume's name, where the patch has it in it. */
  readonly token: string | undefined;
  readonly outcome: Omit<ReviewOutcome, "request" | "patch">;
  /** What of a request is told of each decision. */
  readonly request: Pick<
    AdmissionRequest,
    "kind" | "namespace" | "name" | "operation" | "subResource" | "dryRun"
  >;
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
  readonly key: string;
  readonly masked: MaskedReview;
  readonly cluster: ClusterFacts;
  /** What was told to the log on the way. */
  readonly told: readonly string[];
  readonly frame: AnswerFrame;
}

export interface FindOptions {
  readonly masked: MaskedReview;
  readonly text: string;
  readonly cluster: ClusterFacts;
  readonly tell: (message: string) => void;
}

export class Replicas {
  readonly #answers = new BoundedCache<KeptAnswer>(MAX_BYTES);
  readonly #keeping: KeepAnswers;
  /** The patch that was kept first, which the others are packed by. */
  #like: Uint8Array | undefined;

  constructor(keeping: KeepAnswers) {
    this.#keeping = keeping;
  }

  /** The answer to a review, if it is one that was answered before but for its uid and token. */
  find(key: string, { masked, text, cluster, tell }: FindOptions): ReviewAnswer | undefined {
    const kept = this.#answers.get(key);
    if (kept === undefined) return undefined;
    const facts = factsOf(cluster, kept.namespace);
    if (!isSame(facts, kept.facts)) return undefined;
    kept.facts = facts;
    kept.told.forEach(tell);
    const { uid, token } = masked;
    let patch = this.#keeping.unpack(kept.patch, this.#like!);
    if (kept.token !== undefined) {
      patch = new TextEncoder().encode(textOf(patch).replaceAll(kept.token, token));
    }
    const outcome = {
      ...kept.outcome,
      request: new ReplicaRequest(kept.request, { uid, text }),
      get patch() {
        return textOf(patch);
      },
    };
    return { body: framed(kept.frame, { uid, patch }), outcome, isRepeat: true };
  }

  /** Keeps an answer whose injection proved that the token volume's name does not matter to it. */
  keep(outcome: ReviewOutcome, { key, masked, cluster, told, frame }: KeepOptions): void {
    const { request, patch, ...rest } = outcome;
    const { uid, token, tokens, times } = masked;
    if (outcome.decision !== "injected" || patch === undefined || request?.uid !== uid) return;
    if (patch.length > MAX_PATCH_LENGTH || countNames(request.object, token) !== tokens) return;
    // Managed fields are none of an injection's business, as long as their times are some.
    if (countTimes(request.object) !== times) return;
    const { kind, name, operation, subResource, dryRun } = request;
    const { metadata } = request.object as { metadata?: { namespace?: unknown } };
    const namespace = String(metadata?.namespace || request.namespace || "");
    const data = new TextEncoder().encode(patch);
    this.#like ??= data;
    const packed = this.#keeping.pack(data, this.#like);
    const entry: KeptAnswer = {
      frame,
      patch: packed,
      token: token !== "" && patch.includes(token) ? copied(token) : undefined,
      outcome: rest,
      request: { kind, namespace: request.namespace, name, operation, subResource, dryRun },
      told,
      namespace,
      facts: factsOf(cluster, namespace),
    };
    // Whatever of it a pod may make long is counted.
    const texts = JSON.stringify([frame, rest, entry.request, told, namespace]);
    const bytes = packed.length + bytesOf(texts) + ANSWER_BYTES;
    if (bytes <= MAX_ENTRY_BYTES) this.#answers.set(key, entry, bytes);
  }
}

/** A part of a text may keep all of it in memory; this does not. */
function copied(part: string): string {
  return textOf(new TextEncoder().encode(part));
}

function textOf(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}

/** A replica's request. Of what is in its text, hardly anybody asks for more than is kept. */
class ReplicaRequest implements AdmissionRequest {
  readonly uid: string;
  readonly kind;
  readonly namespace;
  readonly name;
  readonly operation;
  readonly subResource;
  readonly dryRun;
  readonly #text: string;
  #whole: AdmissionRequest | undefined;

  constructor(known: KeptAnswer["request"], { uid, text }: { uid: string; text: string }) {
    this.uid = uid;
    this.kind = known.kind;
    this.namespace = known.namespace;
    this.name = known.name;
    this.operation = known.operation;
    this.subResource = known.subResource;
    this.dryRun = known.dryRun;
    this.#text = text;
  }

  get userInfo(): AdmissionRequest["userInfo"] {
    return this.#read().userInfo;
  }

  get object(): unknown {
    return this.#read().object;
  }

  #read(): AdmissionRequest {
    return this.#whole ??= readReviewText(this.#text, { kindRequired: false }).request ?? {};
  }
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
