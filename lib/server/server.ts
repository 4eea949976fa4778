/**
 * The server: a TLS listener for the webhook, a plain one for health and metrics, and graceful
 * shutdown. Config, certificate and cluster facts are passed as functions, so they can change while
 * it runs.
 */

import type { ClusterFacts, ReviewInjector } from "../admission/mod.ts";
import {
  type Clock,
  type ConnectionLimits,
  createCollector,
  type HttpListener,
  type HttpsListener,
  listenHttp,
  listenHttps,
  processStats,
  type SecureMaterial,
} from "../host/mod.ts";
import { createAfterwards, type Observer } from "./afterwards.ts";
import { createGate, type GateLimits } from "./gate.ts";
import type { CertificateHealth } from "./health.ts";
import { createInjectRoute } from "./inject_route.ts";
import type { Logger } from "./log.ts";
import { type BuildInfo, createMetrics, type Metrics } from "./metrics.ts";
import { createRoutes } from "./routes.ts";
import { createTidy } from "./tidy.ts";

export interface ServerOptions {
  readonly address: string;
  /** 0 picks any free port. */
  readonly port: number;
  /** If absent, health and metrics are only on the webhook's port. */
  readonly monitoringPort?: number;
  readonly secure: SecureMaterial;
  readonly injector: () => ReviewInjector;
  readonly cluster: () => ClusterFacts;
  readonly config: () => {
    readonly version: string;
    readonly loadedAt: number;
    readonly failure?: string;
  };
  readonly certificate: () => CertificateHealth;
  /** Why each watch's data may be stale, by resource. */
  readonly watches?: () => Readonly<Record<string, string | undefined>>;
  /** Creates the observers, which see each review after it is answered. */
  readonly observers?: (metrics: Metrics) => readonly Observer[];
  readonly build: BuildInfo;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Partial<ServerLimits>;
}

export interface ServerLimits extends ConnectionLimits, GateLimits {}

/**
 * The default limits.
 *
 * - The API server keeps idle connections for 90 s and does not retry a POST on a closed one. So
 *   idle connections here live longer, and the API server closes them first.
 * - A webhook's timeout is at most 30 s, so nobody reads a later answer.
 * - A thousand requests take about a second, the shortest timeout that a webhook can have.
 * - Bodies of 128 MiB are eighteen of the largest size, or a thousand of 128 KiB.
 */
export const DEFAULT_LIMITS: ServerLimits = {
  handshakeMs: 10_000,
  headersMs: 10_000,
  requestMs: 30_000,
  answerMs: 30_000,
  idleMs: 120_000,
  maxHeaderBytes: 32 * 1024,
  maxConnections: 16_384,
  maxRequests: 1_000,
  maxBytes: 128 * 1024 * 1024,
};

/** How long requests in flight may take after draining. */
const LAST_REQUESTS_MS = 5_000;

export interface Server {
  readonly port: number;
  readonly monitoringPort: number | undefined;
  readonly metrics: Metrics;
  /** Replaces the certificate for new connections. */
  setSecure(material: SecureMaterial): void;
  /**
   * Fails readiness and closes each connection after its next answer, while still serving requests.
   * Resolves after this time, or earlier if `hurry` resolves.
   */
  drain(milliseconds: number, hurry: Promise<void>): Promise<void>;
  /** Stops accepting connections and waits for requests in flight. */
  stop(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<Server> {
  const { address, clock, log, secure, watches = () => ({}) } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const listeners: HttpListener[] = [];
  let isDraining = false;
  const gate = createGate(limits, clock);
  const metrics = createMetrics({
    build: options.build,
    now: clock.now,
    process: processStats,
    connections: () => listeners.reduce((sum, listener) => sum + listener.connectionCount(), 0),
    requestsInside: gate.count,
    config: () => ({ ...options.config(), failing: options.config().failure !== undefined }),
    certificateExpiry: () => options.certificate().expires,
    caBundleHolds: () => options.certificate().caBundle?.holds,
    certificateFailing: () => options.certificate().failure !== undefined,
    watches,
  });
  const afterwards = createAfterwards({
    observers: options.observers?.(metrics) ?? [],
    isBusy: () => gate.count() > 0,
    clock,
    onError: (error) => log.error("observer failed", { error: stackOf(error) }),
  });
  const tidy = createTidy({
    collector: createCollector(),
    isBusy: () => gate.count() > 0,
    clock,
  });
  const { webhook, monitoring } = createRoutes({
    inject: createInjectRoute({ ...options, gate, afterwards, tidy, metrics }),
    health: {
      now: clock.now,
      isDraining: () => isDraining,
      config: options.config,
      certificate: options.certificate,
      watches,
    },
    metrics,
  });
  const shared = {
    address,
    limits,
    onError: (error: unknown) => log.error("request failed", { error: stackOf(error) }),
    onCut: metrics.cut,
  };
  const https: HttpsListener = await listenHttps({
    ...shared,
    port: options.port,
    secure,
    handler: webhook,
  });
  listeners.push(https);
  const stop = async () => {
    isDraining = true;
    await Promise.all(listeners.map((listener) => listener.stop(LAST_REQUESTS_MS)));
    afterwards.finish();
  };
  if (options.monitoringPort !== undefined) {
    try {
      const port = options.monitoringPort;
      listeners.push(await listenHttp({ ...shared, port, handler: monitoring }));
    } catch (error) {
      await stop();
      throw error;
    }
  }
  return {
    port: https.port,
    monitoringPort: listeners.at(1)?.port,
    metrics,
    setSecure: https.setSecure,
    async drain(milliseconds, hurry) {
      isDraining = true;
      for (const listener of listeners) listener.closeAfterAnswers();
      let cancel = () => {};
      await Promise.race([
        hurry,
        new Promise<void>((resolve) => {
          cancel = clock.after(milliseconds, resolve);
        }),
      ]);
      cancel();
    },
    stop,
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
