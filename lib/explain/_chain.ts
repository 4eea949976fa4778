/**
 * Builds the steps of an explanation: what each rule found, what it decided, and where that is set.
 */
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
 * `pass`: no objection; `inject` and `skip`: decided; `fail`: the pod is refused; `unknown`: the
 * available data cannot tell.
 */
export type StepVerdict = "pass" | "inject" | "skip" | "fail" | "unknown";

export interface ChainStep {
  readonly id: StepId;
  readonly verdict: StepVerdict;
  /** Whether the step was reached; if not, it shows what would have happened. */
  readonly reached: boolean;
  /** What was found, for example `label sidecar.istio.io/inject is "true"`. */
  readonly found: string;
  /** The rule, for example `pods on the host network are never injected`. */
  readonly rule: string;
  /** Where the value is set. */
  readonly from: string;
}

export function chainOf(facts: ExplainFacts): ChainStep[] {
  const { decisions, isCalled, subject, error } = facts;
  const { reason } = facts;
  const steps: Omit<ChainStep, "reached">[] = [
    ...webhookSteps(facts),
    ...decisions.map((step) => decisionStep(step, facts)),
  ];
  // A pod that cannot be decoded is refused before anything is decided.
  const isDecided = reason !== undefined || decisions.length > 0;
  const isWanted = error !== undefined || facts.patched;
  if (isDecided && isWanted) steps.push(templatesStep(facts));
  steps.push({
    id: "result",
    verdict: error !== undefined ? "fail" : facts.patched && isCalled ? "inject" : "skip",
    found: resultText(facts),
    rule: error === undefined
      ? "the output of the templates is merged into the pod"
      : "a pod that cannot be injected is refused, regardless of the webhook's failurePolicy",
    from: subject.workload,
  });
  const end = isCalled ? steps.length : steps.findIndex(({ id }) => id === "webhook") + 1;
  return steps.map((step, i) => ({ ...step, reached: i < end || step.id === "result" }));
}

function resultText({ error, patched, adds, isCalled }: ExplainFacts): string {
  if (error !== undefined) return `refused: ${error}`;
  if (!patched || adds === undefined) return "not changed";
  const what = [...adds.initContainers.map((name) => `${name} (init)`), ...adds.containers];
  const text = what.length === 0
    ? `${adds.operations} changes, no container`
    : `${what.join(", ")} in ${adds.operations} changes`;
  return isCalled ? text : `not changed; the injector would have added ${text}`;
}

function webhookSteps(facts: ExplainFacts): Omit<ChainStep, "reached">[] {
  const { request, matches, isCalled, origins } = facts;
  const rule = "the API server calls injectors whose namespaceSelector and objectSelector match";
  const operation: Omit<ChainStep, "reached"> = {
    id: "operation",
    verdict: "pass",
    found: "CREATE of a pod",
    rule: "pods are injected only when they are created",
    from: "rules in the webhook configuration",
  };
  if (request.webhooks === undefined) {
    return [{
      id: "webhook",
      verdict: "unknown",
      found: "no webhook configuration given; assuming that the injector is called",
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
  if (injectors.length === 0) return "no injection webhook exists";
  const unsure = isUnknown ? "; the namespace's labels are unknown, assuming none" : "";
  const count = injectors.length === 1 ? "the only webhook" : `any of ${injectors.length} webhooks`;
  return `not called: does not match ${count}${unsure}`;
}

const RULES: Readonly<Record<DecisionRule, string>> = {
  host_network: "pods on the host network are never injected",
  ignored_namespace: "pods in system namespaces are never injected",
  label: 'the pod\'s label decides if it is "true" or "false"',
  annotation: "without the label, the pod's annotation decides",
  never_selector: "otherwise a neverInjectSelector that matches the pod's labels decides",
  always_selector: "otherwise an alwaysInjectSelector that matches the pod's labels decides",
  policy: "otherwise the policy decides; an invalid policy disables injection",
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
      const ignored = verdict === "next" && found !== "" ? ", which is ignored" : "";
      return `${rule} ${INJECT} is ${JSON.stringify(found)}${ignored}`;
    }
    case "never_selector":
    case "always_selector":
      return found === undefined ? "none matches" : `matches ${found}`;
    case "policy": {
      const asked = verdict === "next" ? ", not used" : "";
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
  const rule =
    "the templates named in the pod's annotation, or else in the config's defaultTemplates";
  if (isLegacy) {
    return {
      id: "templates",
      verdict: "pass",
      found: "the config's only template",
      rule: "a config of Istio 1.8 or earlier has a single template",
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
      : `${list}; the config has no ${
        unknown.map((name) => JSON.stringify(name)).join(", ")
      }, only ` +
        Object.keys(config.templates).join(", "),
    rule,
    from: asked === undefined
      ? `defaultTemplates of ${origins.config}`
      : `annotation ${TEMPLATES} of ${subject.workload}`,
  };
}

/** Selects the pod's templates by the injector's own rule, and lists those that do not exist. */
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
