/**
 * Keeps the caBundle of our MutatingWebhookConfigurations in sync with the CAs of the serving certificate.
 * A caBundle that differs is patched, and retried until it is correct, with pauses if others revert it.
 *
 * Every replica does this, without a leader: the patches are identical, and the second changes nothing.
 * A replica first confirms the CAs at their source, so that one that lags behind does not write old CAs.
 *
 * The patch is a JSON patch with field manager `outrigger`, which then owns `caBundle` and nothing else, so
 * that tools which apply the rest from a repository leave it alone. With server-side apply we would also
 * own the webhook's list entry, and those tools could not remove or rename it: the remaining entry, a name
 * and a caBundle, is invalid (tried on 1.35).
 */

import { backoff } from "../data/durations.ts";
import type { CertificateFacts, Clock } from "../host/mod.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { startInformer } from "../kube/informer.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS } from "../kube/resources.ts";
import { checkBundle } from "./check_bundle.ts";
import { bundleOf } from "./secret_state.ts";
import { TlsError } from "./serving.ts";
import {
  bundlePatch,
  judgeConfiguration,
  type OurEntry,
  type SkipReason,
  type WebhookSelection,
} from "./webhook_entries.ts";

/** The reason for a failed patch, as named in Istio's metrics. */
export type PatchFailure =
  | SkipReason
  | "load_ca_bundle_failure"
  | "webhook_config_not_found"
  | "webhook_update_failure";

export interface CaBundleListener {
  onAttempt(): void;
  onRetry(configuration: string): void;
  onPatched(configuration: string): void;
  /** Called whenever Istio would count a failure; `isNews` if it differs from the previous one. */
  onFailure(failure: {
    readonly configuration: string;
    readonly reason: PatchFailure;
    readonly message: string;
    readonly isNews: boolean;
  }): void;
  /** Called when configurations cannot be watched. */
  onTrouble(message: string): void;
  /** Called when the state may have changed. */
  onChange(): void;
}

export interface CaBundleOptions {
  readonly selection: WebhookSelection;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** Returns the CAs and the serving chain (PEM), or undefined before they exist. */
  readonly wanted: () => { readonly bundle: string; readonly chain: string } | undefined;
  /** Reads the CAs from their source. */
  readonly confirm?: () => Promise<string>;
  readonly listener: CaBundleListener;
}

export interface CaBundleState {
  /** Whether every caBundle is correct; undefined before that is known. */
  readonly holds: boolean | undefined;
  readonly configurations: readonly string[];
  readonly failure?: string;
}

export interface CaBundleUpkeep {
  state(): CaBundleState;
  /** Returns how long every caBundle has held exactly these CAs, or undefined if one does not. */
  heldMs(authorities: readonly CertificateFacts[]): number | undefined;
  /** Checks again, because the CAs may have changed. */
  nudge(): void;
  close(): void;
}

const FIELD_MANAGER = "outrigger";

/** The pause after a failed patch; it doubles with each failure in a row. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;

/**
 * A caBundle that someone overwrites is corrected at once. After this many corrections in a minute, another
 * program or a replica with other files is fighting over it, and the pauses double.
 */
const CORRECTIONS = { count: 5, withinMs: 60_000, pauseMs: 1_000 };

/** The delay before checking a successful patch, if the watch does not report it first. */
const LOOK_AGAIN_MS = 500;

/** Starts to keep the caBundles in sync. */
export function keepCaBundle(client: KubeClient, options: CaBundleOptions): CaBundleUpkeep {
  const upkeep = new Upkeep(client, options);
  upkeep.start();
  return upkeep;
}

/** The state of one configuration of ours. */
interface Job {
  readonly name: string;
  entries: readonly OurEntry[];
  holds: boolean;
  isBusy: boolean;
  /** Failed attempts in a row. */
  failed: number;
  /** Times of recent successful patches. */
  corrected: number[];
  /** Cancels the next attempt; undefined if none is scheduled. */
  cancel: (() => void) | undefined;
}

