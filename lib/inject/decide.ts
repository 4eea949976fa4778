/**
 * Decides whether a pod is injected, the first stage. Checks the pod's metadata and spec and the config in
 * Istio's order of precedence, and reports which rule decided.
 */
import { type LabelSelector, labelSelectorText } from "../config/label_selector.ts";
import type { Behaviours } from "./compat.ts";
import { INJECT } from "./names.ts";
import { lookup, type ObjectMeta, type PodSpec, potentialPodName } from "./pod.ts";
import type { Decision, ReasonId } from "./reasons.ts";
import type { InjectionTrace } from "./trace.ts";

/** System namespaces, in which injection would break the cluster. */
export const IGNORED_NAMESPACES: ReadonlySet<string> = new Set([
  "kube-system",
  "kube-public",
  "kube-node-lease",
  "local-path-storage",
]);

export interface DecideConfig {
  /** `enabled` or `disabled`; any other value turns injection off. */
  readonly policy: string;
  readonly neverInjectSelector: readonly LabelSelector[];
  readonly alwaysInjectSelector: readonly LabelSelector[];
}

export interface DecideOptions {
  readonly config: DecideConfig;
  readonly behaviours: Pick<Behaviours, "decisionLabel" | "decisionLenientValues">;
  readonly trace?: Pick<InjectionTrace, "decision">;
}

/** Decides about a pod, using the namespace in its metadata. */
export function decide(
  { metadata, spec }: { metadata: ObjectMeta; spec: PodSpec },
  { config, behaviours, trace }: DecideOptions,
): Decision {
  const warnings: string[] = [];
  const because = (inject: boolean, reason: ReasonId): Decision => ({ inject, reason, warnings });

  const isOnHost = Boolean(spec.hostNetwork);
  trace?.decision?.({ rule: "host_network", verdict: isOnHost ? "skip" : "next" });
  if (isOnHost) return because(false, "host_network");
  const { namespace = "" } = metadata;
  const isIgnored = IGNORED_NAMESPACES.has(namespace);
  trace?.decision?.({
    rule: "ignored_namespace",
    verdict: isIgnored ? "skip" : "next",
    found: namespace,
  });
  if (isIgnored) return because(false, "ignored_namespace");
  if (spec.dnsPolicy && spec.dnsPolicy !== "ClusterFirst") {
    warnings.push(
      `"${namespace}/${potentialPodName(metadata)}"'s DNSPolicy is not ` +
        '"ClusterFirst". The Envoy sidecar may not able to connect to Istio Pilot',
    );
  }

  const choice = choose(metadata, { behaviours, warnings, trace }) ??
    select(metadata, { config, trace });
  switch (config.policy) {
    case "enabled":
    case "disabled": {
      const inject = config.policy === "enabled";
      trace?.decision?.({
        rule: "policy",
        verdict: choice ? "next" : inject ? "inject" : "skip",
        found: config.policy,
      });
      return because(choice?.inject ?? inject, choice?.reason ?? `policy_${config.policy}`);
    }
  }
  trace?.decision?.({ rule: "policy", verdict: "skip", found: config.policy });
  warnings.push(
    `Illegal value for autoInject:${config.policy}, must be one of [disabled,enabled]. ` +
      "Auto injection disabled!",
  );
  return because(false, "policy_illegal");
}

type Choice = Pick<Decision, "inject" | "reason">;

/** Returns the pod's own choice, or `undefined` if it has none. */
function choose(
  metadata: ObjectMeta,
  { behaviours, warnings, trace }: Pick<DecideOptions, "behaviours" | "trace"> & {
    warnings: string[];
  },
): Choice | undefined {
  const label = behaviours.decisionLabel ? lookup(metadata.labels, INJECT) : undefined;
  const value = label ?? lookup(metadata.annotations, INJECT) ?? "";
  const source = label === undefined ? "annotation" : "label";
  const choice = choiceOf(value, { source, behaviours });
  const verdict = choice === undefined ? "next" : choice.inject ? "inject" : "skip";
  if (behaviours.decisionLabel) {
    trace?.decision?.(
      label === undefined
        ? { rule: "label", verdict: "next" }
        : { rule: "label", verdict, found: label },
    );
  }
  // The label overrides the annotation, even with an invalid value.
  if (label === undefined) {
    const found = lookup(metadata.annotations, INJECT);
    trace?.decision?.({ rule: "annotation", verdict, ...(found === undefined ? {} : { found }) });
  }
  if (choice === undefined && value !== "") {
    warnings.push(
      `Invalid value for ${INJECT}: ${JSON.stringify(value)}. Only 'true' and 'false' are ` +
        "accepted. Falling back to default injection policy.",
    );
  }
  return choice;
}

function choiceOf(
  value: string,
  { source, behaviours }: {
    source: "annotation" | "label";
    behaviours: DecideOptions["behaviours"];
  },
): Choice | undefined {
  if (value === "") return undefined;
  if (behaviours.decisionLenientValues) {
    const inject = /^(y|yes|true|on)$/i.test(value);
    return { inject, reason: `${source}_${inject}` };
  }
  if (value !== "true" && value !== "false") return undefined;
  return { inject: value === "true", reason: `${source}_${value}` };
}

/** Matches the config's selectors against the pod's labels. */
function select(
  { labels = {} }: ObjectMeta,
  { config, trace }: Pick<DecideOptions, "config" | "trace">,
): Choice | undefined {
  const rules = [
    ["never_selector", config.neverInjectSelector, false],
    ["always_selector", config.alwaysInjectSelector, true],
  ] as const;
  for (const [reason, selectors, inject] of rules) {
    const found = selectors.find((selector) => !selector.isEmpty && selector.matches(labels));
    trace?.decision?.({
      rule: reason,
      verdict: found === undefined ? "next" : inject ? "inject" : "skip",
      ...(found === undefined ? {} : { found: labelSelectorText(found.spec) }),
    });
    if (found !== undefined) return { inject, reason };
  }
  return undefined;
}
