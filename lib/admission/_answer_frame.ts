/** The JSON of an answer, around what differs between the answers to replicas of one workload. */

import { visible } from "../data/visible.ts";
import type { ReviewOutcome } from "./answer_review.ts";
import { type Review, REVIEW_KIND } from "./review.ts";

/** An answer's text but for the uid and the patch, which stand between these. */
export interface AnswerFrame {
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

/**
 * Longest message of a denial. kubectl prints all of it, and an Event of the pod's controller the first
 * 1024 bytes. Istio's longest message in the conformance data has 656 characters; errors of templates
 * quote more.
 */
const MAX_MESSAGE = 4096;

/** The message as it leaves: bounded, and without power over a terminal. Istio's own break lines. */
function messageOf(message: string): string {
  return visible(message, { kept: "\n\t", limit: MAX_MESSAGE });
}

export function frameOf({ apiVersion }: Review, outcome: ReviewOutcome): AnswerFrame {
  const { decision, reason, message, patch, warnings } = outcome;
  const about = apiVersion === undefined ? {} : { kind: REVIEW_KIND, apiVersion };
  const first = {
    allowed: decision !== "denied",
    ...(message === undefined ? {} : { status: { metadata: {}, message: messageOf(message) } }),
  };
  const last = {
    ...(patch === undefined ? {} : { patchType: "JSONPatch" }),
    // The API server puts the webhook's name in front.
    auditAnnotations: { reason },
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  const members = (value: object) => JSON.stringify(value).slice(1, -1);
  return {
    before: `{${members(about)}${apiVersion === undefined ? "" : ","}"response":{"uid":`,
    between: `,${members(first)}${patch === undefined ? "," : ',"patch":"'}`,
    after: `${patch === undefined ? "" : '",'}${members(last)}}}`,
  };
}

/** The answer's text; the patch is empty where there is none. */
export function framed(
  { before, between, after }: AnswerFrame,
  { uid, patch }: { uid: string; patch: Uint8Array },
): string {
  return before + JSON.stringify(uid) + between + patch.toBase64() + after;
}
