/**
 * Implements the webhook: decides about a pod as the API server sends it, injects it and computes the
 * patch. Never modifies the pod.
 */
import {
  applyProxyConfig,
  ConfigError,
  effectiveProxyConfig,
  mergeProxyConfig,
} from "../config/mod.ts";
import type { Budget } from "../data/budget.ts";
import { DecodeError, normalise } from "../kube/normalise.ts";
import { createPatch, type Operation } from "../patch/mod.ts";
import { decide } from "./decide.ts";
import { deploymentMeta } from "./deployment_meta.ts";
import type { ClusterFacts, Engine } from "./engine.ts";
import { InjectionError } from "./errors.ts";
import { injectPod, type PodFacts } from "./inject_pod.ts";
import { checkSize, reviewBudget, spendOnAnnotations, withinBudget } from "./limits.ts";
import { meshDefaults } from "./mesh_defaults.ts";
import { PROXY_CONFIG } from "./names.ts";
import { nativeSidecars } from "./native.ts";
import { dropApplicationUser, proxyIds } from "./openshift.ts";
import { lookup, type Pod, type StringMap, withMeta } from "./pod.ts";
import type { PrivateName } from "./private_name.ts";
import type { Decision } from "./reasons.ts";

export interface AdmitRequest {
  /** The pod as sent, any JSON. */
  readonly object: unknown;
  /** The request's namespace, for pods without one. */
  readonly namespace: string;
  /** Variables from the webhook's URL. */
  readonly proxyEnv: StringMap;
  /** A name in the pod; the caller wants to know whether the result depends on it. */
  readonly privateName?: PrivateName;
  /** The budget of the injection. Defaults to that of a review, without a time limit. */
  readonly budget?: Budget;
}

export interface Admission {
  readonly decision: Decision;
  /** Absent if the pod is not injected. */
  readonly patch?: readonly Operation[];
  /** Warnings of the structure guard. */
  readonly structureChanges?: readonly string[];
}

/** Decides about a pod and injects it. Throws an InjectionError where Istio denies the pod. */
export function admit(
  request: AdmitRequest,
  engine: Engine,
  cluster: ClusterFacts = {},
): Admission {
  const pod = decode(request);
  const decision = decide(pod, engine);
  if (!decision.inject) return { decision };
  checkSize(pod);
  return { decision, ...withinBudget(pod, () => injected(pod, { request, engine, cluster })) };
}

function injected(
  given: Pod,
  { request, engine, cluster }: { request: AdmitRequest; engine: Engine; cluster: ClusterFacts },
): Omit<Admission, "decision"> {
  const { behaviours } = engine;
  const { budget = reviewBudget() } = request;
  spendOnAnnotations(given, budget);
  const namespace = given.metadata.namespace ?? "";
  let pod = given;
  const annotation = lookup(pod.metadata.annotations, PROXY_CONFIG);
  const onOpenShift = engine.isOpenShift && cluster.namespaceAnnotations !== undefined;
  if (onOpenShift && behaviours.openshiftDropsEqualUser) pod = dropApplicationUser(pod, behaviours);
  const facts = {
    workload: deploymentMeta(pod.metadata, engine),
    ...configsOf(pod, engine, cluster),
    proxyEnv: request.proxyEnv,
    nativeSidecars: nativeSidecars(pod.spec.nodeName, {
      setting: engine.nativeSetting,
      nodes: cluster.nodes,
      behaviours,
      warn: engine.warn,
    }),
    proxyIds: onOpenShift && behaviours.openshiftIds
      ? proxyIds(cluster.namespaceAnnotations!(namespace))
      : undefined,
    holds: () => holdsApplication(engine, annotation),
    privateName: request.privateName,
    structureChanges: [] as string[],
    budget,
  };
  const patch = createPatch(pod, injectPod(pod, facts, engine));
  return { patch, ...guarded(facts) };
}

/** Returns the structure guard's warnings, if any. */
export function guarded(
  { structureChanges }: { structureChanges: readonly string[] },
): Pick<Admission, "structureChanges"> {
  return structureChanges.length === 0 ? {} : { structureChanges };
}

/** Returns proxy and mesh config as templates see them. */
function configsOf(
  { metadata: { namespace = "", labels, annotations } }: Pod,
  { meshConfig, meshSchema: schema, behaviours }: Engine,
  { proxyConfigs: resources }: ClusterFacts,
): Pick<PodFacts, "proxyConfig" | "meshConfig"> {
  const annotation = lookup(annotations, PROXY_CONFIG);
  if (behaviours.proxyConfigLayers) {
    const deepOver = behaviours.proxyConfigMergesDeeply
      ? meshDefaults(behaviours).defaultConfig
      : undefined;
    const options = { namespace, labels, annotation, resources, schema, deepOver };
    return { proxyConfig: effectiveProxyConfig(meshConfig, options), meshConfig };
  }
  if (annotation === undefined) return { proxyConfig: meshConfig.defaultConfig, meshConfig };
  try {
    const own = applyProxyConfig(meshConfig, annotation, { schema });
    return { proxyConfig: own.defaultConfig, meshConfig: own };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // Annotation checks deny this pod later.
    return { proxyConfig: meshConfig.defaultConfig, meshConfig };
  }
}

/** Returns the normalised pod, in the request's namespace unless it names one. */
function decode({ object, namespace }: AdmitRequest): Pod {
  let pod: Pod;
  try {
    pod = normalise("Pod", object) as unknown as Pod;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new InjectionError("bad_pod", error.message, { cause: error });
  }
  const { managedFields: _, ...metadata } = pod.metadata;
  pod = { ...pod, metadata };
  return pod.metadata.namespace || !namespace ? pod : withMeta(pod, { namespace });
}

/** Reports whether the application waits for the sidecar, by the mesh's and the pod's own proxy config. */
function holdsApplication(
  { meshConfig, meshSchema: schema }: Pick<Engine, "meshConfig" | "meshSchema">,
  annotation: string | undefined,
): boolean {
  const base = meshConfig.defaultConfig;
  const config = annotation === undefined ? base : mergeProxyConfig(base, annotation, { schema });
  return config.holdApplicationUntilProxyStarts ?? false;
}
