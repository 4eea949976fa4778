/**
 * What changed between Istio 0.8 and 1.8, the years of the one appended template, and can't be told from
 * a config: a table of the same shape as the modern one. And which of those versions a template was
 * written for, told from what it uses.
 */

/** Minor version of Istio 1.x, up to 8; {@link ISTIO_0_8} stands before 1.0. */
export type LegacyVersion = number;

export const ISTIO_0_8: LegacyVersion = -1;

/** The last version with one template. */
export const LAST_LEGACY: LegacyVersion = 8;

interface Span {
  /** First version that has it; absent: from the beginning. */
  readonly since?: LegacyVersion;
  /** First version that no longer has it; absent: to the end. */
  readonly until?: LegacyVersion;
}

/** Spans are by the last patch release of each minor version. */
const TABLE = {
  /** What Kubernetes would default in the sidecar is filled in by the injector. */
  fillsDefaults: { until: 1 },
  /** A pod without a namespace is in the request's. */
  requestNamespace: { since: 1 },
  /** The config's selectors count. */
  selectors: { since: 1 },
  /** The sidecar gets a number of workers by its CPU. */
  concurrency: { since: 1 },
  /** The sidecar gets the application's service account token mounted. */
  tokenMount: { since: 1 },
  /** The template may set `dnsConfig`, and the patch tells the pod's security context again. */
  podFields: { since: 1 },
  /** Probes may be rewritten. */
  probes: { since: 1 },
  /** … where the pod's annotation says so. */
  probesByAnnotation: { since: 2 },
  /** … and HTTPS ones then ask the agent by plain HTTP. */
  probesPlain: { since: 2 },
  /** … as a whole, at the mesh's status port, with their timeouts. */
  probesWhole: { since: 6 },
  /** … startup probes too, and before anything else is patched. */
  probesFirst: { since: 7 },
  /** … and the agent is told of them only if there are any. */
  probesIfAny: { since: 8 },
  /** Group 1337 where the mesh mounts tokens for SDS, in place of the pod's security context. */
  fsGroupForTokens: { since: 1, until: 4 },
  /** Group 1337 where the mesh has a path for SDS. */
  fsGroupForSds: { since: 4, until: 8 },
  /** Group 1337 unless turned off. */
  fsGroup: { since: 8 },
  /** Templates are told of the pod's owner. */
  owner: { since: 4 },
  /** … of a CronJob behind a Job too. */
  ownerOfJob: { since: 6 },
  /** … and a ReplicaSet is a Deployment's only if its hash says so. */
  ownerByHash: { since: 8 },
  /** The label about mutual TLS. */
  tlsLabel: { since: 4 },
  /** The config's own annotations. */
  injectedAnnotations: { since: 4 },
  /** The pod's annotation `proxy.istio.io/config` counts. */
  proxyConfigAnnotation: { since: 6 },
  /** Labels of revision and canonical service, and metrics merging. */
  istiod: { since: 6 },
  /** Validation comes before all other init containers. */
  validationFirst: { since: 6 },
  /** The sidecar may come before the application. */
  hold: { since: 7 },
  /** … by the mesh's or the pod's proxy config. */
  holdByProxyConfig: { since: 8 },
  /** Cluster and network come from the values, and the network becomes a label. */
  topology: { since: 8 },
  /** Errors about annotations are collected. */
  allErrors: { since: 0 },
  /** … in the words that are still used. */
  plainErrors: { since: 2 },
  /** Errors about the rendered text say so. */
  explainsYaml: { since: 4 },
  /** The command line takes bare pods. */
  barePods: { since: 0 },
  /** The command line leaves injected pods alone. */
  inertIfInjected: { since: 2 },
  /** The command line applies the template's `podRedirectAnnot`. */
  redirectAnnotations: { since: 4, until: 8 },
  /** The command line points Prometheus at the agent. */
  commandPrometheus: { since: 7 },
  /** The command line adds pull secrets. */
  commandPullSecrets: { since: 6 },
  /** The command line does what the webhook does. */
  oneWay: { since: 8 },
  /** The types of workloads are those of `apps/v1`, which tell of a missing selector. */
  appsTypes: { since: 2 },
  /** sprig's functions. */
  sprig: { since: 8 },
} as const satisfies Record<string, Span>;

export type LegacyBehaviours = Readonly<Record<keyof typeof TABLE, boolean>>;

export function legacyBehavioursOf(version: LegacyVersion): LegacyBehaviours {
  const has = ({ since = ISTIO_0_8, until = Infinity }: Span) =>
    version >= since && version < until;
  return Object.freeze(
    Object.fromEntries(Object.entries(TABLE).map(([name, span]) => [name, has(span)])),
  ) as LegacyBehaviours;
}

/** What a template can only use from a version on, the newest first. */
const SIGNS: readonly (readonly [version: LegacyVersion, sign: RegExp])[] = [
  [8, /\bappendMultusNetwork\b|\.HoldApplicationUntilProxyStarts\b/],
  [7, /\.Concurrency\.(?:Get)?Value\b|\bholdApplicationUntilProxyStarts\b/],
  [6, /\benv (?:"|`)|\bpilotCertProvider\b|\bjwtPolicy\b|\.ProxyMetadata\b/],
  [4, /\bprotoToJSON\b|\bstructToJSON\b|\btoLower\b|\.TypeMeta\b|\bpodRedirectAnnot\b/],
];

/** In `[[ ]]`, what 1.0 had and 0.8 had not, and the same for 1.1. */
const OLD_SIGNS: readonly (readonly [version: LegacyVersion, sign: RegExp])[] = [
  [
    1,
    /\.DeploymentMeta\b|\bvalueOrDefault\b|\btoJSON\b|\bfromJSON\b|\btoYaml\b|\bdirectory\b|\bkubevirtInterfaces\b|\brewriteAppHTTPProbe\b|\bdnsConfig\b/,
  ],
  [0, /\bannotation \.ObjectMeta\b|\btoJson\b|\bincludeInboundPorts \.|\bapplicationPorts \./],
  [ISTIO_0_8, /\.ProxyConfig\.DiscoveryRefreshDelay\b|\.ProxyConfig\.AvailabilityZone\b/],
];

/**
 * The oldest version that has what a template uses. One that uses little could be of any: then 1.1 for
 * `[[ ]]` and for a text without actions, 1.2 for `{{ }}`.
 */
export function guessVersion(template: string, { left }: { left: string }): LegacyVersion {
  const isOld = left === "[[" || !template.includes(left);
  const found = (isOld ? OLD_SIGNS : SIGNS).find(([, sign]) => sign.test(template));
  return found?.[0] ?? (isOld ? 1 : 2);
}

/** A version as people write it. */
export function versionText(version: LegacyVersion): string {
  return version === ISTIO_0_8 ? "0.8" : `1.${version}`;
}
