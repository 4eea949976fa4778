/**
 * Liveness and readiness. The server is live if it can answer, and ready if it has a config and a
 * certificate and is not shutting down. A rejected new config does not make it unready, because the
 * last good one stays in use; neither does a failing watch. The response body reports both.
 */

import type { HttpAnswer } from "../host/mod.ts";

export interface HealthFacts {
  readonly now: () => number;
  readonly isDraining: () => boolean;
  readonly config: () => {
    readonly version: string;
    readonly loadedAt: number;
    readonly failure?: string;
  };
  readonly certificate: () => CertificateHealth;
  /** Why each watch's data may be stale, by resource; `undefined` while it is in sync. */
  readonly watches: () => Readonly<Record<string, string | undefined>>;
}

export interface CertificateHealth {
  /** In milliseconds since 1970; absent if there is no certificate that clients could trust. */
  readonly expires?: number;
  readonly failure?: string;
  /** The webhook configurations' CA bundle; absent if this process does not manage it. */
  readonly caBundle?: {
    /** Whether all bundles are correct; `undefined` until this is known. */
    readonly holds: boolean | undefined;
    readonly configurations: readonly string[];
    readonly failure?: string;
  };
}

export function liveness(): HttpAnswer {
  return {
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: "ok\n",
  };
}

export function readiness(facts: HealthFacts): HttpAnswer {
  const draining = facts.isDraining();
  const config = facts.config();
  const { expires, failure, caBundle } = facts.certificate();
  const isReady = !draining && expires !== undefined;
  const isExpired = expires !== undefined && expires <= facts.now();
  const watches = Object.entries(facts.watches())
    .map(([what, failure]) => [what, failure === undefined ? "in sync" : { failure }]);
  const detail = {
    ready: isReady,
    ...(draining ? { draining } : {}),
    config: {
      version: config.version,
      loaded: iso(config.loadedAt),
      ...(config.failure === undefined ? {} : { failure: config.failure }),
    },
    certificate: {
      ...(expires === undefined ? { missing: true } : { expires: iso(expires) }),
      ...(isExpired ? { expired: true } : {}),
      ...(failure === undefined ? {} : { failure }),
    },
    ...(caBundle === undefined ? {} : { caBundle }),
    ...(watches.length === 0 ? {} : { watches: Object.fromEntries(watches) }),
  };
  return {
    status: isReady ? 200 : 503,
    headers: { "content-type": "application/json" },
    body: `${JSON.stringify(detail, null, 2)}\n`,
  };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
