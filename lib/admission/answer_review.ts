/**
 * Answers one review: takes its bytes, and returns the JSON of the answer and the decision for logs
 * and metrics. This is the only place where errors become answers. Unexpected errors are thrown:
 * the server then answers 500, and the webhook's failure policy decides.
 */

import {
  type Admission,
  type AdmitRequest,
  type ClusterFacts,
  InjectionError,
  type InjectionErrorCode,
  type ObjectMeta,
  potentialPodName,
  PrivateName,
  type ReasonId,
  reviewBudget,
  type StringMap,
} from "../inject/mod.ts";
import type { Budget } from "../data/budget.ts";
import { type AnswerFrame, framed, frameOf } from "./_answer_frame.ts";
import { maskReview } from "./_masked_review.ts";
import { type KeepAnswers, Replicas } from "./replicas.ts";
import {
  type AdmissionRequest,
  readReviewText,
  type Review,
  ReviewError,
  ReviewSizeError,
  reviewText,
} from "./review.ts";
import { deprecations, shortWarnings } from "./_warnings.ts";

/** A configured injector, as admission uses it. */
export interface ReviewInjector {
  /** Injects a pod. Throws an InjectionError if the pod is refused. */
  admit(request: AdmitRequest, cluster: ClusterFacts): ReviewAdmission;
  /** Returns the variables set in the webhook's URL. */
  urlEnv(path: string): StringMap;
  /** Whether a review must have a kind and an apiVersion. */
  readonly kindRequired: boolean;
  /** Whether a review may be YAML. */
  readonly acceptsYaml?: boolean;
  /** Whether the server accepts GET as well as POST. */
  readonly acceptsGet?: boolean;
  /** Whether it uses a request's `privateName`, so that its answers can serve other replicas. */
  readonly keepsNames?: boolean;
  /** Logs a warning of an injection. */
  warn?(message: string): void;
}

export interface ReviewAdmission extends Admission {
  /** The names of the templates that made the patch. */
  readonly templates?: readonly string[];
}

/** Why a request was ignored, skipped or refused. */
export type AdmissionReason =
  | ReasonId
  | InjectionErrorCode
  | "not_a_pod"
  | "not_created"
  | "bad_review"
  | "no_request"
  | "no_object";

export interface ReviewOutcome {
  readonly decision: "injected" | "skipped" | "ignored" | "denied";
  readonly reason: AdmissionReason;
  /** Absent if the body was not a review with a request. */
  readonly request?: AdmissionRequest;
  /** The pod's name, or as much of it as is known. */
  readonly podName: string;
  readonly templates: readonly string[];
  /** The patch as JSON, and its number of operations. */
  readonly patch?: string;
  readonly operations: number;
  readonly warnings: readonly string[];
  /** Whether a value changed the structure of a template, which only caused a warning. */
  readonly structureChanged?: boolean;
  /** Why the pod was denied. */
  readonly message?: string;
}

export interface ReviewAnswer {
  /** An AdmissionReview as JSON. */
  readonly body: string;
  readonly outcome: ReviewOutcome;
  /** Whether the answer was made for an earlier replica. */
  readonly isRepeat: boolean;
}

export interface AnswerReviewOptions {
  readonly injector: ReviewInjector;
  /** The decoded path of the URL. */
  readonly path: string;
  readonly cluster: ClusterFacts;
  /** Enables reusing answers for other replicas of a workload. */
  readonly keepAnswers?: KeepAnswers;
  /** A monotonic clock, in milliseconds; without it, reviews have no deadline. */
  readonly now?: () => number;
  /** Units of work that the review may take; REVIEW_UNITS if absent. */
  readonly units?: number;
}

/** Longer reviews are answered anew: masking and digesting them takes memory, and few workloads are as large. */
const MAX_KEPT_LENGTH = 1024 * 1024;

export function answerReview(body: Uint8Array, options: AnswerReviewOptions): ReviewAnswer {
  const { injector, path, cluster, keepAnswers, now, units } = options;
  const budget = reviewBudget(now, units);
  const text = reviewText(body);
  const masked = keepAnswers && injector.keepsNames && text.length <= MAX_KEPT_LENGTH
    ? maskReview(text)
    : undefined;
  if (keepAnswers === undefined || masked === undefined) {
    const { frame: _, ...anew } = answerText(text, { ...options, budget });
    return anew;
  }
  const replicas = replicasOf(injector, keepAnswers);
  const key = keepAnswers.digest(`${path.length}:${path}${masked.mask}`);
  const tell = (message: string) => injector.warn?.(message);
  const known = replicas.find(key, { masked, text, cluster, tell });
  if (known !== undefined) return known;
  const privateName = new PrivateName(masked.token);
  const { frame, ...anew } = answerText(text, { ...options, budget, privateName });
  const { isPrivate, told } = privateName;
  if (isPrivate) replicas.keep(anew.outcome, { key, masked, cluster, told, frame });
  return anew;
}

