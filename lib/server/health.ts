/**
 * Whether to send requests here. Alive is who can answer; ready is who has something to serve with, a
 * certificate included, and is not about to leave. A newer configuration that was refused does not make it unready, since the
 * last good one serves; nor does a watch that fails. Both show in the detail.
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
  /** By what is watched, why what is known of it may be old; `undefined` where it is in step. */
  readonly watches: () => Readonly<Record<string, string | undefined>>;
}

export interface CertificateHealth {
  /** Milliseconds since 1970; absent while there is none that callers could trust. */
  readonly expires?: number;
  readonly failure?: string;
  /** What callers are told to trust; absent where that is not kept here. */
  readonly caBundle?: {
    /** `undefined` before that is known. */
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
    .map(([what, failure]) => [what, failure === undefined ? "in step" : { failure }]);
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
