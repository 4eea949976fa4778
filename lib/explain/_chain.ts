/** The steps of an explanation: what each rule looked at, what it said, and where that was written. */
import {
  type DecisionRule,
  type DecisionStep,
  INJECT,
  type Pod,
  selectTemplates,
  TEMPLATES,
} from "../inject/mod.ts";
import type { EntryMatch } from "../webhook/match.ts";
import { textsOf } from "./_json.ts";
import type { ExplainFacts } from "./explain.ts";

export type StepId = "webhook" | "operation" | DecisionRule | "templates" | "result";

/**
 * `pass`: it has no objection; `inject` and `skip`: it decides; `fail`: it refuses the pod; `unknown`: it can't be
 * told from what is at hand.
 */
export type StepVerdict = "pass" | "inject" | "skip" | "fail" | "unknown";

export interface ChainStep {
  readonly id: StepId;
  readonly verdict: StepVerdict;
  /** Whether an earlier step already ended the matter, so that this one says what would have been. */
  readonly reached: boolean;
  /** What was found, as in `label sidecar.istio.io/inject is "true"`. */
  readonly found: string;
  /** The rule, as in `a pod on the host's network is never injected`. */
  readonly rule: string;
  /** Where that was written. */
  readonly from: string;
}

export function chainOf(facts: ExplainFacts): ChainStep[] {
  const { decisions, isCalled, subject, error } = facts;
  const { reason } = facts;
  const steps: Omit<ChainStep, "reached">[] = [
    ...webhookSteps(facts),
    ...decisions.map((step) => decisionStep(step, facts)),
  ];
  // A pod that can't be read is refused before anything is decided.
  const isDecided = reason !== undefined || decisions.length > 0;
  const isWanted = error !== undefined || facts.patched;
  if (isDecided && isWanted) steps.push(templatesStep(facts));
  steps.push({
    id: "result",
    verdict: error !== undefined ? "fail" : facts.patched && isCalled ? "inject" : "skip",
    found: resultText(facts),
    rule: error === undefined
      ? "what the templates give is merged into the pod"
      : "a pod that can't be injected is refused; the webhook's failurePolicy has no say in it",
    from: subject.workload,
  });
  const end = isCalled ? steps.length : steps.findIndex(({ id }) => id === "webhook") + 1;
  return steps.map((step, i) => ({ ...step, reached: i < end || step.id === "result" }));
}

function resultText({ error, patched, adds, isCalled }: ExplainFacts): string {
  if (error !== undefined) return `refused: ${error}`;
  if (!patched || adds === undefined) return "left as it is";
  const what = [...adds.initContainers.map((name) => `${name} (init)`), ...adds.containers];
  const text = what.length === 0
    ? `${adds.operations} changes, no container`
    : `${what.join(", ")} in ${adds.operations} changes`;
  return isCalled ? text : `left as it is; the injector would have added ${text}`;
}

function webhookSteps(facts: ExplainFacts): Omit<ChainStep, "reached">[] {
  const { request, matches, isCalled, origins } = facts;
  const rule = "the API server calls an injector whose namespaceSelector and objectSelector match";
  const operation: Omit<ChainStep, "reached"> = {
    id: "operation",
    verdict: "pass",
    found: "CREATE of a pod",
    rule: "a pod is injected when it is created, never later",
    from: "rules of the webhook configuration",
  };
  if (request.webhooks === undefined) {
    return [{
      id: "webhook",
      verdict: "unknown",
      found: "no webhook configuration at hand; taken as called",
      rule,
      from: "",
    }, operation];
  }
  const injectors = matches.filter(({ isInjector }) => isInjector);
  const calls = injectors.filter(({ calls }) => calls);
  if (isCalled) {
    const conditions = [...new Set(calls.flatMap(({ unevaluated }) => unevaluated))];
    const unsure = conditions.length === 0
      ? ""
      : ` (match conditions not evaluated: ${conditions.join(", ")})`;
    return [{
      id: "webhook",
      verdict: conditions.length === 0 ? "pass" : "unknown",
      found: `called: ${calls.map(({ entry }) => entry).join(", ")}${unsure}`,
      rule,
      from: configurationsText(calls),
    }, operation];
  }
  return [{
    id: "webhook",
    verdict: "skip",
    found: notCalledText(injectors, request.namespaceFacts === undefined),
    rule,
    from: injectors.length === 0 ? origins.webhooks : configurationsText(injectors),
  }, operation];
}

function configurationsText(matches: readonly EntryMatch[]): string {
  const names = [...new Set(matches.map(({ configuration }) => JSON.stringify(configuration)))];
  return `MutatingWebhookConfiguration ${names.join(", ")}`;
}

