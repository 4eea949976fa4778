/** AdmissionReview in and out. */

export {
  type AdmissionReason,
  answerReview,
  type AnswerReviewOptions,
  type ReviewAdmission,
  type ReviewAnswer,
  type ReviewInjector,
  type ReviewOutcome,
} from "./answer_review.ts";
export { type ClusterFacts, ORDINARY_UNITS } from "../inject/mod.ts";
export type { KeepAnswers } from "./replicas.ts";
export { type AdmissionRequest, readReview, type Review, ReviewError } from "./review.ts";
