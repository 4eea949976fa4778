/**
 * The first stage: whether a pod is injected at all. Looks at the pod's metadata and spec and at
 * the config, in the order of precedence that Istio has, and says which rule decided.
 */
import type { LabelSelector } from "../config/label_selector.ts";
import type { Behaviours } from "./compat.ts";
import { INJECT } from "./names.ts";
import { lookup, type ObjectMeta, type PodSpec, potentialPodName } from "./pod.ts";
import type { Decision, ReasonId } from "./reasons.ts";

/** Namespaces of the cluster's own, where a sidecar would cut the cluster's legs. */
export const IGNORED_NAMESPACES: ReadonlySet<string> = new Set([
  "kube-system",
  "kube-public",
  "kube-node-lease",
  "local-path-storage",
]);

export interface DecideConfig {
  /** `enabled` or `disabled`; anything else turns injection off. */
  readonly policy: string;
  readonly neverInjectSelector: readonly LabelSelector[];
  readonly alwaysInjectSelector: readonly LabelSelector[];
}

export interface DecideOptions {
  readonly config: DecideConfig;
  readonly behaviours: Pick<Behaviours, "decisionLabel" | "decisionLenientValues">;
}

/** Decides about a pod; `metadata.namespace` is the one that counts. */
export function decide(
  { metadata, spec }: { metadata: ObjectMeta; spec: PodSpec },
  { config, behaviours }: DecideOptions,
): Decision {
  const warnings: string[] = [];
  const because = (inject: boolean, reason: ReasonId): Decision => ({ inject, reason, warnings });

  if (spec.hostNetwork) return because(false, "host_network");
  if (IGNORED_NAMESPACES.has(metadata.namespace ?? "")) return because(false, "ignored_namespace");
  if (spec.dnsPolicy && spec.dnsPolicy !== "ClusterFirst") {
    warnings.push(
      `"${metadata.namespace ?? ""}/${potentialPodName(metadata)}"'s DNSPolicy is not ` +
        '"ClusterFirst". The Envoy sidecar may not able to connect to Istio Pilot',
    );
  }

  let choice = choose({ metadata, spec }, behaviours, warnings);
  if (!choice) {
    const matches = (selectors: readonly LabelSelector[]) =>
      selectors.some((selector) => !selector.isEmpty && selector.matches(metadata.labels ?? {}));
    if (matches(config.neverInjectSelector)) choice = { inject: false, reason: "never_selector" };
    else if (matches(config.alwaysInjectSelector)) {
      choice = { inject: true, reason: "always_selector" };
    }
  }
  switch (config.policy) {
    case "enabled":
      return because(choice?.inject ?? true, choice?.reason ?? "policy_enabled");
    case "disabled":
      return because(choice?.inject ?? false, choice?.reason ?? "policy_disabled");
  }
  warnings.push(
    `Illegal value for autoInject:${config.policy}, must be one of [disabled,enabled]. ` +
      "Auto injection disabled!",
  );
  return because(false, "policy_illegal");
}

/** What the pod itself says; `undefined` where it leaves the choice to the config. */
function choose(
  { metadata }: { metadata: ObjectMeta; spec: PodSpec },
  behaviours: DecideOptions["behaviours"],
  warnings: string[],
): Pick<Decision, "inject" | "reason"> | undefined {
  const label = behaviours.decisionLabel ? lookup(metadata.labels, INJECT) : undefined;
  const value = label ?? lookup(metadata.annotations, INJECT) ?? "";
  const source = label === undefined ? "annotation" : "label";
  if (value === "") return undefined;
  if (behaviours.decisionLenientValues) {
    const inject = /^(y|yes|true|on)$/i.test(value);
    return { inject, reason: `${source}_${inject}` };
  }
  if (value === "true" || value === "false") {
    return { inject: value === "true", reason: `${source}_${value}` };
  }
  warnings.push(
    `Invalid value for ${INJECT}: ${JSON.stringify(value)}. Only 'true' and 'false' are ` +
      "accepted. Falling back to default injection policy.",
  );
  return undefined;
}
