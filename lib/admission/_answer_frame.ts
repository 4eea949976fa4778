/** The JSON of an answer, split around the parts that differ between replicas of one workload. */

import { visible } from "../data/visible.ts";
import type { ReviewOutcome } from "./answer_review.ts";
import { type Review, REVIEW_KIND } from "./review.ts";

/** The text of an answer without the uid and the patch. */
export interface AnswerFrame {
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

/**
 * The maximum length of a denial's message. kubectl prints all of it; an Event of the pod's
 * controller has the first 1024 bytes. Istio's longest message in the conformance data has 656
 * characters; template errors quote more.
 */
const MAX_MESSAGE = 4096;

/** Bounds and escapes a message, keeping line breaks, which Istio's own messages contain. */
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
    // The API server prefixes the key with the webhook's name.
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

/** Formats an answer; the patch is empty if there is none. */
export function framed(
  { before, between, after }: AnswerFrame,
  { uid, patch }: { uid: string; patch: Uint8Array },
): string {
  return before + JSON.stringify(uid) + between + patch.toBase64() + after;
}
