/**
 * Maintains the certificate Secret: takes the steps of `plan.ts`, each under a Lease and on the current
 * Secret. Every replica runs a keeper, and it does not matter which one acts: each step is a single write
 * that fails if another replica was first.
 */

import { backoff } from "../data/durations.ts";
import type { CertificateFacts, Clock } from "../host/mod.ts";
import { isApiError, unlessNotFound } from "../kube/api_error.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { createLease } from "../kube/lease.ts";
import { SECRETS } from "../kube/resources.ts";
import { planStep, type Step } from "./plan.ts";
import {
  issuerOf,
  OURS,
  readSecret,
  secretLabel,
  type SecretReading,
  type TlsState,
  writeSecret,
} from "./secret_state.ts";
import { type Action, takeStep } from "./take_step.ts";

export interface KeeperOptions {
  /** The namespace of the Secret and of the Lease of the same name. */
  readonly namespace: string;
  readonly name: string;
  /** The names that the certificate must have. */
  readonly names: readonly string[];
  readonly authorityLifetimeMs: number;
  readonly certificateLifetimeMs: number;
  /** Unique to this replica. */
  readonly identity: string;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** Returns how long every caBundle has held these CAs, or undefined if one does not. */
  readonly heldMs: (authorities: readonly CertificateFacts[]) => number | undefined;
  readonly onStep: (kind: Action["kind"], state: TlsState) => void;
  /** Called when it fails for another reason than before. */
  readonly onFailure: (message: string) => void;
}

/** The Secret as the watch last saw it. */
export interface KnownSecret {
  /** Returns null if there is no Secret, or undefined before that is known. */
  readonly secret: () => KubeObject | null | undefined;
  /** Returns the state that was last served. */
  readonly memory: () => TlsState | undefined;
}

export interface Keeper {
  /** Checks soon, because something has changed. */
  nudge(): void;
  failure(): string | undefined;
  close(): void;
}

/** Checks at least this often: due dates are months away, and a timer is limited to 24 days. */
const MAX_SLEEP_MS = 3_600_000;

/** The pause while another replica holds the Lease; the watch usually reports its result earlier. */
const BUSY_MS = 2_000;

/** The pause after our own step; the watch usually reports it within milliseconds. */
const AFTER_STEP_MS = 1_000;

/** The pause after a failure; it doubles with each failure in a row. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/**
 * How long a replica that has served nothing yet leaves a missing or broken Secret to other replicas. They
 * can restore it without an outage, while a new replica can only create a new CA.
 */
const NEWCOMER_MS = 2_000;

/** Starts to maintain the Secret. */
export function startKeeper(
  client: KubeClient,
  known: KnownSecret,
  options: KeeperOptions,
): Keeper {
  const { clock, namespace, name, identity } = options;
  const label = secretLabel(namespace, name);
  const lease = createLease(client, { namespace, name, identity, clock });
  let cancel = () => {};
  let isClosed = false;
  let isBusy = false;
  let isNudged = false;
  let failed = 0;
  let failure: string | undefined;
  /** When this replica, having served nothing, first found nothing to serve. */
  let emptySince: number | undefined;

  const read = (secret: KubeObject | null): SecretReading | undefined =>
    secret === null ? undefined : readSecret(secret, { label, now: clock.now() });

  const memory = (): TlsState | undefined => {
    const state = known.memory();
    const isGood = state !== undefined && state.serving.facts.notAfter > clock.now() &&
      issuerOf(state.serving, state.authorities) !== undefined;
    return isGood ? state : undefined;
  };

  const plan = (reading: SecretReading | undefined): Step =>
    planStep({
      reading,
      memory: memory(),
      names: options.names,
      now: clock.now(),
      heldMs: options.heldMs,
    });

  /** Takes a step if one is due. Returns the milliseconds until the next check. */
  const attempt = async (): Promise<number> => {
    const secret = known.secret();
    if (secret === undefined) return MAX_SLEEP_MS;
    const reading = read(secret);
    const step = plan(reading);
    if (step.kind === "nothing") return Math.min(step.at - clock.now(), MAX_SLEEP_MS);
    if (step.kind === "wait") return step.ms;
    const patience = newcomersPatience(reading);
    if (patience > 0) return patience;
    const turn = await lease.hold(act);
    return turn.isOurs ? AFTER_STEP_MS : BUSY_MS;
  };

  const newcomersPatience = (reading: SecretReading | undefined): number => {
    if (reading?.state !== undefined || memory() !== undefined) {
      emptySince = undefined;
      return 0;
    }
    emptySince ??= clock.monotonic();
    return emptySince + NEWCOMER_MS - clock.monotonic();
  };

  /** Plans again with the current Secret, because another replica may have acted meanwhile. */
  const act = async (signal: AbortSignal): Promise<void> => {
    const secret = await client.get(SECRETS, { namespace, name }).catch(unlessNotFound) ?? null;
    const step = plan(read(secret));
    if (step.kind === "nothing" || step.kind === "wait") return;
    const { names, authorityLifetimeMs, certificateLifetimeMs } = options;
    const now = clock.now();
    const lives = { authorityLifetimeMs, certificateLifetimeMs };
    const state = await takeStep(step, { names, now, ...lives });
    const next = writeSecret(state, { namespace, name });
    if (secret === null) await client.create(SECRETS, next, { signal });
    else await client.update(SECRETS, over(secret, next), { signal });
    options.onStep(step.kind, state);
  };

  const sleep = (milliseconds: number) => {
    cancel();
    if (!isClosed) cancel = clock.after(Math.max(milliseconds, 0), look);
  };

  const look = async () => {
    if (isBusy || isClosed) return;
    isBusy = true;
    isNudged = false;
    let pause: number;
    try {
      pause = await attempt();
      failed = 0;
      failure = undefined;
    } catch (error) {
      pause = backoff(++failed, { first: FIRST_PAUSE_MS, most: MAX_PAUSE_MS });
      // Another replica was first: not a failure.
      if (!isApiError(error, "conflict") && !isApiError(error, "already_exists")) report(error);
    }
    isBusy = false;
    sleep(isNudged ? 0 : pause);
  };

  const report = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    if (message === failure) return;
    failure = message;
    if (!isClosed) options.onFailure(message);
  };

  return {
    failure: () => failure,
    nudge() {
      isNudged = true;
      // Changes do not shorten the pause after a failure.
      if (!isBusy && failed === 0) sleep(0);
    },
    close() {
      isClosed = true;
      cancel();
    },
  };
}

/** Updates a Secret, keeping foreign labels and owners, and its type, which is immutable. */
function over(secret: KubeObject, next: KubeObject): KubeObject {
  const labels = { ...(secret.metadata.labels ?? {}), ...OURS };
  return { ...secret, data: next.data, metadata: { ...secret.metadata, labels } };
}
