/**
 * One at a time, among programs that share nothing but an API server: whoever holds a Lease works, the
 * others come back later. It is held for the work and given back after it, not kept: what is done once
 * in months needs no heartbeat.
 *
 * Whether a holder is dead is judged as client-go does it: by how long its record has not changed before
 * our own eyes, on our own clock. Its timestamps are another machine's, and say nothing here.
 *
 * A Lease keeps replicas from doing a thing twice; it cannot keep one that was asleep from waking up. What
 * is written under it must itself be refused when it is late (`resourceVersion`).
 */

import { equalJson } from "../data/json.ts";
import type { Clock } from "../host/mod.ts";
import { ApiError } from "./api_error.ts";
import type { KubeClient, KubeObject } from "./client.ts";
import { LEASES } from "./resources.ts";

export interface LeaseOptions {
  readonly namespace: string;
  readonly name: string;
  /** Ours alone, also among those that ran here before. */
  readonly identity: string;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
}

export type Turn<T> =
  | { readonly isOurs: true; readonly value: T }
  /** Somebody else works. */
  | { readonly isOurs: false };

export interface Lease {
  /**
   * Does the work if nobody else does; throws what it throws, or an ApiError. `signal` is aborted when
   * the work has taken so long that others may think us dead.
   */
  hold<T>(work: (signal: AbortSignal) => Promise<T>): Promise<Turn<T>>;
}

/** As client-go has them by default: how long a silent holder counts as alive, and how long it may work. */
const DURATION_SECONDS = 15;
const WORK_MS = 10_000;

/** @example `await lease.hold(async () => await client.create(SECRETS, secret))` */
export function createLease(client: KubeClient, options: LeaseOptions): Lease {
  const { clock, identity, ...name } = options;
  /** The record of another holder, and since when we have seen it so. */
  let seen: { readonly spec: unknown; readonly at: number } | undefined;

  const isFree = ({ spec }: KubeObject): boolean => {
    const { holderIdentity, leaseDurationSeconds = DURATION_SECONDS } = (spec ?? {}) as LeaseSpec;
    if (!holderIdentity) return true;
    const now = clock.monotonic();
    if (seen === undefined || !equalJson(seen.spec, spec)) seen = { spec, at: now };
    return now - seen.at >= leaseDurationSeconds * 1000;
  };

  /** The Lease as we hold it; `undefined` where another does. */
  const take = async (): Promise<KubeObject | undefined> => {
    const held = (spec: LeaseSpec = {}): LeaseSpec => ({
      holderIdentity: identity,
      leaseDurationSeconds: DURATION_SECONDS,
      acquireTime: microTime(clock.now()),
      renewTime: microTime(clock.now()),
      leaseTransitions: (spec.leaseTransitions ?? -1) + 1,
    });
    try {
      const found = await client.get(LEASES, name).catch(absent);
      if (found === undefined) {
        return await client.create(LEASES, { metadata: name, spec: held() });
      }
      if (!isFree(found)) return undefined;
      return await client.update(LEASES, { ...found, spec: held(found.spec as LeaseSpec) });
    } catch (error) {
      // Another was faster.
      if (isCode(error, "conflict") || isCode(error, "already_exists")) return undefined;
      throw error;
    }
  };

  return {
    async hold(work) {
      const lease = await take();
      if (lease === undefined) return { isOurs: false };
      const late = new AbortController();
      const cancel = clock.after(WORK_MS, () => late.abort());
      try {
        return { isOurs: true, value: await work(late.signal) };
      } finally {
        cancel();
        // Without this others wait until they think us dead; with a conflict they think so already.
        const spec = { ...lease.spec as LeaseSpec, holderIdentity: "", leaseDurationSeconds: 1 };
        await client.update(LEASES, { ...lease, spec }).catch(() => {});
      }
    },
  };
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

function absent(error: unknown): undefined {
  if (!isCode(error, "not_found")) throw error;
}

function isCode(error: unknown, code: ApiError["code"]): boolean {
  return error instanceof ApiError && error.code === code;
}

/** Six digits, no fewer: Go's MicroTime takes nothing else. */
function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}
