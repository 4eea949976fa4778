/**
 * Reuses answers for other replicas of a workload. Pods created from one template differ only in
 * the name of their token volume, so only the first of them needs to be injected.
 *
 * An answer is kept only if the injection proved that it does not depend on anything that differs:
 * see `PrivateName` and `maskReview`. It is valid for one injector, and while the cluster facts
 * that it used are unchanged.
 */
import { BoundedCache, bytesOf } from "../data/bounded_cache.ts";
import { equalJson } from "../data/json.ts";
import type { ClusterFacts, StringMap } from "../inject/mod.ts";
import type { MaskedReview } from "./_masked_review.ts";
import { type AnswerFrame, framed } from "./_answer_frame.ts";
import type { ReviewAnswer, ReviewOutcome } from "./answer_review.ts";
import { type AdmissionRequest, readReviewText } from "./review.ts";

/** The size of the cache: the answers to about 1,600 workloads, at 2.5 KB each. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The maximum size of a patch to keep. Packing larger ones takes milliseconds; ordinary ones have 7
 * KB.
 */
const MAX_PATCH_LENGTH = 128 * 1024;

/** The maximum size of an answer, so that none evicts hundreds of others. */
const MAX_ENTRY_BYTES = MAX_BYTES / 16;

/** The memory of a kept answer besides its strings, as measured. */
const ANSWER_BYTES = 1536;

/** The functions needed to keep answers. */
export interface KeepAnswers {
  /**
   * Hashes a text. The hash must be cryptographic, because answers are found by it, and anyone can
   * create pods.
   */
  readonly digest: (text: string) => string;
  /**
   * Compresses data with similar data as a dictionary. Patches are so similar that one shrinks to a
   * twentieth.
   */
  readonly pack: (data: Uint8Array, like: Uint8Array) => Uint8Array;
  readonly unpack: (packed: Uint8Array, like: Uint8Array) => Uint8Array;
}

interface KeptAnswer {
  readonly frame: AnswerFrame;
  /** Compressed. */
  readonly patch: Uint8Array;
  /** The token volume's name, if the patch contains it. */
  readonly token: string | undefined;
  readonly outcome: Omit<ReviewOutcome, "request" | "patch">;
  /** The fields of a request that decision logs use. */
  readonly request: Pick<
    AdmissionRequest,
    "kind" | "namespace" | "name" | "operation" | "subResource" | "dryRun"
  >;
  /** The log messages of the injection. */
  readonly told: readonly string[];
  readonly namespace: string;
  facts: Facts;
}

/** The cluster facts that an injection may have used. */
interface Facts extends Pick<ClusterFacts, "nodes" | "proxyConfigs"> {
  readonly annotations: StringMap | undefined;
  readonly hasNamespaces: boolean;
}

export interface KeepOptions {
  readonly key: string;
  readonly masked: MaskedReview;
  readonly cluster: ClusterFacts;
  /** The log messages of the injection. */
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
  /** The first patch kept, used as the dictionary for the others. */
  #like: Uint8Array | undefined;

  constructor(keeping: KeepAnswers) {
    this.#keeping = keeping;
  }

  /** Returns the answer to an earlier review that differs only in uid and token. */
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

  /** Keeps an answer that provably does not depend on the token volume's name. */
  keep(outcome: ReviewOutcome, { key, masked, cluster, told, frame }: KeepOptions): void {
    const { request, patch, ...rest } = outcome;
    const { uid, token, tokens, times } = masked;
    if (outcome.decision !== "injected" || patch === undefined || request?.uid !== uid) return;
    if (patch.length > MAX_PATCH_LENGTH || countNames(request.object, token) !== tokens) return;
    // Injection ignores managed fields, as long as all their times are strings.
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
    // Count every string whose length a pod can influence.
    const texts = JSON.stringify([frame, rest, entry.request, told, namespace]);
    const bytes = packed.length + bytesOf(texts) + ANSWER_BYTES;
    if (bytes <= MAX_ENTRY_BYTES) this.#answers.set(key, entry, bytes);
  }
}

/** Copies a part of a text. A slice would keep the whole text in memory. */
function copied(part: string): string {
  return textOf(new TextEncoder().encode(part));
}

function textOf(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}

/**
 * The request of a replica. Other fields than the kept ones are rarely needed, so they are parsed
 * on demand.
 */
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

/** Counts the volumes and mounts with a name. */
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