class Upkeep implements CaBundleUpkeep {
  readonly #client: KubeClient;
  readonly #options: CaBundleOptions;
  readonly #jobs = new Map<string, Job>();
  /** Failures by configuration; the key "" is for those that concern all. */
  readonly #failures = new Map<string, string>();
  #informer: ReturnType<typeof startInformer> | undefined;
  #configurations: readonly KubeObject[] | undefined;
  #bundle: string | undefined;
  #held: { readonly bundle: string; readonly since: number } | undefined;
  #isClosed = false;

  constructor(client: KubeClient, options: CaBundleOptions) {
    this.#client = client;
    this.#options = options;
  }

  start(): void {
    const { selection: { only }, clock, listener } = this.#options;
    this.#informer = startInformer(this.#client, MUTATING_WEBHOOK_CONFIGURATIONS, {
      ...(only === undefined ? {} : { name: only.configuration }),
      clock,
      onChange: (configurations) => {
        this.#configurations = configurations;
        this.#look();
      },
      onFailure: (message) => listener.onTrouble(message),
    });
  }

  state(): CaBundleState {
    const isKnown = this.#configurations !== undefined && this.#options.wanted() !== undefined;
    const jobs = [...this.#jobs.values()];
    const failure = [...this.#failures.values()][0] ?? this.#informer?.failure();
    return {
      holds: isKnown && !this.#failures.has("") ? jobs.every(({ holds }) => holds) : undefined,
      configurations: jobs.map(({ name }) => name),
      ...(failure === undefined ? {} : { failure }),
    };
  }

  heldMs(authorities: readonly CertificateFacts[]): number | undefined {
    // The configurations may have changed while they cannot be watched.
    if (this.#informer?.failure() !== undefined) return undefined;
    const held = this.#held;
    if (held === undefined || held.bundle !== bundleOf(authorities)) return undefined;
    return this.#options.clock.monotonic() - held.since;
  }

  nudge(): void {
    this.#look();
  }

  close(): void {
    this.#isClosed = true;
    this.#informer?.close();
    for (const job of this.#jobs.values()) reset(job);
  }

  /** Compares all configurations with the wanted caBundle. */
  #look(): void {
    if (this.#isClosed || this.#configurations === undefined) return;
    const wanted = this.#usable();
    if (wanted !== undefined) {
      const seen = new Set<string>();
      if (this.#bundle !== wanted.bundle) {
        // Failures with the previous bundle do not count for the new one.
        this.#bundle = wanted.bundle;
        for (const job of this.#jobs.values()) reset(job);
      }
      for (const configuration of this.#configurations) this.#judge(configuration, wanted, seen);
      for (const [name, job] of this.#jobs) {
        if (seen.has(name)) continue;
        reset(job);
        this.#jobs.delete(name);
        this.#failures.delete(name);
      }
      this.#checkExists();
      const holds = [...this.#jobs.values()].every((job) => job.holds);
      if (!holds) this.#held = undefined;
      else if (this.#held?.bundle !== wanted.bundle) {
        this.#held = { bundle: wanted.bundle, since: this.#options.clock.monotonic() };
      }
    }
    this.#options.listener.onChange();
  }

  /** Returns the wanted caBundle if it is valid. */
  #usable(): { readonly bundle: string; readonly chain: string } | undefined {
    const wanted = this.#options.wanted();
    if (wanted === undefined) return undefined;
    try {
      checkBundle(wanted.bundle, { chain: wanted.chain, now: this.#options.clock.now() });
    } catch (error) {
      if (!(error instanceof TlsError)) throw error;
      this.#fail("", "load_ca_bundle_failure", error.message);
      this.#held = undefined;
      return undefined;
    }
    this.#failures.delete("");
    return wanted;
  }

  #judge(
    configuration: KubeObject,
    { bundle, chain }: { readonly bundle: string; readonly chain: string },
    seen: Set<string>,
  ): void {
    const name = configuration.metadata.name!;
    const judgement = judgeConfiguration(configuration, this.#options.selection, chain);
    if (judgement.kind !== "ours") {
      if (judgement.kind === "skipped") this.#skip(name, judgement);
      return;
    }
    seen.add(name);
    const job = this.#jobs.get(name) ?? newJob(name);
    this.#jobs.set(name, job);
    job.entries = judgement.entries;
    job.holds = job.entries.every(({ caBundle }) => caBundle === bundle);
    if (job.holds) {
      reset(job);
      this.#failures.delete(name);
    } else if (!job.isBusy && job.cancel === undefined) {
      this.#schedule(job, this.#pause(job));
    }
  }

  /** Reports a configuration of another injector once, and counts it as Istio does. */
  #skip(configuration: string, skipped: { reason: SkipReason; message: string }): void {
    const key = `skipped ${configuration}`;
    const isNews = this.#skipped.get(key) !== skipped.message;
    this.#skipped.set(key, skipped.message);
    if (isNews) this.#options.listener.onFailure({ configuration, ...skipped, isNews });
  }
  readonly #skipped = new Map<string, string>();

  #checkExists(): void {
    const name = this.#options.selection.only?.configuration;
    if (name === undefined) return;
    if (this.#configurations!.length > 0) return;
    const message = `MutatingWebhookConfiguration ${JSON.stringify(name)} not found`;
    this.#fail(name, "webhook_config_not_found", message);
  }

  #schedule(job: Job, milliseconds: number): void {
    job.cancel?.();
    job.cancel = this.#options.clock.after(milliseconds, () => {
      job.cancel = undefined;
      void this.#patch(job);
    });
  }

  #pause({ corrected }: Job): number {
    const { count, withinMs, pauseMs } = CORRECTIONS;
    const since = this.#options.clock.monotonic() - withinMs;
    const recent = corrected.filter((moment) => moment > since).length;
    if (recent < count) return 0;
    return backoff(recent - count + 1, { first: pauseMs, most: MAX_PAUSE_MS });
  }

  async #patch(job: Job): Promise<void> {
    const { listener } = this.#options;
    if (job.isBusy || this.#isClosed) return;
    job.isBusy = true;
    listener.onAttempt();
    if (job.failed > 0) listener.onRetry(job.name);
    try {
      const isWritten = await this.#write(job);
      job.failed = isWritten ? 0 : job.failed + 1;
      // A failure that is known stays so until a patch succeeds, so that it is logged once.
      if (isWritten) this.#failures.delete(job.name);
    } catch (error) {
      job.failed++;
      const message = error instanceof Error ? error.message : String(error);
      this.#fail(job.name, "webhook_update_failure", message);
    }
    job.isBusy = false;
    if (this.#isClosed || this.#jobs.get(job.name) !== job) return;
    if (job.holds) {
      // Another replica's patch arrived meanwhile.
      reset(job);
      this.#failures.delete(job.name);
      return;
    }
    const pause = job.failed === 0
      ? LOOK_AGAIN_MS
      : backoff(job.failed, { first: FIRST_PAUSE_MS, most: MAX_PAUSE_MS });
    this.#schedule(job, pause);
  }

  /** Writes the caBundle. Returns false if our CAs are out of date: the watch will deliver new ones. */
  async #write(job: Job): Promise<boolean> {
    const { confirm, clock, listener } = this.#options;
    const confirmed = await confirm?.();
    const wanted = this.#usable();
    if (job.holds || this.#isClosed) return true;
    if (wanted === undefined) return false;
    if (confirmed !== undefined && confirmed !== wanted.bundle) return false;
    await this.#client.patch(MUTATING_WEBHOOK_CONFIGURATIONS, { name: job.name }, {
      type: "json",
      patch: bundlePatch(job.entries, wanted.bundle),
      fieldManager: FIELD_MANAGER,
    });
    const now = clock.monotonic();
    job.corrected = [...job.corrected, now].filter((at) => at > now - CORRECTIONS.withinMs);
    listener.onPatched(job.name);
    return true;
  }

  #fail(configuration: string, reason: PatchFailure, message: string): void {
    const isNews = this.#failures.get(configuration) !== message;
    this.#failures.set(configuration, message);
    // Each failed patch counts; a problem that is merely seen again does not.
    if (!isNews && reason !== "webhook_update_failure") return;
    this.#options.listener.onFailure({ configuration, reason, message, isNews });
  }
}

function newJob(name: string): Job {
  const none = { failed: 0, corrected: [], cancel: undefined };
  return { name, entries: [], holds: false, isBusy: false, ...none };
}

/** Cancels the next attempt and forgets failures. */
function reset(job: Job): void {
  job.cancel?.();
  job.cancel = undefined;
  job.failed = 0;
}
