/** Whether a pod is injected, by the rules of old versions: fewer namespaces, no label. */
import type { InjectionConfig } from "../../config/mod.ts";
import type { LabelSelector } from "../../config/label_selector.ts";
import { INJECT } from "../names.ts";
import { lookup, type Pod } from "../pod.ts";
import type { Decision, ReasonId } from "../reasons.ts";
import type { LegacyBehaviours } from "./compat.ts";

const IGNORED_NAMESPACES: ReadonlySet<string> = new Set(["kube-system", "kube-public"]);

export interface LegacyDecideOptions {
  readonly config: Pick<
    InjectionConfig,
    "policy" | "neverInjectSelector" | "alwaysInjectSelector"
  >;
  readonly behaviours: Pick<LegacyBehaviours, "selectors">;
}

/** Decides about a pod; `metadata.namespace` is the one that counts. */
export function decideLegacy(
  { metadata, spec }: Pick<Pod, "metadata" | "spec">,
  { config, behaviours }: LegacyDecideOptions,
): Decision {
  const because = (inject: boolean, reason: ReasonId, ...warnings: string[]): Decision => ({
    inject,
    reason,
    warnings,
  });
  if (spec.hostNetwork) return because(false, "host_network");
  if (IGNORED_NAMESPACES.has(metadata.namespace ?? "")) return because(false, "ignored_namespace");
  // A policy that is none turns off even what the pod asks for.
  if (config.policy !== "enabled" && config.policy !== "disabled") {
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
    return because(inject, `annotation_${inject}`);
  }
  const matches = (selectors: readonly LabelSelector[]) =>
    behaviours.selectors &&
    selectors.some((selector) => !selector.isEmpty && selector.matches(metadata.labels ?? {}));
  if (matches(config.neverInjectSelector)) return because(false, "never_selector");
  if (matches(config.alwaysInjectSelector)) return because(true, "always_selector");
  return config.policy === "enabled"
    ? because(true, "policy_enabled")
    : because(false, "policy_disabled");
}
