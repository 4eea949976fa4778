/**
 * What changed from one Istio version to another and can't be told from the config: one table of
 * behaviours, each with the version it began or ended with. The engine asks a behaviour by name;
 * nothing else compares versions.
 */

import { ISTIO_0_8, versionText } from "./legacy/compat.ts";

/** Minor version of Istio 1.x; `today` is the newest behaviour. */
export type CompatVersion = number | "today";

/** What {@link parseCompatVersion} reads, for errors. */
export const COMPAT_FORM = "a version of Istio, as in 1.22 or 0.8, or today";

/** The version that a text names, patch release or not; `undefined` where it names none. */
export function parseCompatVersion(text: string): CompatVersion | undefined {
  if (text === "today") return text;
  const [, major, minor] = /^v?(\d)\.(\d{1,3})(?:\.\d+)?$/.exec(text) ?? [];
  if (major === "1") return Number(minor);
  return major === "0" && minor === "8" ? ISTIO_0_8 : undefined;
}

/** The text that names a version. */
export function compatText(version: CompatVersion): string {
  return version === "today" ? version : versionText(version);
}

/** Settings that do not go with each other. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly code = "setting";
}

/** Throws a SettingError where the templates that ship cannot behave as a version. */
export function refuseOldEmbedded(version: CompatVersion): void {
  if (version !== "today") refuseCompat(version, "the templates that ship are of today");
}

/** Throws the error of a config that is of another time than the version asked for. */
export function refuseCompat(version: CompatVersion, reason: string): never {
  throw new SettingError(
    `Cannot behave as Istio ${compatText(version)}: ${reason}; ` +
      "a compat version goes with an injection config of that version",
  );
}

interface Span {
  /** First minor version that has it; absent: from the beginning. */
  readonly since?: number;
  /** First minor version that no longer has it; absent: to this day. */
  readonly until?: number;
}

/** Spans are by the last patch release of each minor version. */
const TABLE = {
  /** A sidecar runs two worker threads, by the code's default of `concurrency`. */
  defaultTwoWorkers: { until: 18 },
  /** Traces go to Zipkin, by the code's default of `tracing`. */
  defaultZipkin: { until: 22 },
  /** The proxy config has a `parentShutdownDuration`. */
  parentShutdown: { until: 17 },
  /** ProxyConfig resources count, and so the webhook's proxy config is made of layers. */
  proxyConfigLayers: { since: 13 },
  /** … which merge into each other's parts. */
  proxyConfigMergesDeeply: { since: 13, until: 16 },
  /** Templates get a concurrency made of the sidecar's CPU limit or request. */
  estimatesConcurrency: { since: 11, until: 18 },
  /** The label `sidecar.istio.io/inject` wins over the annotation. */
  decisionLabel: { since: 12 },
  /** `y`, `yes`, `on` and `true` in any case inject, every other value does not. */
  decisionLenientValues: { until: 27 },
  /** `sidecar.istio.io/enableCoreDump` must be a boolean. */
  checksCoreDump: { until: 25 },
  /** A status port in the proxy config must be one. */
  checksStatusPort: { since: 11 },
  /** Draining takes an hour at most. */
  limitsDrain: { until: 22 },
  /** Complaints about a port name what was read of it, not what was there. */
  namesReadPort: { until: 11 },
  /** IP ranges are read by Go's older parser, which takes `/08` and says less about the rest. */
  readsRangesLoosely: { until: 16 },
  /** Annotations about CPU and memory must be quantities. */
  checksQuantities: { since: 27 },
  /** Annotations about network interfaces must name some. */
  checksInterfaces: { since: 30 },
  /** The command line leaves injected pods alone. */
  inertIfInjected: { until: 17 },
  /** The command line looks at a bare pod's owner. */
  podOwner: { since: 21 },
  /** OpenShift's DeploymentConfig is known as an owner. */
  ownerDeploymentConfig: { since: 12 },
  /** So is Argo's Rollout. */
  ownerRollout: { since: 22 },
  /** A CronJob's API is said to be `batch/v1beta1`. */
  ownerCronJobBeta: { until: 22 },
  /** Templates have the function `render`. */
  renderFunction: { until: 14 },
  /** What is wrong with the YAML that a template made is told. */
  tellsYamlErrors: { until: 14 },
  /** The status annotation tells the revision. */
  statusRevision: { since: 11 },
  /** Containers named in the status of an earlier injection are not taken for the user's. */
  keepsPreviousStatus: { since: 17 },
  /** The sidecar may be an init container, of the template and of the user. */
  nativeSidecars: { since: 19 },
  /** Templates can set a container's restartPolicy; some did before Kubernetes knew of it. */
  containerRestartPolicy: { since: 19 },
  /** A user's runAsUser of the sidecar reaches the init container's `-u` argument. */
  adjustsProxyUser: { since: 20 },
  /** The pod's annotation `sidecar.istio.io/nativeSidecar` is heard. */
  nativeAnnotation: { since: 24 },
  /** Unless told, nodes decide about native sidecars. */
  nativeAuto: { since: 27 },
  /** `prometheus.io/scrape: "false"` turns the merge off, and keys may be spelled as Prometheus takes them. */
  prometheusHonoursScrape: { since: 13 },
  /** Scrape targets, refused ports, the secure port. */
  prometheusTargets: { since: 31 },
  /** TCP probes are rewritten too. */
  probesTcp: { since: 12 },
  /** … unless `REWRITE_TCP_PROBES` turns that off. */
  probesTcpSwitch: { since: 12, until: 19 },
  /** gRPC probes are rewritten too. */
  probesGrpc: { since: 13 },
  /** Lifecycle handlers are rewritten too. */
  probesOfLifecycle: { since: 25 },
  /** A second injection keeps the probes found by the first. */
  probesMerge: { since: 17 },
  /** … and adds them where the first one had none. */
  probesMergeAppends: { since: 27 },
  /** User and group of the sidecar come from the namespace on OpenShift. */
  openshiftIds: { since: 20 },
  /** A sidecar's user equal to the application's is dropped on OpenShift. */
  openshiftDropsEqualUser: { since: 23 },
  /** … and that of init containers counts as the application's. */
  openshiftChecksInit: { since: 27 },
  /** The image's variant comes from `global.variant`. */
  imageVariant: { since: 22 },
  /** … also where the proxy config has an `image` that names no type. */
  imageVariantForEmptyType: { since: 31 },
  /** `--slash--` in a value of the URL is a slash. */
  urlSlash: { since: 15 },
} as const satisfies Record<string, Span>;

export type Behaviour = keyof typeof TABLE;
export type Behaviours = Readonly<Record<Behaviour, boolean>>;

/** The behaviours of a version. */
export function behavioursOf(version: CompatVersion): Behaviours {
  const has = ({ since, until }: Span) =>
    version === "today"
      ? until === undefined
      : (since === undefined || version >= since) && (until === undefined || version < until);
  return Object.freeze(
    Object.fromEntries(Object.entries(TABLE).map(([name, span]) => [name, has(span)])),
  ) as Behaviours;
}
