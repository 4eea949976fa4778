/** Implements the webhook for Istio 0.8 to 1.8. */
import { DecodeError, normalise } from "../../kube/normalise.ts";
import type { Operation } from "../../patch/mod.ts";
import { type Admission, type AdmitRequest, guarded } from "../admit.ts";
import { InjectionError } from "../errors.ts";
import { checkSize, reviewBudget, withinBudget } from "../limits.ts";
import { type Pod, withMeta } from "../pod.ts";
import { decideLegacy } from "./decide.ts";
import type { LegacyEngine } from "./engine.ts";
import { renderInjection, withFsGroup } from "./inject.ts";
import { ownerOf } from "./owner.ts";
import { createLegacyPatch } from "./patch.ts";
import { containerDefaults, volumeDefaults } from "./pod_defaults.ts";

/** Decides about a pod and injects it. Throws an InjectionError where the original denied the pod. */
export function admitLegacy(request: AdmitRequest, engine: LegacyEngine): Admission {
  const pod = decode(request, engine);
  const decision = decideLegacy(pod, engine);
  if (!decision.inject) return { decision };
  checkSize(pod);
  return { decision, ...withinBudget(pod, () => injected(pod, request, engine)) };
}

function injected(
  given: Pod,
  request: AdmitRequest,
  engine: LegacyEngine,
): Omit<Admission, "decision"> {
  const { behaviours } = engine;
  const pod = withFsGroup(given, engine);
  const owner = ownerOf(pod.metadata, { namespace: request.namespace, behaviours });
  const { proxyEnv, budget = reviewBudget() } = request;
  const facts = { owner, proxyEnv, budget, structureChanges: [] };
  const { injection, status, hold } = renderInjection(pod, facts, engine);
  const patch = createLegacyPatch(pod, {
    injection: behaviours.fillsDefaults
      ? {
        ...injection,
        initContainers: injection.initContainers.map(containerDefaults),
        containers: injection.containers.map(containerDefaults),
        volumes: injection.volumes.map(volumeDefaults),
      }
      : injection,
    status,
    injectedAnnotations: engine.config.injectedAnnotations,
    workloadName: owner.metadata.name ?? "",
    revision: engine.revision,
    meshConfig: engine.meshConfig,
    hold,
    behaviours,
    has: mapsOf(request.object),
  });
  return { patch: [...missingParts(request.object), ...patch], ...guarded(facts) };
}

/** Returns the normalised pod, in the request's namespace unless it names one. */
function decode({ object, namespace }: AdmitRequest, { behaviours }: LegacyEngine): Pod {
  // Go's error for empty JSON input.
  if (object === undefined) throw new InjectionError("bad_pod", "unexpected end of JSON input");
  let pod: Pod;
  try {
    pod = normalise("Pod", object) as unknown as Pod;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new InjectionError("bad_pod", error.message, { cause: error });
  }
  const isHomeless = !pod.metadata.namespace && namespace !== "" && behaviours.requestNamespace;
  return isHomeless ? withMeta(pod, { namespace }) : pod;
}

/** Returns operations that add missing `metadata` and `spec`, which later operations add to. */
function missingParts(object: unknown): Operation[] {
  const parts = (object ?? {}) as Readonly<Record<string, unknown>>;
  return ["metadata", "spec"].filter((part) => (parts[part] ?? null) === null)
    .map((part) => ({ op: "add", path: `/${part}`, value: {} }));
}

/** Reports which maps the pod had as sent. Normalising drops empty maps, but operations may add to them. */
function mapsOf(object: unknown): { annotations: boolean; labels: boolean } {
  const { metadata } = (object ?? {}) as { metadata?: Readonly<Record<string, unknown>> };
  const has = (key: string) => metadata?.[key] !== undefined && metadata[key] !== null;
  return { annotations: has("annotations"), labels: has("labels") };
}
