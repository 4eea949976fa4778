/**
 * Implements kube-inject of Istio up to 1.7, which appends the template's output to the workload's pod and
 * does fewer steps than the webhook. Nothing is removed.
 */
import { PROXY_CONTAINER, STATUS } from "../names.ts";
import {
  type Container,
  containersOf,
  lookup,
  type Pod,
  type StringMap,
  withMeta,
  withSpec,
} from "../pod.ts";
import type { LegacyEngine } from "./engine.ts";
import { type Rendered, withFsGroup } from "./inject.ts";
import { REVISION_LABEL, scrapingOf, TLS_LABEL } from "./metadata.ts";
import { agentPort, probersVariable, rewritesProbes, rewrittenProbes } from "./probes.ts";

export function appendInjection(pod: Pod, rendered: Rendered, engine: LegacyEngine): Pod {
  const { injection, hold } = rendered;
  const { behaviours } = engine;
  const { annotations } = pod.metadata;
  const containers = [...containersOf(pod, "containers"), ...injection.containers];
  const { dnsConfig: _, ...spec } = pod.spec;
  const dnsConfig = behaviours.podFields ? injection.dnsConfig : pod.spec.dnsConfig;
  let injected: Pod = {
    ...pod,
    spec: {
      ...spec,
      containers: hold ? proxyFirst(containers, injection.containers) : containers,
      ...append("initContainers", pod.spec.initContainers, injection.initContainers),
      ...append("volumes", pod.spec.volumes, injection.volumes),
      // The pod's own dnsConfig is dropped even if the template sets none.
      ...(dnsConfig === undefined ? {} : { dnsConfig }),
      ...(behaviours.commandPullSecrets
        ? append("imagePullSecrets", pod.spec.imagePullSecrets, injection.imagePullSecrets)
        : {}),
    },
  };
  if (rewritesProbes(annotations, { injection, behaviours })) {
    injected = withProbes(injected, engine);
  }
  injected = withFsGroup(injected, engine);
  const scraping = behaviours.commandPrometheus
    ? scrapingOf(annotations, engine.meshConfig)
    : undefined;
  return withMeta(injected, {
    annotations: {
      ...annotations,
      ...scraping?.annotations,
      ...redirection(injection.podRedirectAnnot),
      [STATUS]: rendered.status,
    },
    ...labels(pod, engine),
  });
}

function append<T>(
  list: string,
  own: readonly T[] | undefined,
  added: readonly T[],
): Readonly<Record<string, readonly T[]>> {
  return own || added.length > 0 ? { [list]: [...own ?? [], ...added] } : {};
}

/** Returns the containers with the template's sidecar first. */
function proxyFirst(
  containers: readonly Container[],
  added: readonly Container[],
): readonly Container[] {
  const sidecar = added.find(({ name }) => name === PROXY_CONTAINER);
  if (!sidecar) return containers;
  return [sidecar, ...containers.filter((container) => container !== sidecar)];
}

/**
 * Rewrites the probes of all containers, injected ones too, to the first sidecar's agent, and passes them
 * to it.
 */
function withProbes(pod: Pod, { behaviours, meshConfig }: LegacyEngine): Pod {
  const containers = containersOf(pod, "containers");
  const index = containers.findIndex(({ name }) => name === PROXY_CONTAINER);
  if (index < 0) return pod;
  const sidecar = containers[index];
  const port = agentPort(sidecar, {
    annotations: pod.metadata.annotations,
    statusPort: meshConfig.defaultConfig.statusPort ?? 0,
    behaviours,
  });
  if (port === undefined) return pod;
  const variable = probersVariable(containers, behaviours);
  const told = variable ? { ...sidecar, env: [...sidecar.env ?? [], variable] } : sidecar;
  return withSpec(pod, {
    containers: containers.map((container, i) =>
      i === index
        ? told
        : { ...container, ...Object.fromEntries(rewrittenProbes(container, { port, behaviours })) }
    ),
  });
}

/** The annotations that the template's `podRedirectAnnot` may set, which are those the injector knew. */
const KNOWN = new RegExp(
  "^(?:" + [
    "sidecar\\.istio\\.io/(?:inject|status|rewriteAppHTTPProbers|controlPlaneAuthPolicy|discoveryAddress" +
    "|proxyImage|proxyCPU|proxyMemory|interceptionMode|bootstrapOverride|statsInclusionPrefixes" +
    "|statsInclusionSuffixes|statsInclusionRegexps|userVolume|userVolumeMount|enableCoreDump)",
    "status\\.sidecar\\.istio\\.io/port",
    "readiness\\.status\\.sidecar\\.istio\\.io/(?:initialDelaySeconds|periodSeconds|failureThreshold)",
    "traffic\\.sidecar\\.istio\\.io/(?:includeOutboundIPRanges|excludeOutboundIPRanges" +
    "|includeInboundPorts|excludeInboundPorts|excludeOutboundPorts|kubevirtInterfaces)",
    "prometheus\\.istio\\.io/merge-metrics",
    "proxy\\.istio\\.io/config",
    "k8s\\.v1\\.cni\\.cncf\\.io/networks",
  ].join("|") + ")$",
);

function redirection(annotations: StringMap): StringMap {
  return Object.fromEntries(
    Object.entries(annotations).filter(([name, value]) => value !== "" && KNOWN.test(name)),
  );
}

function labels(
  { metadata }: Pod,
  { behaviours, revision }: LegacyEngine,
): { labels?: StringMap } {
  if (!behaviours.tlsLabel) return {};
  const hasTls = lookup(metadata.labels, TLS_LABEL);
  return {
    labels: {
      ...metadata.labels,
      ...(behaviours.istiod ? { [REVISION_LABEL]: revision } : {}),
      ...(hasTls ? {} : { [TLS_LABEL]: "istio" }),
    },
  };
}
