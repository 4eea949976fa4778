/**
 * What the server counts. Istio's names mean what they mean there; ours begin with `outrigger_` and
 * tell the reason besides.
 */

import type { CutReason, ProcessStats } from "../host/mod.ts";
import type { ReviewOutcome } from "../admission/mod.ts";
import { Counter, Gauge, Histogram, Registry } from "./_prometheus.ts";
import type { RecordResult } from "./recorder.ts";
import type { ShadowResult } from "./shadow.ts";

export interface BuildInfo {
  readonly version: string;
  readonly commit: string;
  readonly runtime: string;
}

/** What is looked up when somebody asks, rather than counted. */
export interface MetricsFacts {
  readonly build: BuildInfo;
  readonly now: () => number;
  readonly process: () => ProcessStats;
  readonly connections: () => number;
  readonly requestsInside: () => number;
  readonly config: () => {
    readonly version: string;
    readonly loadedAt: number;
    readonly failing: boolean;
  };
  /** Milliseconds since 1970; `undefined` while there is no certificate. */
  readonly certificateExpiry: () => number | undefined;
  readonly certificateFailing: () => boolean;
  /** `undefined` where it is not kept here, or not known yet. */
  readonly caBundleHolds: () => boolean | undefined;
  /** By what is watched, why what is known of it may be old. */
  readonly watches: () => Readonly<Record<string, string | undefined>>;
}

export type Refusal = "busy" | "too_large" | "bad_request";

