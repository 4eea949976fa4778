/**
 * Injects pods as the webhook does and returns, for each, the decision, the patch and the origin of
 * every injected part. The counterpart of `traceInjection` for tools that show what a cluster would
 * do.
 */
import { parseInjectionConfig } from "../config/mod.ts";
import { normalise } from "../kube/normalise.ts";
import { applyPatch } from "../patch/mod.ts";
import {
  type Admission,
  type AdmitRequest,
  type ClusterFacts,
  createInjector,
  type EngineSources,
  type InjectorSettings,
} from "../inject/mod.ts";
import { Recording } from "./_recording.ts";
import { type Provenance, provenanceOf } from "./provenance.ts";

export interface TracedAdmission extends Admission {
  /**
   * One entry for each scalar that was added, changed or removed; empty if the pod is not injected.
   */
  readonly provenance: readonly Provenance[];
}

export interface AdmissionTracer {
  readonly isLegacy: boolean;
  /** Throws the injector's errors. */
  admit(request: AdmitRequest, cluster?: ClusterFacts): TracedAdmission;
}

/**
 * Creates a tracer for any number of pods. Throws a ConfigError or TemplateError if the config is
 * not valid.
 *
 * @example
 * ```ts
 * const { patch, provenance } = createAdmissionTracer(sources, { sprig }).admit(request);
 * ```
 */
export function createAdmissionTracer(
  sources: EngineSources,
  options: InjectorSettings,
): AdmissionTracer {
  const recording = new Recording();
  const injector = createInjector(sources, { ...options, trace: recording.trace });
  const { isLegacy } = injector;
  const { legacyTemplate = "", templates } = parseInjectionConfig(sources.config);
  const texts = isLegacy ? { "": legacyTemplate } : templates;
  return {
    isLegacy,
    admit(request, cluster) {
      const admission = injector.admit(request, cluster);
      const record = recording.pods.splice(0).at(-1);
      if (admission.patch === undefined || record === undefined) {
        return { ...admission, provenance: [] };
      }
      const before = normalise("Pod", request.object);
      const after = applyPatch(before, admission.patch);
      const provenance = provenanceOf({ before, after }, { recording, record, texts, isLegacy });
      return { ...admission, provenance };
    },
  };
}
