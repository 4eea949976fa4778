/**
 * Redacts annotations. A value is kept if injection reads it: the injector itself, or a template
 * that names the annotation. Structured values are redacted inside.
 */

import { isMap } from "../data/map.ts";
import { OVERRIDES, PROXY_CONFIG, STATUS, STATUS_LISTS } from "../inject/mod.ts";
import { blank, type Json, mapValues, redactAs, REDACTED } from "./_redact_fields.ts";
import { redactProxyConfigText } from "./_redact_proxy_config.ts";

/** The annotations that injection reads, by domain. */
const READ: Readonly<Record<string, string>> = {
  "sidecar.istio.io": "inject nativeSidecar interceptionMode rewriteAppHTTPProbers proxyImage " +
    "proxyImageType proxyCPU proxyCPULimit proxyMemory proxyMemoryLimit logLevel agentLogLevel " +
    "componentLogLevel bootstrapOverride capNetBindService enableCoreDump discoveryAddress " +
    "controlPlaneAuthPolicy",
  "status.sidecar.istio.io": "port",
  "readiness.status.sidecar.istio.io":
    "initialDelaySeconds periodSeconds failureThreshold applicationPorts",
  "traffic.sidecar.istio.io": "includeInboundPorts excludeInboundPorts includeOutboundPorts " +
    "excludeOutboundPorts includeOutboundIPRanges excludeOutboundIPRanges excludeInterfaces " +
    "kubevirtInterfaces",
  "istio.io": "rev reroute-virtual-interfaces",
  "inject.istio.io": "templates",
  "prometheus.istio.io": "merge-metrics secure-port",
  "resource.opentelemetry.io": "service.namespace service.version service.instance.id",
  "k8s.v1.cni.cncf.io": "networks",
  "kubectl.kubernetes.io": "default-container default-logs-container",
};

const KEPT: ReadonlySet<string> = new Set(
  Object.entries(READ).flatMap(([domain, names]) =>
    names.split(" ").map((name) => `${domain}/${name}`)
  ),
);

/** Prometheus accepts any case, and `_` or `.` in place of the slash. */
const PROMETHEUS = /^prometheus.io.(?:scrape|port|path)$|^prometheus.istio.io.scrape.targets$/;

type Redact = (text: string) => string;

const STRUCTURES: ReadonlyMap<string, Redact> = new Map<string, Redact>([
  [PROXY_CONFIG, redactProxyConfigText],
  [OVERRIDES, (text) => redactJson(text, redactOverrides)],
  [STATUS, (text) => redactJson(text, redactStatus)],
  ["sidecar.istio.io/userVolume", (text) => redactJson(text, redactMap("Volume"))],
  ["sidecar.istio.io/userVolumeMount", (text) => redactJson(text, redactMap("VolumeMount"))],
]);

export function redactAnnotations(
  annotations: Json,
  isRead: (name: string) => boolean,
): Json {
  return mapValues(annotations, (value, name) => {
    if (typeof value !== "string" || value === "") return blank(value);
    const redact = STRUCTURES.get(name);
    if (redact !== undefined) return redact(value);
    // A URL path; scrape-targets holds a list of them.
    if (PROMETHEUS.test(name)) return value.replace(/\?[^,]*/g, `?${REDACTED}`);
    return KEPT.has(name) || isRead(name) ? value : REDACTED;
  });
}

/** Redacts JSON text. Invalid JSON stays invalid, so that it is refused as before. */
function redactJson(text: string, redact: (value: unknown) => unknown): string {
  try {
    return JSON.stringify(redact(JSON.parse(text)));
  } catch {
    return REDACTED;
  }
}

/** The two lists that overrides may have; other keys are ignored. */
function redactOverrides(value: unknown): unknown {
  if (!isMap(value)) return blank(value);
  const lists = Object.entries(value).filter(([key]) => /^(?:init)?containers$/i.test(key));
  return redactAs("PodSpec", Object.fromEntries(lists));
}

/** Keeps the names of what an earlier injection added, and its revision. */
function redactStatus(value: unknown): unknown {
  if (!isMap(value)) return blank(value);
  const known: readonly string[] = [...STATUS_LISTS, "revision"].map((name) => name.toLowerCase());
  return mapValues(value, (item, key) => known.includes(key.toLowerCase()) ? item : blank(item));
}

/** Redacts volumes or mounts by name, which omit the name inside. */
function redactMap(type: string) {
  return (value: unknown) =>
    isMap(value) ? mapValues(value, (item) => redactAs(type, item)) : blank(value);
}

/**
 * Returns the annotations that a config's templates can read: quoted strings with a slash. Names
 * that a template builds are not found.
 */
export function annotationsOf(config: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, , name] of config.matchAll(/(["'`])([\w.-]{1,253}\/[\w.-]{1,63})\\?\1/g)) {
    names.add(name);
  }
  return names;
}