/** The kept answers of each injector, garbage-collected with it. */
const kept = new WeakMap<ReviewInjector, Replicas>();

function replicasOf(injector: ReviewInjector, keeping: KeepAnswers): Replicas {
  let replicas = kept.get(injector);
  if (replicas === undefined) kept.set(injector, replicas = new Replicas(keeping));
  return replicas;
}

interface AnswerTextOptions extends AnswerReviewOptions {
  readonly budget: Budget;
  readonly privateName?: PrivateName;
}

interface FramedAnswer extends ReviewAnswer {
  readonly frame: AnswerFrame;
}

function answerText(text: string, options: AnswerTextOptions): FramedAnswer {
  let review: Review = {};
  try {
    const { injector: { kindRequired, acceptsYaml }, budget, now } = options;
    // Fractions of a millisecond since the process started are what nobody outside can know.
    const seed = now === undefined ? 0 : now() * 1_000;
    review = readReviewText(text, { kindRequired, acceptsYaml, budget, seed });
  } catch (error) {
    if (!(error instanceof ReviewError)) throw error;
    if (error instanceof ReviewSizeError) review = error.review;
    return answer(review, denial(review, error.code, error.message));
  }
  return answer(review, decideOn(review, options));
}

function decideOn(
  review: Review,
  { injector, path, cluster, privateName, budget }: AnswerTextOptions,
): ReviewOutcome {
  const { request } = review;
  if (request === undefined) {
    return denial(review, "no_request", "the AdmissionReview has no request");
  }
  const foreign = notOurs(request);
  if (foreign !== undefined) return { ...nothing(review), decision: "ignored", reason: foreign };
  if (request.object === undefined) {
    return denial(review, "no_object", "unexpected end of JSON input");
  }
  try {
    const { decision, patch, templates = [], structureChanges = [] } = injector.admit({
      object: request.object,
      namespace: request.namespace ?? "",
      proxyEnv: injector.urlEnv(path),
      privateName,
      budget,
    }, cluster);
    const outcome = { ...nothing(review), reason: decision.reason };
    if (patch === undefined) {
      const warnings = shortWarnings(decision.warnings);
      return { ...outcome, decision: "skipped", warnings };
    }
    const { annotations } = metadataOf(request.object);
    return {
      ...outcome,
      decision: "injected",
      templates,
      patch: JSON.stringify(patch),
      operations: patch.length,
      warnings: shortWarnings([
        ...structureChanges,
        ...decision.warnings,
        ...deprecations(annotations),
      ]),
      ...(structureChanges.length === 0 ? {} : { structureChanged: true }),
    };
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    return denial(review, error.code, error.message);
  }
}

/**
 * Returns why a request is not for us: only pods being created are injected. A missing kind or
 * operation is accepted, because the webhook's rules select the requests.
 */
function notOurs({ kind, operation, subResource }: AdmissionRequest): AdmissionReason | undefined {
  if ((kind?.kind && kind.kind !== "Pod") || kind?.group || subResource) return "not_a_pod";
  if (operation && operation !== "CREATE") return "not_created";
}

function nothing({ request }: Review): Omit<ReviewOutcome, "decision" | "reason"> {
  return {
    request,
    podName: potentialPodName(metadataOf(request?.object)),
    templates: [],
    operations: 0,
    warnings: [],
  };
}

function denial(review: Review, reason: AdmissionReason, message: string): ReviewOutcome {
  return { ...nothing(review), decision: "denied", reason, message };
}

/** Reads metadata of unknown shape; decoding the pod reports what is wrong with it. */
function metadataOf(object: unknown): Pick<ObjectMeta, "name" | "generateName" | "annotations"> {
  const { metadata } = (object ?? {}) as { metadata?: Partial<Record<keyof ObjectMeta, unknown>> };
  const { name, generateName, annotations } = metadata ?? {};
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof generateName === "string" ? { generateName } : {}),
    ...(typeof annotations === "object" ? { annotations: annotations as StringMap } : {}),
  };
}

function answer(review: Review, outcome: ReviewOutcome): FramedAnswer {
  const frame = frameOf(review, outcome);
  const patch = new TextEncoder().encode(outcome.patch);
  const body = framed(frame, { uid: review.request?.uid ?? "", patch });
  return { body, outcome, isRepeat: false, frame };
}