function notCalledText(injectors: readonly EntryMatch[], isUnknown: boolean): string {
  if (injectors.length === 0) return "there is no webhook of an injector";
  const unsure = isUnknown ? "; the namespace's labels are not known, none assumed" : "";
  const count = injectors.length === 1 ? "the one entry" : `any of ${injectors.length} entries`;
  return `not called: no match with ${count}${unsure}`;
}

const RULES: Readonly<Record<DecisionRule, string>> = {
  host_network: "a pod on the host's network is never injected",
  ignored_namespace: "pods of the cluster's own namespaces are never injected",
  label: 'the pod\'s label decides where it is "true" or "false"',
  annotation: "without the label the pod's annotation decides",
  never_selector:
    "where the pod says nothing, a neverInjectSelector that matches its labels decides",
  always_selector: "then an alwaysInjectSelector that matches its labels",
  policy: "then the policy, and one that is none turns injection off",
};

function decisionStep(
  { rule, verdict, found }: DecisionStep,
  facts: ExplainFacts,
): Omit<ChainStep, "reached"> {
  return {
    id: rule,
    verdict: verdict === "next" ? "pass" : verdict,
    found: foundText({ rule, verdict, found }),
    rule: RULES[rule],
    from: fromText(rule, facts),
  };
}

function foundText({ rule, verdict, found }: DecisionStep): string {
  switch (rule) {
    case "host_network":
      return verdict === "skip" ? "hostNetwork is true" : "hostNetwork is not set";
    case "ignored_namespace":
      return `namespace ${JSON.stringify(found ?? "")}`;
    case "label":
    case "annotation": {
      if (found === undefined) return `no ${rule} ${INJECT}`;
      const ignored = verdict === "next" && found !== "" ? ", which counts as nothing" : "";
      return `${rule} ${INJECT} is ${JSON.stringify(found)}${ignored}`;
    }
    case "never_selector":
    case "always_selector":
      return found === undefined ? "none matches" : `matches ${found}`;
    case "policy": {
      const asked = verdict === "next" ? ", not asked" : "";
      return `policy is ${JSON.stringify(found ?? "")}${asked}`;
    }
  }
}

function fromText(rule: DecisionRule, { subject, origins }: ExplainFacts): string {
  const inPod = subject.kind === "Pod" ? "" : "template.";
  const path = subject.kind === "CronJob" ? "spec.jobTemplate.spec." : inPod && "spec.";
  switch (rule) {
    case "host_network":
      return `${path}${inPod}spec.hostNetwork`;
    case "ignored_namespace":
      return "metadata.namespace";
    case "label":
      return `${path}${inPod}metadata.labels`;
    case "annotation":
      return `${path}${inPod}metadata.annotations`;
    case "never_selector":
      return `neverInjectSelector of ${origins.config}`;
    case "always_selector":
      return `alwaysInjectSelector of ${origins.config}`;
    case "policy":
      return `policy of ${origins.config}`;
  }
}

function templatesStep(facts: ExplainFacts): Omit<ChainStep, "reached"> {
  const { subject, config, origins, isLegacy } = facts;
  const rule = "the templates that the pod's annotation names, else the config's defaultTemplates";
  if (isLegacy) {
    return {
      id: "templates",
      verdict: "pass",
      found: "the config's one template",
      rule: "a config of the old era has one template",
      from: `template of ${origins.config}`,
    };
  }
  const { asked, names, unknown } = templatesOf(facts);
  const list = names.length === 0 ? "none" : names.join(", ");
  return {
    id: "templates",
    verdict: unknown.length > 0 ? "fail" : "pass",
    found: unknown.length === 0
      ? list
      : `${list}; there is no ${unknown.map((name) => JSON.stringify(name)).join(", ")} among ` +
        Object.keys(config.templates).join(", "),
    rule,
    from: asked === undefined
      ? `defaultTemplates of ${origins.config}`
      : `annotation ${TEMPLATES} of ${subject.workload}`,
  };
}

/** Which templates the pod gets, by the injector's own rule, and which of them are none. */
export function templatesOf(
  { subject, config }: Pick<ExplainFacts, "subject" | "config">,
): { asked: string | undefined; names: string[]; unknown: string[] } {
  const { annotations } = subject.pod.metadata as Readonly<Record<string, unknown>>;
  const own = textsOf(annotations);
  const pod = { metadata: { annotations: own }, spec: { containers: [] } } as Pod;
  const { defaultTemplates: defaults, aliases } = config;
  const names = selectTemplates(pod, { defaults, aliases });
  return {
    asked: Object.hasOwn(own, TEMPLATES) ? own[TEMPLATES] : undefined,
    names,
    unknown: names.filter((name) => !Object.hasOwn(config.templates, name)),
  };
}
