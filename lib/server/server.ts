/**
 * The server: two listeners, one over TLS for the webhook and one in the clear for health and metrics,
 * and an orderly end. What it serves comes in as functions, so that it can change underneath.
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
  /** 0 for any that is free. */
  readonly port: number;
  /** Without one, health and metrics are on the webhook's port only. */
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
  /** By what is watched in the cluster, why what is known of it may be old. */
  readonly watches?: () => Readonly<Record<string, string | undefined>>;
  /** Who sees each review after its answer. */
  readonly observers?: (metrics: Metrics) => readonly Observer[];
  readonly build: BuildInfo;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Partial<ServerLimits>;
}

export interface ServerLimits extends ConnectionLimits, GateLimits {}

/**
 * - The API server keeps idle connections for 90 s and never sends a POST again: whoever closes first
 *   must be the API server, so idle connections live longer than that.
 * - A webhook's timeout is 30 s at most: what takes longer than that has no reader.
 * - A thousand requests take about a second, the shortest timeout that a webhook can have.
 * - Bodies of 128 MiB are eighteen of the largest, or a thousand of 128 KiB.
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

/** Once the time to drain is over, how long requests under way get to end. */
const LAST_REQUESTS_MS = 5_000;

export interface Server {
  readonly port: number;
  readonly monitoringPort: number | undefined;
  readonly metrics: Metrics;
  /** For connections that begin from now on. */
  setSecure(material: SecureMaterial): void;
  /**
   * Readiness fails from now on, and each answer closes its connection; requests are answered as
   * ever. Resolves after so long, or when the other promise does.
   */
  drain(milliseconds: number, hurry: Promise<void>): Promise<void>;
  /** Ends it: no new connections, the requests under way get their answers. */
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
