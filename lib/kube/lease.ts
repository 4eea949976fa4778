/**
 * Mutual exclusion between replicas through a Lease object. A replica takes the Lease for one piece of
 * work and releases it afterwards. There is no heartbeat, because the work happens once in months.
 *
 * As in client-go, a holder counts as dead if its record has not changed for the Lease's duration, as
 * measured by the local clock. The timestamps in the record come from another machine and are ignored.
 *
 * A Lease cannot stop a replica that was suspended and wakes up late. Writes under it must therefore fail
 * if the object has changed (`resourceVersion`).
 */

import { equalJson } from "../data/json.ts";
import type { Clock } from "../host/mod.ts";
import { microTime } from "./_micro_time.ts";
import { isApiError, unlessNotFound } from "./api_error.ts";
import type { KubeClient, KubeObject } from "./client.ts";
import { LEASES } from "./resources.ts";

export interface LeaseOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process, including among earlier processes of the same pod. */
  readonly identity: string;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
}

export type Turn<T> =
  | { readonly isOurs: true; readonly value: T }
  /** Another replica holds the Lease. */
  | { readonly isOurs: false };

export interface Lease {
  /**
   * Runs `work` if no other replica holds the Lease. Throws what `work` throws, or an ApiError. `signal`
   * is aborted when the work has taken so long that others may consider this replica dead.
   */
  hold<T>(work: (signal: AbortSignal) => Promise<T>): Promise<Turn<T>>;
}

/** client-go's defaults for LeaseDuration and RenewDeadline. */
const DURATION_SECONDS = 15;
const WORK_MS = 10_000;

/**
 * Returns a handle on a Lease object, which is created when first held.
 *
 * @example `await lease.hold(async () => await client.create(SECRETS, secret))`
 */
export function createLease(client: KubeClient, options: LeaseOptions): Lease {
  const { clock, identity, ...name } = options;
  /** The record of another holder, and when it was first seen in this form. */
  let seen: { readonly spec: unknown; readonly at: number } | undefined;

  const isFree = ({ spec }: KubeObject): boolean => {
    const { holderIdentity, leaseDurationSeconds = DURATION_SECONDS } = (spec ?? {}) as LeaseSpec;
    if (!holderIdentity) return true;
    const now = clock.monotonic();
    if (seen === undefined || !equalJson(seen.spec, spec)) seen = { spec, at: now };
    return now - seen.at >= leaseDurationSeconds * 1000;
  };

  /** Acquires the Lease and returns the object, or undefined if another replica holds it. */
  const take = async (): Promise<KubeObject | undefined> => {
    const held = (spec: LeaseSpec = {}): LeaseSpec => ({
      holderIdentity: identity,
      leaseDurationSeconds: DURATION_SECONDS,
      acquireTime: microTime(clock.now()),
      renewTime: microTime(clock.now()),
      leaseTransitions: (spec.leaseTransitions ?? -1) + 1,
    });
    try {
      const found = await client.get(LEASES, name).catch(unlessNotFound);
      if (found === undefined) {
        return await client.create(LEASES, { metadata: name, spec: held() });
      }
      if (!isFree(found)) return undefined;
      return await client.update(LEASES, { ...found, spec: held(found.spec as LeaseSpec) });
    } catch (error) {
      // Another replica was faster.
      if (isApiError(error, "conflict") || isApiError(error, "already_exists")) return undefined;
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
        // Release, so that others need not wait. On a conflict, another replica has already taken over.
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
