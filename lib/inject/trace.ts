/**
 * Traces an injection, for explanations: each rule of the decision, the pod after each stage, and each
 * template's input and output. An engine built without a trace does no tracing.
 */
import type { TemplateTrace } from "../go/template/mod.ts";
import type { Typed } from "../go/value.ts";
import type { Pod } from "./pod.ts";

/** A rule of the decision, in order of precedence. */
export type DecisionRule =
  | "host_network"
  | "ignored_namespace"
  | "label"
  | "annotation"
  | "never_selector"
  | "always_selector"
  | "policy";

/** The outcome of one rule; `next` leaves the choice to later rules. */
export interface DecisionStep {
  readonly rule: DecisionRule;
  readonly verdict: "inject" | "skip" | "next";
  /** What the rule found, if anything: a label's value, a selector, the policy. */
  readonly found?: string;
}

/** A stage that may change the pod; `template` occurs once per template, after its `rendered`. */
export type Stage =
  | "original"
  | "template"
  | "overrides"
  | "cluster_env"
  | "prometheus"
  | "probes"
  | "metadata"
  | "order";

export interface InjectionTrace {
  decision?(step: DecisionStep): void;
  /** Receives the pod after a stage. */
  stage?(stage: Stage, pod: Pod): void;
  /** Receives the data that a pod's templates are rendered with. */
  data?(data: Typed): void;
  /** Receives a template's output; a legacy single template has no name. */
  rendered?(template: string, text: string): void;
  /** Returns the trace for a template's executions; called once, when the template is compiled. */
  template?(name: string): TemplateTrace | undefined;
}
