/**
 * Keeps the caBundle of our MutatingWebhookConfigurations in step with the authorities of what we serve:
 * when one differs, it is patched, and again until it holds, with pauses where others undo it.
 *
 * Every replica does so: it is the same patch, the second changes nothing, and none waits for a leader
 * to come back. What is written is confirmed at its source first, so a replica that is behind does not
 * write what is old.
 *
 * The patch is a JSON patch in our name (`outrigger`), which then owns `caBundle` and nothing else, so
 * that those who apply the rest from a repository leave it alone. Server-side apply would own the
 * webhook's place in the list as well, and they could never remove or rename one: what stays of it, a
 * name and a bundle, is refused as invalid (tried on 1.35).
 */

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

/** Istio's words. */
export type PatchFailure =
  | SkipReason
  | "load_ca_bundle_failure"
  | "webhook_config_not_found"
  | "webhook_update_failure";

export interface CaBundleListener {
  onAttempt(): void;
  onRetry(configuration: string): void;
  onPatched(configuration: string): void;
  /** Each time that Istio would count one; `isNews` where it is another than the one before. */
  onFailure(failure: {
    readonly configuration: string;
    readonly reason: PatchFailure;
    readonly message: string;
    readonly isNews: boolean;
  }): void;
  /** What cannot be watched. */
  onTrouble(message: string): void;
  /** Whether it holds may have changed. */
  onChange(): void;
}

export interface CaBundleOptions {
  readonly selection: WebhookSelection;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** PEM of the authorities and of the chain that is served; `undefined` before there are any. */
  readonly wanted: () => { readonly bundle: string; readonly chain: string } | undefined;
  /** The authorities as they are at their source at this moment. */
  readonly confirm?: () => Promise<string>;
  readonly listener: CaBundleListener;
}

export interface CaBundleState {
  /** `undefined` before that is known. */
  readonly holds: boolean | undefined;
  readonly configurations: readonly string[];
  readonly failure?: string;
}

export interface CaBundleUpkeep {
  state(): CaBundleState;
  /** How long all of ours have held exactly these authorities; `undefined` where one does not. */
  heldMs(authorities: readonly CertificateFacts[]): number | undefined;
  /** The authorities may be others. */
  nudge(): void;
  close(): void;
}

const FIELD_MANAGER = "outrigger";

/** The pause after a failed patch; it doubles. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;

/**
 * Whoever writes a manifest over ours, by hand or by a robot, is corrected at once. Past so many times
 * a minute it is a quarrel, with another program or with a replica that has other files: then the
 * pauses double.
 */
const CORRECTIONS = { count: 5, withinMs: 60_000, pauseMs: 1_000 };

/** Should the watch not tell what a patch did, or have told of something else meanwhile. */
const LOOK_AGAIN_MS = 500;

export function keepCaBundle(client: KubeClient, options: CaBundleOptions): CaBundleUpkeep {
  const upkeep = new Upkeep(client, options);
  upkeep.start();
  return upkeep;
}

/** A configuration that is ours. */
interface Job {
  readonly name: string;
  entries: readonly OurEntry[];
  holds: boolean;
  isBusy: boolean;
  /** Attempts in a row that came to nothing. */
  failed: number;
  /** Moments of corrections that went through. */
  corrected: number[];
  /** Calls the next attempt off; `undefined` where none is due. */
  cancel: (() => void) | undefined;
}

class Upkeep implements CaBundleUpkeep {
  readonly #client: KubeClient;
  readonly #options: CaBundleOptions;
  readonly #jobs = new Map<string, Job>();
  /** By configuration; "" for what concerns all. */
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
    // While nothing is heard of them, somebody may have changed them.
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
    for (const job of this.#jobs.values()) callOff(job);
  }

  /** Lays what is there beside what is wanted. */
  #look(): void {
    if (this.#isClosed || this.#configurations === undefined) return;
    const wanted = this.#usable();
    if (wanted !== undefined) {
      const seen = new Set<string>();
      if (this.#bundle !== wanted.bundle) {
        // What failed before is another matter now.
        this.#bundle = wanted.bundle;
        for (const job of this.#jobs.values()) callOff(job);
      }
      for (const configuration of this.#configurations) this.#judge(configuration, wanted, seen);
      for (const [name, job] of this.#jobs) {
        if (seen.has(name)) continue;
        callOff(job);
        this.#jobs.delete(name);
        this.#failures.delete(name);
      }
      this.#missNamed();
      const holds = [...this.#jobs.values()].every((job) => job.holds);
      if (!holds) this.#held = undefined;
      else if (this.#held?.bundle !== wanted.bundle) {
        this.#held = { bundle: wanted.bundle, since: this.#options.clock.monotonic() };
      }
    }
    this.#options.listener.onChange();
  }

  /** What is wanted, where it is fit to be written. */
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
      callOff(job);
      this.#failures.delete(name);
    } else if (!job.isBusy && job.cancel === undefined) {
      this.#schedule(job, this.#pause(job));
    }
  }

  /** Others' configurations are no trouble of ours: counted as Istio counts them, and told once. */
  #skip(configuration: string, skipped: { reason: SkipReason; message: string }): void {
    const key = `skipped ${configuration}`;
    const isNews = this.#skipped.get(key) !== skipped.message;
    this.#skipped.set(key, skipped.message);
    if (isNews) this.#options.listener.onFailure({ configuration, ...skipped, isNews });
  }
  readonly #skipped = new Map<string, string>();

  #missNamed(): void {
    const name = this.#options.selection.only?.configuration;
    if (name === undefined) return;
    if (this.#configurations!.length > 0) return;
    const message = `MutatingWebhookConfiguration ${JSON.stringify(name)} is not there`;
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
    return recent < count ? 0 : Math.min(pauseMs * 2 ** (recent - count), MAX_PAUSE_MS);
  }

  async #patch(job: Job): Promise<void> {
    const { listener } = this.#options;
    if (job.isBusy || this.#isClosed) return;
    job.isBusy = true;
    listener.onAttempt();
    if (job.failed > 0) listener.onRetry(job.name);
    try {
      job.failed = await this.#write(job) ? 0 : job.failed + 1;
      this.#failures.delete(job.name);
    } catch (error) {
      job.failed++;
      const message = error instanceof Error ? error.message : String(error);
      this.#fail(job.name, "webhook_update_failure", message);
    }
    job.isBusy = false;
    if (this.#isClosed || this.#jobs.get(job.name) !== job) return;
    if (job.holds) {
      // Whatever came of ours, another's did: the next time is a first time.
      callOff(job);
      this.#failures.delete(job.name);
      return;
    }
    const pause = job.failed === 0
      ? LOOK_AGAIN_MS
      : Math.min(FIRST_PAUSE_MS * 2 ** (job.failed - 1), MAX_PAUSE_MS);
    this.#schedule(job, pause);
  }

  /** False where what we know is old, or being replaced: the news is on its way. */
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
    // A patch that fails is counted each time, what is only seen again is not.
    if (!isNews && reason !== "webhook_update_failure") return;
    this.#options.listener.onFailure({ configuration, reason, message, isNews });
  }
}

function newJob(name: string): Job {
  const none = { failed: 0, corrected: [], cancel: undefined };
  return { name, entries: [], holds: false, isBusy: false, ...none };
}

/** Nothing is due, and nothing has failed. */
function callOff(job: Job): void {
  job.cancel?.();
  job.cancel = undefined;
  job.failed = 0;
}
