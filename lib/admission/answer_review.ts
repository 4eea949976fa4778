/**
 * One review's way: bytes in, the JSON of the answer out, and what was decided beside it for logs and
 * metrics. The only place where errors become answers. An error that is none of ours leaves it: the
 * server says 500 then, and the webhook's failure policy decides.
 */

import type { Admission, AdmitRequest } from "../inject/admit.ts";
import type { ClusterFacts } from "../inject/engine.ts";
import { InjectionError, type InjectionErrorCode } from "../inject/errors.ts";
import { type ObjectMeta, potentialPodName, type StringMap } from "../inject/pod.ts";
import type { ReasonId } from "../inject/reasons.ts";
import {
  type AdmissionRequest,
  readReview,
  type Review,
  REVIEW_KIND,
  ReviewError,
} from "./review.ts";
import { deprecations, shortWarnings } from "./_warnings.ts";

/** What is made ready of a config, as this room needs it. */
export interface ReviewInjector {
  /** Throws an InjectionError where the pod is refused. */
  admit(request: AdmitRequest, cluster: ClusterFacts): ReviewAdmission;
  /** Variables that the webhook's URL asks for. */
  urlEnv(path: string): StringMap;
  /** Whether a review has to say what it is. */
  readonly kindRequired: boolean;
}

export interface ReviewAdmission extends Admission {
  /** Names of the templates that made the patch. */
  readonly templates?: readonly string[];
}

/** Why a request was not looked at, or refused before its pod was. */
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
  /** Absent where the body was no review with a request. */
  readonly request?: AdmissionRequest;
  /** The pod's name, or what is known of it. */
  readonly podName: string;
  readonly templates: readonly string[];
  /** The patch as JSON, and how many operations it has. */
  readonly patch?: string;
  readonly operations: number;
  readonly warnings: readonly string[];
  /** Why it was denied. */
  readonly message?: string;
}

export interface ReviewAnswer {
  /** JSON of an AdmissionReview. */
  readonly body: string;
  readonly outcome: ReviewOutcome;
}

export interface AnswerReviewOptions {
  readonly injector: ReviewInjector;
  /** Path of the URL, decoded. */
  readonly path: string;
  readonly cluster: ClusterFacts;
}

export function answerReview(body: Uint8Array, options: AnswerReviewOptions): ReviewAnswer {
  let review: Review = {};
  try {
    review = readReview(body, options.injector);
  } catch (error) {
    if (!(error instanceof ReviewError)) throw error;
    return answer(review, denial(review, error.code, error.message));
  }
  return answer(review, decideOn(review, options));
}

function decideOn(review: Review, { injector, path, cluster }: AnswerReviewOptions): ReviewOutcome {
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
    const { decision, patch, templates = [] } = injector.admit({
      object: request.object,
      namespace: request.namespace ?? "",
      proxyEnv: injector.urlEnv(path),
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
      warnings: shortWarnings([...decision.warnings, ...deprecations(annotations)]),
    };
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    return denial(review, error.code, error.message);
  }
}

/**
 * Only pods that are being created are changed. A request that leaves kind or operation out is taken
 * at its webhook's word: rules send no others.
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

/** Metadata as sent, where it is any; whoever decodes the pod says what is wrong with it. */
function metadataOf(object: unknown): Pick<ObjectMeta, "name" | "generateName" | "annotations"> {
  const { metadata } = (object ?? {}) as { metadata?: Partial<Record<keyof ObjectMeta, unknown>> };
  const { name, generateName, annotations } = metadata ?? {};
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof generateName === "string" ? { generateName } : {}),
    ...(typeof annotations === "object" ? { annotations: annotations as StringMap } : {}),
  };
}

function answer({ apiVersion, request }: Review, outcome: ReviewOutcome): ReviewAnswer {
  const { decision, reason, patch, message, warnings } = outcome;
  const body = JSON.stringify({
    ...(apiVersion === undefined ? {} : { kind: REVIEW_KIND, apiVersion }),
    response: {
      uid: request?.uid ?? "",
      allowed: decision !== "denied",
      ...(message === undefined ? {} : { status: { metadata: {}, message } }),
      ...(patch === undefined
        ? {}
        : { patch: new TextEncoder().encode(patch).toBase64(), patchType: "JSONPatch" }),
      // The API server puts the webhook's name in front.
      auditAnnotations: { reason },
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  });
  return { body, outcome };
}
