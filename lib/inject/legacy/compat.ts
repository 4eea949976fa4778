/**
 * Lists the behaviours that changed between Istio 0.8 and 1.8, the versions with a single appended
 * template, and that a config does not show. The table has the same shape as the modern one. Also guesses
 * the version a template was written for from the features it uses.
 */

/** The minor version of Istio 1.x, up to 8. {@link ISTIO_0_8} precedes 1.0. */
export type LegacyVersion = number;

export const ISTIO_0_8: LegacyVersion = -1;

/** The last version with a single template. */
export const LAST_LEGACY: LegacyVersion = 8;

interface Span {
  /** The first version with the behaviour; absent means from the beginning. */
  readonly since?: LegacyVersion;
  /** The first version without the behaviour; absent means to the end. */
  readonly until?: LegacyVersion;
}

/** Ranges apply to the last patch release of each minor version. */
const TABLE = {
  /** The injector sets the defaults that Kubernetes would set in the sidecar. */
  fillsDefaults: { until: 1 },
  /** A pod without a namespace gets the request's. */
  requestNamespace: { since: 1 },
  /** The config's selectors apply. */
  selectors: { since: 1 },
  /** The sidecar's concurrency follows its CPU. */
  concurrency: { since: 1 },
  /** The application's service account token is mounted in the sidecar. */
  tokenMount: { since: 1 },
  /** The template may set `dnsConfig`, and the patch repeats the pod's security context. */
  podFields: { since: 1 },
  /** Probes may be rewritten. */
  probes: { since: 1 },
  /** … if the pod's annotation says so. */
  probesByAnnotation: { since: 2 },
  /** … and HTTPS probes query the agent over plain HTTP. */
  probesPlain: { since: 2 },
  /** … entirely, to the mesh's status port, with their timeouts. */
  probesWhole: { since: 6 },
  /** … including startup probes, and before any other change. */
  probesFirst: { since: 7 },
  /** … and passed to the agent only if there are any. */
  probesIfAny: { since: 8 },
  /** Sets fsGroup 1337 if the mesh mounts SDS tokens, replacing the pod's security context. */
  fsGroupForTokens: { since: 1, until: 4 },
  /** Sets fsGroup 1337 if the mesh has an SDS path. */
  fsGroupForSds: { since: 4, until: 8 },
  /** Sets fsGroup 1337 unless disabled. */
  fsGroup: { since: 8 },
  /** Templates see the pod's owner. */
  owner: { since: 4 },
  /** … including the CronJob that owns a Job. */
  ownerOfJob: { since: 6 },
  /** … and a ReplicaSet belongs to a Deployment only if its name ends in the hash. */
  ownerByHash: { since: 8 },
  /** Adds the label for mutual TLS. */
  tlsLabel: { since: 4 },
  /** Adds the config's `injectedAnnotations`. */
  injectedAnnotations: { since: 4 },
  /** The pod's annotation `proxy.istio.io/config` applies. */
  proxyConfigAnnotation: { since: 6 },
  /** Adds the revision and canonical service labels, and merges metrics. */
  istiod: { since: 6 },
  /** The validation container precedes all other init containers. */
  validationFirst: { since: 6 },
  /** The sidecar may precede the application. */
  hold: { since: 7 },
  /** … by the mesh's or the pod's proxy config. */
  holdByProxyConfig: { since: 8 },
  /** Cluster and network come from the values, and the network becomes a label. */
  topology: { since: 8 },
  /** Annotation errors are collected. */
  allErrors: { since: 0 },
  /** … with the messages used to this day. */
  plainErrors: { since: 2 },
  /** Errors about the rendered text say that it is the rendered text. */
  explainsYaml: { since: 4 },
  /** kube-inject accepts bare pods. */
  barePods: { since: 0 },
  /** kube-inject skips injected pods. */
  inertIfInjected: { since: 2 },
  /** kube-inject applies the template's `podRedirectAnnot`. */
  redirectAnnotations: { since: 4, until: 8 },
  /** kube-inject points Prometheus at the agent. */
  commandPrometheus: { since: 7 },
  /** kube-inject adds pull secrets. */
  commandPullSecrets: { since: 6 },
  /** kube-inject does the same as the webhook. */
  oneWay: { since: 8 },
  /** Workloads decode as `apps/v1` types, which report a missing selector. */
  appsTypes: { since: 2 },
  /** Templates have sprig's functions. */
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

/** Features and the version that introduced them, newest first. */
const SIGNS: readonly (readonly [version: LegacyVersion, sign: RegExp])[] = [
  [8, /\bappendMultusNetwork\b|\.HoldApplicationUntilProxyStarts\b/],
  [7, /\.Concurrency\.(?:Get)?Value\b|\bholdApplicationUntilProxyStarts\b/],
  [6, /\benv (?:"|`)|\bpilotCertProvider\b|\bjwtPolicy\b|\.ProxyMetadata\b/],
  [4, /\bprotoToJSON\b|\bstructToJSON\b|\btoLower\b|\.TypeMeta\b|\bpodRedirectAnnot\b/],
];

/** Features in `[[ ]]` templates that 1.0 and 1.1 introduced. */
const OLD_SIGNS: readonly (readonly [version: LegacyVersion, sign: RegExp])[] = [
  [
    1,
    /\.DeploymentMeta\b|\bvalueOrDefault\b|\btoJSON\b|\bfromJSON\b|\btoYaml\b|\bdirectory\b|\bkubevirtInterfaces\b|\brewriteAppHTTPProbe\b|\bdnsConfig\b/,
  ],
  [0, /\bannotation \.ObjectMeta\b|\btoJson\b|\bincludeInboundPorts \.|\bapplicationPorts \./],
  [ISTIO_0_8, /\.ProxyConfig\.DiscoveryRefreshDelay\b|\.ProxyConfig\.AvailabilityZone\b/],
];

/**
 * Returns the oldest version that has every feature the template uses. A template without such features is
 * taken as 1.1 if it uses `[[ ]]` or no actions, and as 1.2 if it uses `{{ }}`.
 */
export function guessVersion(template: string, { left }: { left: string }): LegacyVersion {
  const isOld = left === "[[" || !template.includes(left);
  const found = (isOld ? OLD_SIGNS : SIGNS).find(([, sign]) => sign.test(template));
  return found?.[0] ?? (isOld ? 1 : 2);
}

/** Formats a version as users write it. */
export function versionText(version: LegacyVersion): string {
  return version === ISTIO_0_8 ? "0.8" : `1.${version}`;
}