export interface Metrics {
  requested(): void;
  /** A review was answered, in so many seconds, of which so many were the injector's. */
  answered(
    outcome: ReviewOutcome,
    seconds: { readonly whole: number; readonly work: number },
  ): void;
  refused(reason: Refusal): void;
  cut(reason: CutReason): void;
  /** A request that failed for a reason that is ours. */
  failed(): void;
  reloaded(what: "config" | "certificate", isGood: boolean): void;
  /** An Event was written, could not be, or was let go. */
  event(result: "sent" | "dropped" | "failed"): void;
  /** The caBundle of a webhook configuration: patched, patched again, not patched. */
  readonly caBundle: {
    attempted(): void;
    retried(configuration: string): void;
    failed(configuration: string, reason: string): void;
  };
  /** So many reviews were recorded, or could not be. */
  recorded(result: RecordResult, reviews: number): void;
  /** A review was tried with the shadow configuration, or could not be. */
  shadowed(result: ShadowResult): void;
  /** The text that Prometheus reads. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Injection takes about a millisecond; the API server gives up after ten seconds unless told otherwise. */
const WORK_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const ISTIO_BUCKETS = [0.1, 1, 3, 5, 10, 20, 30, 60];

/** What Istio counts all attempts under. */
const WEBHOOK_NAME = "sidecar-injector.istio.io";

export function createMetrics(facts: MetricsFacts): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const now = value();
        if (now === undefined) this.reset();
        else this.set(now);
      },
    });

  const requests = counter("sidecar_injection_requests_total", "Requests for injection.");
  const success = counter("sidecar_injection_success_total", "Requests that got an answer.");
  const failure = counter("sidecar_injection_failure_total", "Requests that failed.");
  const skip = counter("sidecar_injection_skip_total", "Pods that were left alone.");
  const istioTime = new Histogram({
    name: "sidecar_injection_time_seconds",
    help: "Time of a request, from its headers to its answer.",
    buckets: ISTIO_BUCKETS,
    registers,
  });
  const decisions = counter(
    "outrigger_admission_decisions_total",
    "Reviews answered, by decision and reason.",
    "decision",
    "reason",
  );
  const structureChanges = counter(
    "outrigger_structure_changes_total",
    "Pods injected with a warning because a value changed a template's structure.",
  );
  const work = new Histogram({
    name: "outrigger_admission_duration_seconds",
    help: "Time of a request, from the end of its body to its answer.",
    buckets: WORK_BUCKETS,
    registers,
  });
  const refused = counter(
    "outrigger_requests_refused_total",
    "Requests answered without being looked at.",
    "reason",
  );
  const cut = counter("outrigger_connections_cut_total", "Connections ended early.", "reason");
  const patchAttempts = counter("webhook_patch_attempts_total", "caBundles patched.", "name");
  const patchRetries = counter("webhook_patch_retries_total", "caBundles patched again.", "name");
  const patchFailures = counter(
    "webhook_patch_failures_total",
    "caBundles not patched, by the reason.",
    "name",
    "reason",
  );
  const reloads = counter(
    "outrigger_reloads_total",
    "Times that configuration or certificate changed.",
    "what",
    "result",
  );
  const events = counter(
    "outrigger_events_total",
    "Events that were written, could not be, or were let go.",
    "result",
  );
  const recorded = counter(
    "outrigger_record_reviews_total",
    "Reviews written to the recording, dropped while the server was busy, or failed to be written.",
    "result",
  );
  const shadowed = counter(
    "outrigger_shadow_reviews_total",
    "Reviews tried with the shadow configuration: the same pod, a different one, dropped, or failed.",
    "result",
  );

  new Gauge({
    name: "outrigger_build_info",
    help: "Always 1; what is running is in the labels.",
    labelNames: ["version", "commit", "runtime"],
    registers,
  }).set({ ...facts.build }, 1);
  new Gauge({
    name: "outrigger_config_info",
    help: "Always 1; the version of the configuration in force is in the label.",
    labelNames: ["version"],
    registers,
    collect() {
      this.reset();
      this.set({ version: facts.config().version }, 1);
    },
  });
  const age = () => (facts.now() - facts.config().loadedAt) / 1000;
  gauge("outrigger_config_age_seconds", "Since the configuration in force was loaded.", age);
  gauge(
    "outrigger_config_failing",
    "1 while a newer configuration is refused.",
    () => Number(facts.config().failing),
  );
  gauge("outrigger_certificate_expiry_seconds", "Until the certificate expires.", () => {
    const expiry = facts.certificateExpiry();
    return expiry === undefined ? undefined : (expiry - facts.now()) / 1000;
  });
  gauge(
    "outrigger_certificate_failing",
    "1 while a newer certificate is refused.",
    () => Number(facts.certificateFailing()),
  );
  new Gauge({
    name: "outrigger_watch_failing",
    help: "1 while what is known of a watched resource may be old.",
    labelNames: ["watch"],
    registers,
    collect() {
      this.reset();
      for (const [watch, failure] of Object.entries(facts.watches())) {
        this.set({ watch }, Number(failure !== undefined));
      }
    },
  });
  gauge(
    "outrigger_ca_bundle_holds",
    "1 while the caBundle of each of our webhook configurations is what it should be.",
    () => {
      const holds = facts.caBundleHolds();
      return holds === undefined ? undefined : Number(holds);
    },
  );
  gauge("outrigger_connections", "Connections that are open.", facts.connections);
  gauge("outrigger_requests_inside", "Requests without an answer yet.", facts.requestsInside);
  gauge(
    "process_resident_memory_bytes",
    "Resident memory.",
    () => facts.process().residentBytes,
  );
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time.",
    registers,
    collect() {
      this.reset();
      this.inc(facts.process().cpuSeconds);
    },
  });
  gauge("process_start_time_seconds", "When the process started.", constant(facts.now() / 1000));

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    requested: () => requests.inc(),
    answered({ decision, reason, structureChanged }, seconds) {
      decisions.inc({ decision, reason });
      if (structureChanged) structureChanges.inc();
      success.inc();
      if (decision === "skipped") skip.inc();
      if (decision === "denied") failure.inc();
      istioTime.observe(seconds.whole);
      work.observe(seconds.work);
    },
    refused: (reason) => refused.inc({ reason }),
    cut: (reason) => cut.inc({ reason }),
    failed: () => failure.inc(),
    event: (result) => events.inc({ result }),
    caBundle: {
      attempted: () => patchAttempts.inc({ name: WEBHOOK_NAME }),
      retried: (name) => patchRetries.inc({ name }),
      failed: (name, reason) => patchFailures.inc({ name, reason }),
    },
    recorded: (result, reviews) => recorded.inc({ result }, reviews),
    shadowed: (result) => shadowed.inc({ result }),
    reloaded: (what, isGood) => reloads.inc({ what, result: isGood ? "taken" : "refused" }),
  };
}

function constant(value: number): () => number {
  return () => value;
}
