/** What other rooms may use of lib/compare. */

export { type Change, changeLine, summaryOf } from "./changes.ts";
export { type Drift, driftOf, type DriftOptions } from "./drift.ts";
export { type ChangeGroup, ChangeGroups } from "./groups.ts";
export { type Injection, injectionChanges, tryInjection } from "./injection.ts";
export { type Between, between, keyOf, type Workload, workloadOf } from "./owners.ts";
export {
  configLine,
  readRecordLine,
  type RecordedConfig,
  type RecordedReview,
  RecordingError,
  type RecordLine,
  reviewLine,
} from "./recording.ts";
export { annotationsOf } from "./redact.ts";
export { Replay, type ReplayPair, type ReplayResult } from "./replay.ts";
export {
  type Budget,
  type DriftedWorkload,
  restartPlan,
  type RestartStep,
} from "./restart_plan.ts";
