/** What other rooms may use of lib/explain. */

export { controlledPod } from "./controlled_pod.ts";
export {
  type ChainStep,
  explain,
  type ExplainRequest,
  type Explanation,
  type StepId,
} from "./explain.ts";
export { type Finding, lint, type LintReport, type Severity } from "./lint.ts";
export { KIND_WORDS, type NamedSource } from "./named_source.ts";
export type { Provenance } from "./provenance.ts";
export { type AdmissionTracer, createAdmissionTracer } from "./trace_admission.ts";
export { annotatedLines, type TracedWorkload, traceInjection } from "./trace_injection.ts";
export { createUninjector, type UninjectedWorkload } from "./uninject.ts";
