/** The webhook server: listeners, routes, limits, draining, health, metrics and logs. */

export { createLogger, type LogFormat, type Logger, type LogLevel } from "./log.ts";
export { DEFAULT_LIMITS, type Server, type ServerLimits, startServer } from "./server.ts";
export type { Observer, Seen } from "./afterwards.ts";
export type { CertificateHealth } from "./health.ts";
export type { Metrics } from "./metrics.ts";
export { createRecorder, type Recorder, type RecorderOptions } from "./recorder.ts";
export { createShadow, type ShadowOptions } from "./shadow.ts";
