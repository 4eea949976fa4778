/**
 * Watching an injection from the inside, for those who explain it: each rule of the decision, the pod after each
 * stage, what each template was given and gave. An engine built without a trace knows nothing of this.
 */
import type { TemplateTrace } from "../go/template/mod.ts";
import type { Typed } from "../go/value.ts";
import type { Pod } from "./pod.ts";

/** A rule of the decision, in the order of precedence. */
export type DecisionRule =
  | "host_network"
  | "ignored_namespace"
  | "label"
  | "annotation"
  | "never_selector"
  | "always_selector"
  | "policy";

/** What one rule said; `next`: it leaves the choice to those that follow. */
export interface DecisionStep {
  readonly rule: DecisionRule;
  readonly verdict: "inject" | "skip" | "next";
  /** What it looked at, as far as there was something: a label's value, a selector, the policy. */
  readonly found?: string;
}

/** What may have changed the pod; `template` comes once for each, after its `rendered`. */
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
  /** The pod as it is after a stage. */
  stage?(stage: Stage, pod: Pod): void;
  /** What the templates of a pod are rendered with. */
  data?(data: Typed): void;
  /** The text that a template gave; the one of the `template:` era has no name. */
  rendered?(template: string, text: string): void;
  /** Who is told of the executions of a template; asked once, when it is compiled. */
  template?(name: string): TemplateTrace | undefined;
}
