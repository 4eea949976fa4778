/**
 * The server's metrics. Metrics with Istio's names have Istio's meaning; our own start with
 * `outrigger_` and are labelled with reasons.
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

/** Values that are read when metrics are scraped. */
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
  /** In milliseconds since 1970; `undefined` while there is no certificate. */
  readonly certificateExpiry: () => number | undefined;
  readonly certificateFailing: () => boolean;
  /** Whether the CA bundles are correct; `undefined` if not managed here, or not known yet. */
  readonly caBundleHolds: () => boolean | undefined;
  /** Why each watch's data may be stale, by resource. */
  readonly watches: () => Readonly<Record<string, string | undefined>>;
}

export type Refusal = "busy" | "too_large" | "bad_request";

export interface Metrics {
  requested(): void;
  /** Counts an answered review and its times: the whole request, and the injector's part. */
  answered(
    outcome: ReviewOutcome,
    seconds: { readonly whole: number; readonly work: number },
  ): void;
  refused(reason: Refusal): void;
  cut(reason: CutReason): void;
  /** Counts a request that failed because of an internal error. */
  failed(): void;
  reloaded(what: "config" | "certificate", isGood: boolean): void;
  /** Counts an Event that was written, dropped or could not be written. */
  event(result: "sent" | "dropped" | "failed"): void;
  /** Counts attempts to patch the caBundle of a webhook configuration, retries and failures. */
  readonly caBundle: {
    attempted(): void;
    retried(configuration: string): void;
    failed(configuration: string, reason: string): void;
  };
  /** Counts reviews by what the recorder did with them. */
  recorded(result: RecordResult, reviews: number): void;
  /** Counts a review by the result of the shadow configuration. */
  shadowed(result: ShadowResult): void;
  /** Returns the metrics in the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/**
 * Buckets for injection, which takes about a millisecond. The API server's default timeout is ten
 * seconds.
 */
const WORK_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const ISTIO_BUCKETS = [0.1, 1, 3, 5, 10, 20, 30, 60];

/** The label under which Istio counts all attempts. */
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

  const requests = counter("sidecar_injection_requests_total", "Number of injection requests.");
  const success = counter(
    "sidecar_injection_success_total",
    "Number of injection requests that were answered.",
  );
  const failure = counter(
    "sidecar_injection_failure_total",
    "Number of injection requests that failed.",
  );
  const skip = counter("sidecar_injection_skip_total", "Number of pods that were not injected.");
  const istioTime = new Histogram({
    name: "sidecar_injection_time_seconds",
    help: "Request latency in seconds, from headers to response.",
    buckets: ISTIO_BUCKETS,
    registers,
  });
  const decisions = counter(
    "outrigger_admission_decisions_total",
    "Number of reviews answered, by decision and reason.",
    "decision",
    "reason",
  );
  const structureChanges = counter(
    "outrigger_structure_changes_total",
    "Number of pods injected with a warning because a value changed the structure of a template.",
  );
  const work = new Histogram({
    name: "outrigger_admission_duration_seconds",
    help: "Injection latency in seconds, from the end of the request body to the response.",
    buckets: WORK_BUCKETS,
    registers,
  });
  const refused = counter(
    "outrigger_requests_refused_total",
    "Number of requests refused before injection, by reason.",
    "reason",
  );
  const cut = counter(
    "outrigger_connections_cut_total",
    "Number of connections closed early, by reason.",
    "reason",
  );
  const patchAttempts = counter(
    "webhook_patch_attempts_total",
    "Number of attempts to patch a caBundle.",
    "name",
  );
  const patchRetries = counter(
    "webhook_patch_retries_total",
    "Number of retries to patch a caBundle.",
    "name",
  );
  const patchFailures = counter(
    "webhook_patch_failures_total",
    "Number of failures to patch a caBundle, by reason.",
    "name",
    "reason",
  );
  const reloads = counter(
    "outrigger_reloads_total",
    "Number of reloads of the configuration and the certificate, by result.",
    "what",
    "result",
  );
  const events = counter(
    "outrigger_events_total",
    "Number of Kubernetes Events, by result: sent, dropped or failed.",
    "result",
  );
  const recorded = counter(
    "outrigger_record_reviews_total",
    "Number of reviews to record, by result: written, dropped (queue full) or failed.",
    "result",
  );
  const shadowed = counter(
    "outrigger_shadow_reviews_total",
    "Number of reviews to inject with the shadow configuration, by result.",
    "result",
  );

  new Gauge({
    name: "outrigger_build_info",
    help: "A constant 1, labelled by version, commit and runtime.",
    labelNames: ["version", "commit", "runtime"],
    registers,
  }).set({ ...facts.build }, 1);
  new Gauge({
    name: "outrigger_config_info",
    help: "A constant 1, labelled by the version of the current configuration.",
    labelNames: ["version"],
    registers,
    collect() {
      this.reset();
      this.set({ version: facts.config().version }, 1);
    },
  });
  const age = () => (facts.now() - facts.config().loadedAt) / 1000;
  gauge("outrigger_config_age_seconds", "Seconds since the current configuration was loaded.", age);
  gauge(
    "outrigger_config_failing",
    "1 if the newest configuration was rejected, else 0.",
    () => Number(facts.config().failing),
  );
  gauge("outrigger_certificate_expiry_seconds", "Seconds until the certificate expires.", () => {
    const expiry = facts.certificateExpiry();
    return expiry === undefined ? undefined : (expiry - facts.now()) / 1000;
  });
  gauge(
    "outrigger_certificate_failing",
    "1 if the newest certificate was rejected, else 0.",
    () => Number(facts.certificateFailing()),
  );
  new Gauge({
    name: "outrigger_watch_failing",
    help: "1 if the data of a watch may be stale, else 0.",
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
    "1 if the caBundle of each managed webhook configuration is correct, else 0.",
    () => {
      const holds = facts.caBundleHolds();
      return holds === undefined ? undefined : Number(holds);
    },
  );
  gauge("outrigger_connections", "Number of open connections.", facts.connections);
  gauge("outrigger_requests_inside", "Number of requests in flight.", facts.requestsInside);
  gauge(
    "process_resident_memory_bytes",
    "Resident memory size in bytes.",
    () => facts.process().residentBytes,
  );
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Total user and system CPU time spent in seconds.",
    registers,
    collect() {
      this.reset();
      this.inc(facts.process().cpuSeconds);
    },
  });
  gauge(
    "process_start_time_seconds",
    "Start time of the process since unix epoch in seconds.",
    constant(facts.now() / 1000),
  );

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
