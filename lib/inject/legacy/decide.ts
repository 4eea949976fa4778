/** Decides whether old versions inject a pod: they exclude fewer namespaces and have no label. */
import type { InjectionConfig } from "../../config/mod.ts";
import { type LabelSelector, labelSelectorText } from "../../config/label_selector.ts";
import { INJECT } from "../names.ts";
import { lookup, type Pod } from "../pod.ts";
import type { Decision, ReasonId } from "../reasons.ts";
import type { DecisionStep, InjectionTrace } from "../trace.ts";
import type { LegacyBehaviours } from "./compat.ts";

const IGNORED_NAMESPACES: ReadonlySet<string> = new Set(["kube-system", "kube-public"]);

export interface LegacyDecideOptions {
  readonly config: Pick<
    InjectionConfig,
    "policy" | "neverInjectSelector" | "alwaysInjectSelector"
  >;
  readonly behaviours: Pick<LegacyBehaviours, "selectors">;
  readonly trace?: Pick<InjectionTrace, "decision">;
}

/** Decides about a pod, using the namespace in its metadata. */
export function decideLegacy(
  { metadata, spec }: Pick<Pod, "metadata" | "spec">,
  { config, behaviours, trace }: LegacyDecideOptions,
): Decision {
  const because = (inject: boolean, reason: ReasonId, ...warnings: string[]): Decision => ({
    inject,
    reason,
    warnings,
  });
  const verdict = (skips: boolean): DecisionStep["verdict"] => skips ? "skip" : "next";
  const isOnHost = Boolean(spec.hostNetwork);
  trace?.decision?.({ rule: "host_network", verdict: verdict(isOnHost) });
  if (isOnHost) return because(false, "host_network");
  const { namespace = "" } = metadata;
  const isIgnored = IGNORED_NAMESPACES.has(namespace);
  trace?.decision?.({ rule: "ignored_namespace", verdict: verdict(isIgnored), found: namespace });
  if (isIgnored) return because(false, "ignored_namespace");
  // An unknown policy disables injection even for pods that request it.
  if (config.policy !== "enabled" && config.policy !== "disabled") {
    trace?.decision?.({ rule: "policy", verdict: "skip", found: config.policy });
    return because(
      false,
      "policy_illegal",
      `Illegal value for autoInject:${config.policy}, must be one of [disabled,enabled]. ` +
        "Auto injection disabled!",
    );
  }
  const asked = lookup(metadata.annotations, INJECT) ?? "";
  if (asked !== "") {
    const inject = /^(?:y|yes|true|on)$/i.test(asked);
    trace?.decision?.({ rule: "annotation", verdict: inject ? "inject" : "skip", found: asked });
    return because(inject, `annotation_${inject}`);
  }
  trace?.decision?.({ rule: "annotation", verdict: "next" });
  const matching = (selectors: readonly LabelSelector[]) =>
    behaviours.selectors
      ? selectors.find((selector) => !selector.isEmpty && selector.matches(metadata.labels ?? {}))
      : undefined;
  const rules = [
    ["never_selector", config.neverInjectSelector, false],
    ["always_selector", config.alwaysInjectSelector, true],
  ] as const;
  for (const [reason, selectors, inject] of rules) {
    const found = matching(selectors);
    trace?.decision?.({
      rule: reason,
      verdict: found === undefined ? "next" : inject ? "inject" : "skip",
      ...(found === undefined ? {} : { found: labelSelectorText(found.spec) }),
    });
    if (found !== undefined) return because(inject, reason);
  }
  const inject = config.policy === "enabled";
  trace?.decision?.({
    rule: "policy",
    verdict: inject ? "inject" : "skip",
    found: config.policy,
  });
  return because(inject, `policy_${config.policy}`);
}
