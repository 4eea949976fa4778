/**
 * Implements the stages shared by the webhook and kube-inject: check the annotations, render the template,
 * and complete the result.
 */
import {
  applyProxyConfig,
  ConfigError,
  mergeProxyConfig,
  type MeshConfig,
} from "../../config/mod.ts";
import type { Budget } from "../../data/budget.ts";
import { InjectionError } from "../errors.ts";
import { templateData } from "../go_types.ts";
import { spendOnAnnotations, spendOnOutput } from "../limits.ts";
import {
  CLUSTER_VARIABLE,
  NETWORK_LABEL,
  NETWORK_VARIABLE,
  PROXY_CONFIG,
  PROXY_CONTAINER,
} from "../names.ts";
import { type Container, lookup, type Pod, type StringMap, withSpec } from "../pod.ts";
import { compareStrings } from "../../data/bytes.ts";
import { guardStructure } from "../structure_guard.ts";
import { checkAnnotations } from "./annotations.ts";
import { withConcurrency } from "./concurrency.ts";
import type { LegacyEngine } from "./engine.ts";
import { type Injection, parseInjection } from "./injection.ts";
import type { Owner } from "./owner.ts";
import { legacyStatusText } from "./status.ts";

export interface PodFacts {
  readonly owner: Owner;
  /** Variables from the webhook's URL. */
  readonly proxyEnv: StringMap;
  /** Collects what the structure guard only warns about. */
  readonly structureChanges?: string[];
  readonly budget: Budget;
}

/** The containers, volumes and settings to add to a pod. */
export interface Rendered {
  readonly injection: Injection;
  /** The text of the status annotation. */
  readonly status: string;
  /** Whether the application waits for the sidecar. */
  readonly hold: boolean;
}

/** Renders the template for a pod. Throws an InjectionError where the original denied the pod. */
export function renderInjection(pod: Pod, facts: PodFacts, engine: LegacyEngine): Rendered {
  const { behaviours } = engine;
  spendOnAnnotations(pod, facts.budget);
  const problem = checkAnnotations(pod.metadata.annotations, {
    version: engine.version,
    behaviours,
    proxyDefaults: engine.meshDefaults.defaultConfig,
    meshSchema: engine.meshSchema,
  });
  if (problem !== undefined) throw new InjectionError("invalid_annotation", problem);

  const meshConfig = meshConfigOf(pod, engine);
  engine.trace?.stage?.("original", pod);
  const data = templateData({
    typeMeta: { kind: facts.owner.kind, apiVersion: facts.owner.apiVersion },
    deploymentMeta: facts.owner.metadata,
    objectMeta: pod.metadata,
    spec: pod.spec,
    proxyConfig: meshConfig.defaultConfig,
    meshConfig,
    // sprig functions may modify them.
    values: behaviours.sprig ? structuredClone(engine.values) : engine.values,
  }, Math.max(engine.version, 0));
  engine.trace?.data?.(data);
  const rendered = engine.template.render(data, facts.budget);
  const { text } = rendered.output;
  spendOnOutput("", text, facts.budget);
  engine.trace?.rendered?.("", text);
  const { structureGuard, warn } = engine;
  guardStructure(rendered, { structureGuard, warn, changes: facts.structureChanges });
  const parsed = parseInjection(text, behaviours);
  const containers = withClusterEnv(
    behaviours.concurrency ? withConcurrency(parsed.containers) : parsed.containers,
    clusterEnv(pod, facts.proxyEnv, engine),
  );
  const injection = { ...parsed, containers };
  return {
    injection,
    status: legacyStatusText(injection, { version: engine.templateHash }),
    hold: holds(meshConfig, engine),
  };
}

/** Returns the mesh config with the pod's own proxy config applied. */
function meshConfigOf(pod: Pod, engine: LegacyEngine): MeshConfig {
  const { meshConfig, meshSchema: schema, behaviours } = engine;
  const annotation = lookup(pod.metadata.annotations, PROXY_CONFIG);
  if (annotation === undefined || !behaviours.proxyConfigAnnotation) return meshConfig;
  try {
    const own = mergeProxyConfig({}, annotation, { schema });
    if (own.proxyMetadata === undefined) {
      return applyProxyConfig(meshConfig, annotation, { schema });
    }
    // Later versions merge the two maps.
    const { proxyMetadata: _, ...defaultConfig } = meshConfig.defaultConfig;
    return applyProxyConfig({ ...meshConfig, defaultConfig }, annotation, { schema });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new InjectionError("proxy_config", error.original, { cause: error });
  }
}

function holds(meshConfig: MeshConfig, { values, typedValues, behaviours }: LegacyEngine): boolean {
  if (!behaviours.hold) return false;
  if (!behaviours.holdByProxyConfig) {
    return at(values, "global", "proxy", "holdApplicationUntilProxyStarts") === true;
  }
  return (meshConfig.defaultConfig.holdApplicationUntilProxyStarts ?? false) ||
    (typedValues?.holdApplicationUntilProxyStarts ?? false);
}

function at(value: unknown, ...path: string[]): unknown {
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Returns a pod's cluster and network: the URL's, and from 1.8 on also the values' and a label's. */
function clusterEnv(
  pod: Pod,
  asked: StringMap,
  { typedValues: values, behaviours }: LegacyEngine,
): StringMap {
  if (!behaviours.topology || values === undefined) return asked;
  const cluster = lookup(asked, CLUSTER_VARIABLE) || values.clusterName;
  const network = lookup(pod.metadata.labels, NETWORK_LABEL) ??
    (lookup(asked, NETWORK_VARIABLE) || values.network);
  return {
    ...asked,
    ...(cluster ? { [CLUSTER_VARIABLE]: cluster } : {}),
    ...(network ? { [NETWORK_VARIABLE]: network } : {}),
  };
}

/** Appends variables to the sidecar, sorted (the original's order is random). */
function withClusterEnv(
  containers: readonly Container[],
  variables: StringMap,
): readonly Container[] {
  const names = Object.keys(variables).sort(compareStrings);
  const index = containers.findIndex(({ name }) => name === PROXY_CONTAINER);
  if (index < 0 || names.length === 0) return containers;
  const sidecar = containers[index];
  const env = [
    ...(sidecar.env ?? []).filter(({ name }) => !Object.hasOwn(variables, name)),
    ...names.map((name) => ({ name, value: variables[name] })),
  ];
  return containers.with(index, { ...sidecar, env });
}

/** The group of the sidecar, which may read mounted tokens. */
const PROXY_GROUP = 1337;

/** Sets the pod's fsGroup to the sidecar's group, if the version and mesh require it. */
export function withFsGroup(
  pod: Pod,
  engine: Pick<LegacyEngine, "meshConfig" | "behaviours" | "fsGroup">,
): Pod {
  const { meshConfig, behaviours } = engine;
  const hasPath = Boolean(meshConfig.sdsUdsPath);
  if (behaviours.fsGroupForTokens && hasPath && meshConfig.enableSdsTokenMount) {
    return withSpec(pod, { securityContext: { fsGroup: PROXY_GROUP } });
  }
  if ((behaviours.fsGroupForSds && hasPath) || (behaviours.fsGroup && engine.fsGroup)) {
    const own = pod.spec.securityContext as object | undefined;
    return withSpec(pod, { securityContext: { ...own, fsGroup: PROXY_GROUP } });
  }
  return pod;
}
