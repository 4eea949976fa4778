/**
 * Keeps the Secret good: takes the steps of `plan.ts`, each under a Lease and on the Secret as it is at
 * that moment. Every replica runs one. Which of them acts does not matter: each step is one write that
 * is refused where another came first.
 */

import type { CertificateFacts, Clock } from "../host/mod.ts";
import { ApiError } from "../kube/api_error.ts";
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
  /** Of the Secret, and of the Lease beside it. */
  readonly namespace: string;
  readonly name: string;
  /** Names that the certificate must have. */
  readonly names: readonly string[];
  readonly authorityLifetimeMs: number;
  readonly certificateLifetimeMs: number;
  /** Of this replica alone. */
  readonly identity: string;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** How long every caBundle of ours has held these; `undefined` where one does not. */
  readonly heldMs: (authorities: readonly CertificateFacts[]) => number | undefined;
  readonly onStep: (kind: Action["kind"], state: TlsState) => void;
  /** Once for each reason in a row. */
  readonly onFailure: (message: string) => void;
}

/** What the watch knows of the Secret. */
export interface KnownSecret {
  /** `undefined` before anything is known, `null` where there is no Secret. */
  readonly secret: () => KubeObject | null | undefined;
  /** What was served last. */
  readonly memory: () => TlsState | undefined;
}

export interface Keeper {
  /** Looks soon: something has changed. */
  nudge(): void;
  failure(): string | undefined;
  close(): void;
}

/** Dates are far away, and a timer holds no more than 24 days. */
const MAX_SLEEP_MS = 3_600_000;

/** While another replica is at it; what it does shows in the Secret long before as a rule. */
const BUSY_MS = 2_000;

/** The watch tells of what we wrote within milliseconds; if not, look anyway. */
const AFTER_STEP_MS = 1_000;

/** The pause after a failure; it doubles. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/**
 * How long a replica that has served nothing yet leaves a missing or broken Secret to those that have:
 * they can mend it without anybody noticing, it could only begin anew.
 */
const NEWCOMER_MS = 2_000;

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
  /** Since when we, with nothing to go on from, have seen nothing to serve. */
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

  /** Milliseconds to wait before the next look. */
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

  /** On the Secret as it is now: what made us act may have been done meanwhile. */
  const act = async (signal: AbortSignal): Promise<void> => {
    const secret = await client.get(SECRETS, { namespace, name }).catch(absent);
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
      pause = Math.min(FIRST_PAUSE_MS * 2 ** failed++, MAX_PAUSE_MS);
      // Another came first: not a failure, and what it did is worth a look.
      if (!isCode(error, "conflict") && !isCode(error, "already_exists")) tell(error);
    }
    isBusy = false;
    sleep(isNudged ? 0 : pause);
  };

  const tell = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    if (message === failure) return;
    failure = message;
    if (!isClosed) options.onFailure(message);
  };

  return {
    failure: () => failure,
    nudge() {
      isNudged = true;
      // While attempts fail, what changes does not shorten the pause.
      if (!isBusy && failed === 0) sleep(0);
    },
    close() {
      isClosed = true;
      cancel();
    },
  };
}

/** What others wrote beside it (labels, owners) stays, and so does the type, which cannot change. */
function over(secret: KubeObject, next: KubeObject): KubeObject {
  const labels = { ...(secret.metadata.labels ?? {}), ...OURS };
  return { ...secret, data: next.data, metadata: { ...secret.metadata, labels } };
}

function absent(error: unknown): null {
  if (isCode(error, "not_found")) return null;
  throw error;
}

function isCode(error: unknown, code: ApiError["code"]): boolean {
  return error instanceof ApiError && error.code === code;
}
