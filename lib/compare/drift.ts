/**
 * Detects whether a running pod was injected as it would be now, and what differs. Owners, the API
 * server and other webhooks also change pods: so only injected parts are compared, with the API
 * server's defaults filled in on both sides.
 */

import { compareStrings } from "../data/bytes.ts";
import {
  type ClusterFacts,
  type Container,
  containerDefaults,
  type ContainerList,
  containersOf,
  injectedNames,
  lookup,
  OVERRIDES,
  type Pod,
  STAMP,
  stampOf,
  STATUS,
  type StringMap,
  volumeDefaults,
} from "../inject/mod.ts";
import { DecodeError, normalise } from "../kube/normalise.ts";
import { type Change, changesBetween } from "./changes.ts";
import { type Admit, injectedPod, tryInjection } from "./injection.ts";
import { isTokenVolume, originalPod, withoutTokenMount } from "./original_pod.ts";

export interface DriftOptions {
  readonly admit: Admit;
  readonly cluster: ClusterFacts;
  /** Returns the variables set in the webhook's URL. */
  readonly proxyEnv?: StringMap;
  /** The version of the current configuration. */
  readonly version: string;
  /** Whether to compare pods that have the current version as well. */
  readonly isDeep?: boolean;
}

export type Drift =
  | { readonly state: "not_injected" }
  /** Up to date, by the stamp on the pod or by comparison. */
  | { readonly state: "current"; readonly by: "stamp" | "comparison" }
  | { readonly state: "drifted"; readonly changes: readonly Change[] };

/** Compares a running pod with its injection now. */
export function driftOf(object: unknown, options: DriftOptions): Drift {
  const pod = decode(object);
  if (pod === undefined || lookup(pod.metadata.annotations, STATUS) === undefined) {
    return { state: "not_injected" };
  }
  if (!options.isDeep && stampOf(pod) === options.version) return { state: "current", by: "stamp" };
  const original = originalPod(pod);
  const { proxyEnv = {} } = options;
  const request = { object: original, namespace: pod.metadata.namespace ?? "", proxyEnv };
  const injection = tryInjection(request, options);
  if (injection.decision !== "injected") {
    const to = `${injection.decision} (${injection.message ?? injection.reason})`;
    return { state: "drifted", changes: [{ path: "(decision)", from: "injected", to }] };
  }
  const wanted = decode(injectedPod(original, injection))!;
  const changes = [
    ...containerChanges(pod, wanted),
    ...listChanges(pod, wanted),
    ...metadataChanges(pod, { original, wanted }),
  ];
  if (changes.length === 0) return { state: "current", by: "comparison" };
  return { state: "drifted", changes: [...templateVersion(pod, wanted), ...changes] };
}

function decode(object: unknown): Pod | undefined {
  try {
    return normalise("Pod", object) as unknown as Pod;
  } catch (error) {
    // A pod of a newer API version: report nothing.
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

const LISTS: readonly ContainerList[] = ["initContainers", "containers"];

/**
 * Compares injected containers as a whole, and in the application's containers the redirected
 * probes and hooks.
 */
function containerChanges(pod: Pod, wanted: Pod): Change[] {
  const [before, now] = [injectedNames(pod), injectedNames(wanted)];
  return LISTS.flatMap((list) => {
    const isInjected = ({ name }: Container) =>
      before[list].includes(name) || now[list].includes(name);
    const parts = (side: Pod) =>
      containersOf(side, list).map(withoutTokenMount).map((container) => {
        const whole = containerDefaults({ ...container, resources: container.resources ?? {} });
        return isInjected(container) ? whole : handlersOf(whole);
      });
    const changes = changesBetween({ [list]: parts(pod) }, { [list]: parts(wanted) });
    return changes.filter((change) => !isFilledIn(change));
  });
}

function handlersOf(container: Container): Container {
  const { name, readinessProbe, livenessProbe, startupProbe, lifecycle } = container;
  const handlers = { readinessProbe, livenessProbe, startupProbe, lifecycle };
  return {
    name,
    ...Object.fromEntries(Object.entries(handlers).filter(([, value]) => value !== undefined)),
  };
}

/**
 * Reports whether others may have set the field because the template does not: a LimitRange sets
 * resources, a platform the security context, an admission plugin the pull policy.
 */
function isFilledIn(change: Change): boolean {
  const { path, from } = change;
  const isOnlyThere = !("to" in change);
  if (isOnlyThere && /\.(resources|securityContext)(\.|$)/.test(path)) return true;
  return path.endsWith(".imagePullPolicy") && from === "Always";
}

/** Compares volumes and pull secrets by name. */
function listChanges(pod: Pod, wanted: Pod): Change[] {
  const [before, now] = [injectedNames(pod), injectedNames(wanted)];
  const volumes = ({ spec }: Pod) =>
    (spec.volumes ?? [])
      .filter(({ name }) => before.volumes.includes(name) || now.volumes.includes(name))
      .filter(({ name }) => !isTokenVolume(name))
      .map(volumeDefaults).toSorted((a, b) => compareStrings(a.name, b.name));
  const secrets = ({ spec }: Pod) =>
    (spec.imagePullSecrets ?? []).map(({ name = "" }) => ({ name }))
      .filter(({ name }) =>
        before.imagePullSecrets.includes(name) || now.imagePullSecrets.includes(name)
      ).toSorted((a, b) => compareStrings(a.name, b.name));
  return changesBetween(
    { volumes: volumes(pod), imagePullSecrets: secrets(pod) },
    { volumes: volumes(wanted), imagePullSecrets: secrets(wanted) },
  );
}

/** Compares the labels and annotations that injection would set now. */
function metadataChanges(
  pod: Pod,
  { original, wanted }: { original: Pod; wanted: Pod },
): Change[] {
  return (["labels", "annotations"] as const).flatMap((map) => {
    const set = Object.entries(wanted.metadata[map] ?? {}).filter(([name, value]) =>
      ![STATUS, STAMP, OVERRIDES].includes(name) &&
      lookup(original.metadata[map], name) !== value
    );
    const has = (side: StringMap | undefined) =>
      Object.fromEntries(set.flatMap(([name]) => {
        const value = lookup(side, name);
        return value === undefined ? [] : [[name, value]];
      }));
    return changesBetween({ [map]: has(pod.metadata[map]) }, { [map]: Object.fromEntries(set) });
  });
}

/** Injectors up to Istio 1.8 recorded the hash of their template in the status. */
function templateVersion(pod: Pod, wanted: Pod): Change[] {
  const version = ({ metadata }: Pod): unknown => {
    try {
      return JSON.parse(lookup(metadata.annotations, STATUS) ?? "").version;
    } catch {
      return undefined;
    }
  };
  const [from, to] = [version(pod), version(wanted)];
  return typeof from === "string" && typeof to === "string" && from !== to
    ? [{ path: "(template)", from: from.slice(0, 12), to: to.slice(0, 12) }]
    : [];
}
