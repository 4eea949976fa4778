/** Validates the connection settings of a proxy config and the mesh's default traffic policy. */
import { parseDuration } from "../go/time.ts";
import { checkDuration } from "./_durations.ts";
import { type Failure, joinFailures } from "./multi_error.ts";
import type { MessageJson } from "./proto_json.ts";

type Demand = "non-negative" | "positive" | "at least 65535";

/** Lists the settings in the order in which Istio checks them. */
const CONNECTION_SETTINGS: readonly (readonly [json: string, name: string, demand: Demand])[] = [
  [
    "listenerPerConnectionBufferLimitBytes",
    "listener_per_connection_buffer_limit_bytes",
    "non-negative",
  ],
  [
    "clusterPerConnectionBufferLimitBytes",
    "cluster_per_connection_buffer_limit_bytes",
    "non-negative",
  ],
  ["httpIdleTimeout", "http_idle_timeout", "non-negative"],
  ["httpMaxConnectionDuration", "http_max_connection_duration", "non-negative"],
  ["httpDrainTimeout", "http_drain_timeout", "non-negative"],
  ["httpRequestTimeout", "http_request_timeout", "non-negative"],
  ["httpRequestHeadersTimeout", "http_request_headers_timeout", "non-negative"],
  ["httpStreamIdleTimeout", "http_stream_idle_timeout", "non-negative"],
  ["httpMaxStreamDuration", "http_max_stream_duration", "non-negative"],
  ["httpMaxConcurrentStreams", "http_max_concurrent_streams", "positive"],
  ["http2InitialStreamWindowSize", "http2_initial_stream_window_size", "at least 65535"],
  ["http2InitialConnectionWindowSize", "http2_initial_connection_window_size", "at least 65535"],
  ["listenerConnectionLimit", "listener_connection_limit", "positive"],
  ["globalDownstreamConnectionLimit", "global_downstream_connection_limit", "positive"],
];

export function checkConnectionSettings(settings: unknown): string[] {
  const given = messageOf(settings);
  return CONNECTION_SETTINGS.flatMap(([json, name, demand]) =>
    meets(given[json], demand) ? [] : [`${name} must be ${demand}`]
  );
}

function meets(value: unknown, demand: Demand): boolean {
  if (value === undefined) return true;
  if (typeof value === "string") return parseDuration(value) >= 0n;
  const number = value as number;
  switch (demand) {
    case "non-negative":
      return number >= 0;
    case "positive":
      return number > 0;
    case "at least 65535":
      return number >= 65535;
  }
}

const MILLISECOND = 1_000_000n;

/** Lists the limits that must not be negative, in Istio's order. */
const HTTP_LIMITS: readonly (readonly [json: string, name: string])[] = [
  ["http1MaxPendingRequests", "http1 max pending requests"],
  ["http2MaxRequests", "http2 max requests"],
  ["maxRequestsPerConnection", "max requests per connection"],
  ["maxRetries", "max retries"],
  ["maxConcurrentStreams", "max concurrent streams"],
];

export function checkTrafficPolicy(policy: unknown): Failure | undefined {
  const { connectionPool, outlierDetection } = messageOf(policy);
  return joinFailures([
    connectionPool === undefined ? undefined : checkPool(messageOf(connectionPool)),
    outlierDetection === undefined ? undefined : checkOutliers(messageOf(outlierDetection)),
  ]);
}

function checkPool({ http, tcp }: MessageJson): Failure | undefined {
  if (http === undefined && tcp === undefined) {
    return "connection pool must have at least one field";
  }
  return joinFailures([checkHttp(messageOf(http)), checkTcp(messageOf(tcp))]);
}

function checkHttp(http: MessageJson): Failure | undefined {
  return joinFailures([
    ...HTTP_LIMITS.map(([json, name]) => notNegative(http[json], name)),
    optional(http.idleTimeout),
    http.h2UpgradePolicy === "UPGRADE" && http.useClientProtocol === true
      ? "use client protocol must not be true when H2UpgradePolicy is UPGRADE"
      : undefined,
  ]);
}

function checkTcp(tcp: MessageJson): Failure | undefined {
  const { time, interval } = messageOf(tcp.tcpKeepalive);
  // A timeout below one millisecond counts as unset.
  const idle = typeof tcp.idleTimeout === "string" &&
    parseDuration(tcp.idleTimeout) / MILLISECOND !== 0n;
  return joinFailures([
    notNegative(tcp.maxConnections, "max connections"),
    optional(tcp.connectTimeout),
    optional(tcp.maxConnectionDuration),
    idle ? checkDuration(tcp.idleTimeout) : undefined,
    optional(time),
    optional(interval),
  ]);
}

function checkOutliers(detection: MessageJson): Failure | undefined {
  const failures = detection.consecutiveLocalOriginFailures as number | undefined;
  return joinFailures([
    optional(detection.baseEjectionTime),
    optional(detection.interval),
    detection.splitExternalLocalOriginErrors !== true && (failures ?? 0) > 0
      ? "outlier detection consecutive local origin failures is specified, " +
        "but split external local origin errors is set to false"
      : undefined,
    percentage(detection.maxEjectionPercent),
    percentage(detection.minHealthPercent),
  ]);
}

function optional(duration: unknown): string | undefined {
  return duration === undefined ? undefined : checkDuration(duration);
}

function notNegative(value: unknown, name: string): string | undefined {
  return typeof value === "number" && value < 0 ? `${name} must be non-negative` : undefined;
}

function percentage(value: unknown): string | undefined {
  if (typeof value !== "number" || (value >= 0 && value <= 100)) return undefined;
  return `percentage ${value} is not in range 0..100`;
}

function messageOf(value: unknown): MessageJson {
  return typeof value === "object" && value !== null ? value as MessageJson : {};
}
