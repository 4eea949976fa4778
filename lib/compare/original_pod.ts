/**
 * Reconstructs a running pod as it was created, as far as possible: removes what the status
 * annotation lists, restores probes and Prometheus annotations, and removes what the API server
 * added. The result is for injecting again, not for applying.
 */

import { isMap } from "../data/map.ts";
import {
  type Container,
  type ContainerList,
  containersOf,
  findSidecar,
  injectedNames,
  OVERRIDES,
  parseOverrides,
  type Pod,
  PROBERS_VARIABLE,
  PROMETHEUS_VARIABLE,
  PROXY_CONTAINER,
  STAMP,
  STATUS,
} from "../inject/mod.ts";

type Json = Readonly<Record<string, unknown>>;

/** Returns the original of a normalized pod. */
export function originalPod(pod: Pod): Pod {
  const names = injectedNames(pod);
  const sidecar = findSidecar(pod, PROXY_CONTAINER)?.container;
  const probers = variable(sidecar, PROBERS_VARIABLE);
  const overrides = readOverrides(pod);
  const containers = (list: ContainerList) =>
    [
      ...containersOf(pod, list).filter(({ name }) => !names[list].includes(name)),
      ...overrides[list],
    ].map((container) => withOwnProbes(withoutTokenMount(container), probers));
  const { initContainers, volumes = [], imagePullSecrets = [], ...spec } = pod.spec;
  const keptVolumes = volumes.filter(({ name }) =>
    !names.volumes.includes(name) && !isTokenVolume(name)
  );
  const keptSecrets = imagePullSecrets.filter(({ name = "" }) =>
    !names.imagePullSecrets.includes(name)
  );
  return {
    ...pod,
    metadata: originalMetadata(pod, sidecar),
    spec: {
      ...spec,
      containers: containers("containers"),
      ...(initContainers === undefined ? {} : { initContainers: containers("initContainers") }),
      ...(keptVolumes.length === 0 ? {} : { volumes: keptVolumes }),
      ...(keptSecrets.length === 0 ? {} : { imagePullSecrets: keptSecrets }),
    },
  };
}

function readOverrides(pod: Pod): Readonly<Record<ContainerList, readonly Container[]>> {
  try {
    return parseOverrides(pod);
  } catch {
    // The overrides were written by an injector. If they are broken now, inject without them.
    return { containers: [], initContainers: [] };
  }
}

/** Returns the name at creation: pods of controllers have none yet. */
function originalMetadata({ metadata }: Pod, sidecar: Container | undefined): Pod["metadata"] {
  const { name, generateName, namespace, labels, annotations = {}, ownerReferences } = metadata;
  const { [STATUS]: _, [STAMP]: __, [OVERRIDES]: ___, ...rest } = annotations;
  const own: Record<string, string> = rest;
  const prometheus = variable(sidecar, PROMETHEUS_VARIABLE);
  const isMerged = own["prometheus.io/path"] === "/stats/prometheus";
  if (isMerged) { for (const key of PROMETHEUS_KEYS) delete own[`prometheus.io/${key}`]; }
  for (const key of PROMETHEUS_KEYS) {
    const value = prometheus?.[key];
    if (typeof value === "string" && value !== "") own[`prometheus.io/${key}`] = value;
  }
  if (Array.isArray(prometheus?.targets)) {
    own["prometheus.istio.io/scrape-targets"] = prometheus.targets
      .map(({ port, path }) => `${port}:${path}`).join(",");
  }
  return {
    ...(generateName ? { generateName } : { name }),
    ...{ namespace, labels, ownerReferences },
    annotations: own,
  };
}

const PROMETHEUS_KEYS = ["scrape", "port", "path"] as const;

/** Returns a variable of the sidecar whose value is a JSON object. */
function variable(sidecar: Container | undefined, name: string): Json | undefined {
  const text = sidecar?.env?.find((one) => one.name === name)?.value;
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value as Json : undefined;
  } catch {
    return undefined;
  }
}

const PROBES = ["readinessProbe", "livenessProbe", "startupProbe"];

/** Restores the probes and hooks that were redirected to the sidecar's agent. */
function withOwnProbes(container: Container, probers: Json | undefined): Container {
  if (probers === undefined) return container;
  const { lifecycle } = container as { lifecycle?: Json };
  const own: Record<string, unknown> = {};
  for (const probe of PROBES) {
    if (container[probe] !== undefined) own[probe] = ownHandler(container[probe], probers);
  }
  if (lifecycle) {
    own.lifecycle = Object.fromEntries(
      Object.entries(lifecycle).map(([hook, handler]) => [hook, ownHandler(handler, probers)]),
    );
  }
  return { ...container, ...own };
}

function ownHandler(handler: unknown, probers: Json): unknown {
  const { httpGet, ...rest } = (handler ?? {}) as { httpGet?: { path?: unknown } };
  const path = httpGet?.path;
  if (typeof path !== "string" || !Object.hasOwn(probers, path)) return handler;
  const { timeoutSeconds: _, ...own } = (probers[path] ?? {}) as Json;
  return { ...rest, ...own };
}

/** Where the API server mounts the service account's token. */
const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

export function isTokenVolume(name: string): boolean {
  return /^kube-api-access-[a-z0-9]+$/.test(name);
}

export function withoutTokenMount(container: Container): Container {
  const { volumeMounts, ...rest } = container as Container & {
    volumeMounts?: readonly { readonly name?: string; readonly mountPath?: string }[];
  };
  const kept = volumeMounts?.filter(({ name = "", mountPath }) =>
    !(isTokenVolume(name) && mountPath === TOKEN_PATH)
  );
  return kept === undefined || kept.length === 0
    ? rest as Container
    : { ...rest, volumeMounts: kept } as Container;
}
