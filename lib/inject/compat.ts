/**
 * Lists the behaviours that changed between Istio versions and that a config does not show, each with the
 * version that added or removed it. The engine queries behaviours by name; nothing else compares versions.
 */

import { ISTIO_0_8, versionText } from "./legacy/compat.ts";

/** The minor version of Istio 1.x; `today` is the newest behaviour. */
export type CompatVersion = number | "today";

/** Describes for errors what {@link parseCompatVersion} accepts. */
export const COMPAT_FORM = "a version of Istio, as in 1.22 or 0.8, or today";

/** Parses a version, with or without a patch release; returns `undefined` if the text is not one. */
export function parseCompatVersion(text: string): CompatVersion | undefined {
  if (text === "today") return text;
  const [, major, minor] = /^v?(\d)\.(\d{1,3})(?:\.\d+)?$/.exec(text) ?? [];
  if (major === "1") return Number(minor);
  return major === "0" && minor === "8" ? ISTIO_0_8 : undefined;
}

/** Formats a version. */
export function compatText(version: CompatVersion): string {
  return version === "today" ? version : versionText(version);
}

/** Reports settings that contradict each other. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly code = "setting";
}

/** Throws a SettingError if the shipped templates cannot behave as a version. */
export function refuseOldEmbedded(version: CompatVersion): void {
  if (version !== "today") {
    refuseCompat(version, "the templates shipped with outrigger are for today's Istio");
  }
}

/** Throws the error for a config that does not belong to the requested version. */
export function refuseCompat(version: CompatVersion, reason: string): never {
  throw new SettingError(
    `Cannot behave as Istio ${compatText(version)}: ${reason}; ` +
      "a compat version goes with an injection config of that version",
  );
}

interface Span {
  /** The first minor version with the behaviour; absent means from the beginning. */
  readonly since?: number;
  /** The first minor version without the behaviour; absent means it still exists. */
  readonly until?: number;
}

/** Ranges apply to the last patch release of each minor version. */
const TABLE = {
  /** The built-in default of `concurrency` is two worker threads. */
  defaultTwoWorkers: { until: 18 },
  /** The built-in default of `tracing` is Zipkin. */
  defaultZipkin: { until: 22 },
  /** The proxy config has a `parentShutdownDuration`. */
  parentShutdown: { until: 17 },
  /** ProxyConfig resources apply, so the webhook merges the proxy config from layers. */
  proxyConfigLayers: { since: 13 },
  /** … and the layers merge deeply. */
  proxyConfigMergesDeeply: { since: 13, until: 16 },
  /** Templates see a concurrency estimated from the sidecar's CPU limit or request. */
  estimatesConcurrency: { since: 11, until: 18 },
  /** The label `sidecar.istio.io/inject` overrides the annotation. */
  decisionLabel: { since: 12 },
  /** `y`, `yes`, `on` and `true` in any case enable injection; every other value disables it. */
  decisionLenientValues: { until: 27 },
  /** `sidecar.istio.io/enableCoreDump` must be a boolean. */
  checksCoreDump: { until: 25 },
  /** The proxy config's status port must be a valid port. */
  checksStatusPort: { since: 11 },
  /** The drain duration is limited to one hour. */
  limitsDrain: { until: 22 },
  /** Errors about a port show the parsed number instead of the text. */
  namesReadPort: { until: 11 },
  /** IP ranges are parsed by Go's older parser, which accepts `/08` and has shorter errors. */
  readsRangesLoosely: { until: 16 },
  /** CPU and memory annotations must be quantities. */
  checksQuantities: { since: 27 },
  /** Network interface annotations must name interfaces. */
  checksInterfaces: { since: 30 },
  /** kube-inject skips injected pods. */
  inertIfInjected: { until: 17 },
  /** kube-inject looks up a bare pod's owner. */
  podOwner: { since: 21 },
  /** OpenShift's DeploymentConfig is recognised as an owner. */
  ownerDeploymentConfig: { since: 12 },
  /** Argo's Rollout is recognised as an owner. */
  ownerRollout: { since: 22 },
  /** A CronJob's API version is reported as `batch/v1beta1`. */
  ownerCronJobBeta: { until: 22 },
  /** Templates have the function `render`. */
  renderFunction: { until: 14 },
  /** Errors in the rendered YAML are reported in detail. */
  tellsYamlErrors: { until: 14 },
  /** The status annotation contains the revision. */
  statusRevision: { since: 11 },
  /** Containers in the status of an earlier injection are not treated as the user's. */
  keepsPreviousStatus: { since: 17 },
  /** The template and the user may declare the sidecar as an init container. */
  nativeSidecars: { since: 19 },
  /** Templates can set a container's restartPolicy; some did before Kubernetes supported it. */
  containerRestartPolicy: { since: 19 },
  /** A user's runAsUser for the sidecar is copied to the init container's `-u` argument. */
  adjustsProxyUser: { since: 20 },
  /** The pod's annotation `sidecar.istio.io/nativeSidecar` applies. */
  nativeAnnotation: { since: 24 },
  /** By default the nodes' versions decide about native sidecars. */
  nativeAuto: { since: 27 },
  /**
   * `prometheus.io/scrape: "false"` disables metrics merging, and keys may use any spelling Prometheus
   * accepts.
   */
  prometheusHonoursScrape: { since: 13 },
  /** Supports scrape targets, reserved ports and the secure port. */
  prometheusTargets: { since: 31 },
  /** TCP probes are rewritten too. */
  probesTcp: { since: 12 },
  /** … unless `REWRITE_TCP_PROBES` disables it. */
  probesTcpSwitch: { since: 12, until: 19 },
  /** gRPC probes are rewritten too. */
  probesGrpc: { since: 13 },
  /** Lifecycle handlers are rewritten too. */
  probesOfLifecycle: { since: 25 },
  /** A second injection keeps the probes recorded by the first. */
  probesMerge: { since: 17 },
  /** … and records them if the first injection recorded none. */
  probesMergeAppends: { since: 27 },
  /** On OpenShift the namespace sets the sidecar's user and group. */
  openshiftIds: { since: 20 },
  /** On OpenShift a sidecar user equal to the application's is dropped. */
  openshiftDropsEqualUser: { since: 23 },
  /** … and init containers count as the application too. */
  openshiftChecksInit: { since: 27 },
  /** `global.variant` sets the image variant. */
  imageVariant: { since: 22 },
  /** … also if the proxy config's `image` has no type. */
  imageVariantForEmptyType: { since: 31 },
  /** `--slash--` in a URL value stands for a slash. */
  urlSlash: { since: 15 },
} as const satisfies Record<string, Span>;

export type Behaviour = keyof typeof TABLE;
export type Behaviours = Readonly<Record<Behaviour, boolean>>;

/** Returns the behaviours of a version. */
export function behavioursOf(version: CompatVersion): Behaviours {
  const has = ({ since, until }: Span) =>
    version === "today"
      ? until === undefined
      : (since === undefined || version >= since) && (until === undefined || version < until);
  return Object.freeze(
    Object.fromEntries(Object.entries(TABLE).map(([name, span]) => [name, has(span)])),
  ) as Behaviours;
}
