/**
 * Records Events, as `kubectl get events` and `kubectl describe` show them. `record` never blocks and
 * never fails: identical events are combined into a series, sending is rate limited, and events that
 * exceed the limits are dropped and counted.
 */

import { visibleLine } from "../data/visible.ts";
import type { Clock } from "../host/mod.ts";
import { microTime } from "./_micro_time.ts";
import { ApiError, isApiError } from "./api_error.ts";
import type { KubeClient } from "./client.ts";
import { EVENTS } from "./resources.ts";

export interface EventOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface NewEvent {
  /** The object that the event is about. */
  readonly regarding: EventOwner;
  /** The machine-readable reason, such as `Injected`. */
  readonly reason: string;
  /** The machine-readable action. */
  readonly action: string;
  /** The message for people. */
  readonly note: string;
}

export interface EventRecorder {
  record(event: NewEvent): void;
  /** Discards unsent events. */
  close(): void;
}

export interface EventRecorderOptions {
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** The reporting controller: `outrigger`. */
  readonly controller: string;
  /** The replica of the controller. */
  readonly instance: string;
  /** Returns a name suffix, of letters and digits, that no other event has. */
  readonly unique: () => string;
  readonly count: (result: EventResult) => void;
  /** Called when sending fails for another reason than before. */
  readonly onFailure: (message: string) => void;
}

export type EventResult = "sent" | "dropped" | "failed";

/** A repeated event is sent again, with its count, at most this often. */
const AGAIN_MS = 60_000;

/** An event that has not recurred for this long is forgotten; the next one starts a new series. */
const FORGET_MS = 10 * 60_000;

/** How many different events to remember: about 4 KiB each, one or more for each workload. */
const MAX_KNOWN = 1_000;

/** Allows a burst when a quiet cluster wakes up, then one request every 200 ms. */
const BURST = 25;
const PER_MS = 1 / 200;

/** The pause after a failure: the API server is busy, or the account lacks the right to write Events. */
const FAILED_PAUSE_MS = 10_000;

/** The API server's limits. */
const MAX_NOTE_BYTES = 1024;
const MAX_NAME = 253;

export function createEventRecorder(
  client: KubeClient,
  options: EventRecorderOptions,
): EventRecorder {
  return new Recorder(client, options);
}

interface Known {
  readonly event: NewEvent;
  /** The name of the Event object; empty before it is created. */
  name: string;
  count: number;
  /** The count that was last sent. */
  told: number;
  toldAt: number;
  seenAt: number;
}

class Recorder implements EventRecorder {
  readonly #client: KubeClient;
  readonly #options: EventRecorderOptions;
  readonly #known = new Map<string, Known>();
  readonly #closed = new AbortController();
  #tokens = BURST;
  #tokensAt: number;
  #failure: string | undefined;
  /** The scheduled next send. */
  #due: { readonly at: number; readonly cancel: () => void } | undefined;
  /** Nothing is sent before this time. */
  #notBefore = 0;
  #isSending = false;

  constructor(client: KubeClient, options: EventRecorderOptions) {
    this.#client = client;
    this.#options = options;
    this.#tokensAt = options.clock.monotonic();
  }

  record(told: NewEvent): void {
    if (this.#closed.signal.aborted) return;
    // A thousand are remembered, so none may be long.
    const event = { ...told, note: noteOf(told.note) };
    const { regarding: { namespace, uid }, reason, note } = event;
    const key = JSON.stringify([namespace, uid, reason, note]);
    const now = this.#options.clock.monotonic();
    const known = this.#known.get(key);
    if (known !== undefined) {
      known.count++;
      known.seenAt = now;
    } else {
      if (this.#known.size >= MAX_KNOWN) this.#forget(now);
      if (this.#known.size >= MAX_KNOWN) return this.#options.count("dropped");
      this.#known.set(key, { event, name: "", count: 1, told: 0, toldAt: 0, seenAt: now });
    }
    this.#schedule(0);
  }

  close(): void {
    this.#closed.abort();
    this.#due?.cancel();
    this.#known.clear();
  }

  #forget(now: number): void {
    for (const [key, { seenAt, count, told }] of this.#known) {
      if (count === told && now - seenAt > FORGET_MS) this.#known.delete(key);
    }
  }

  #schedule(milliseconds: number): void {
    if (this.#isSending || this.#closed.signal.aborted) return;
    const { clock } = this.#options;
    const now = clock.monotonic();
    const at = Math.max(now + milliseconds, this.#notBefore);
    if (this.#due !== undefined && this.#due.at <= at) return;
    this.#due?.cancel();
    const cancel = clock.after(at - now, () => {
      this.#due = undefined;
      this.#send();
    });
    this.#due = { at, cancel };
  }

  /** Sends due events one by one, until none is left or the rate limit is reached. */
  async #send(): Promise<void> {
    this.#isSending = true;
    let pause: number | undefined;
    try {
      do pause = await this.#sendNext(); while (pause === 0);
    } finally {
      this.#isSending = false;
    }
    if (pause !== undefined) this.#schedule(pause);
  }

  /** Sends an event if one is due. Returns the milliseconds until the next, or undefined for none. */
  async #sendNext(): Promise<number | undefined> {
    if (this.#closed.signal.aborted) return undefined;
    const now = this.#options.clock.monotonic();
    this.#forget(now);
    const next = this.#next();
    if (next === undefined) return undefined;
    const [key, known] = next;
    const wait = known.told === 0 ? 0 : known.toldAt + AGAIN_MS - now;
    if (wait > 0) return wait;
    const untilToken = this.#take(now);
    if (untilToken > 0) return untilToken;
    try {
      await this.#tell(known);
      this.#options.count("sent");
      this.#failure = undefined;
      return 0;
    } catch (error) {
      // The next occurrence starts a new series.
      this.#known.delete(key);
      if (this.#closed.signal.aborted) return undefined;
      return this.#failed(error);
    }
  }

  /** Returns the next event to send: a new one, else the series that was sent longest ago. */
  #next(): [string, Known] | undefined {
    let best: [string, Known] | undefined;
    for (const entry of this.#known) {
      const [, { count, told, toldAt }] = entry;
      if (count === told) continue;
      if (told === 0) return entry;
      if (best === undefined || toldAt < best[1].toldAt) best = entry;
    }
    return best;
  }

  /** Takes a token of the rate limit and returns 0, or returns the milliseconds until there is one. */
  #take(now: number): number {
    this.#tokens = Math.min(BURST, this.#tokens + (now - this.#tokensAt) * PER_MS);
    this.#tokensAt = now;
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) / PER_MS);
    this.#tokens--;
    return 0;
  }

  async #tell(known: Known): Promise<void> {
    const { clock } = this.#options;
    const { event: { regarding: { namespace } }, count } = known;
    const { signal } = this.#closed;
    const time = microTime(clock.now());
    // Record the count before sending, so that events recorded meanwhile are sent later.
    known.told = count;
    known.toldAt = clock.monotonic();
    const series = { count, lastObservedTime: time };
    if (known.name === "") {
      const object = this.#object(known.event, { time, ...(count > 1 ? { series } : {}) });
      known.name = object.metadata.name;
      await this.#client.create(EVENTS, object, { signal });
      return;
    }
    const name = { namespace, name: known.name };
    await this.#client.patch(EVENTS, name, { type: "merge", patch: { series }, signal });
  }

  #object(
    { regarding, reason, action, note }: NewEvent,
    { time, series }: { readonly time: string; readonly series?: object },
  ) {
    const { controller, instance, unique } = this.#options;
    const suffix = `.${unique()}`;
    return {
      metadata: {
        name: `${regarding.name.slice(0, MAX_NAME - suffix.length)}${suffix}`,
        namespace: regarding.namespace,
      },
      eventTime: time,
      reportingController: controller,
      reportingInstance: instance,
      regarding,
      reason,
      action,
      note,
      type: "Normal",
      ...(series === undefined ? {} : { series }),
    };
  }

  #failed(error: unknown): number {
    this.#options.count("failed");
    if (isNamespaceGone(error)) return 0;
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#failure) this.#options.onFailure(message);
    this.#failure = message;
    this.#notBefore = this.#options.clock.monotonic() + FAILED_PAUSE_MS;
    return FAILED_PAUSE_MS;
  }
}

/** Reports whether an event failed because its namespace is gone or terminating. Others may succeed. */
function isNamespaceGone(error: unknown): boolean {
  return isApiError(error, "not_found") ||
    error instanceof ApiError && error.code === "forbidden" &&
      error.message.includes("is being terminated");
}

/** Escapes a note, which quotes what a pod says, and truncates it to what the API server accepts. */
function noteOf(text: string): string {
  const shown = visibleLine(text, MAX_NOTE_BYTES);
  const bytes = new TextEncoder().encode(shown);
  if (bytes.length <= MAX_NOTE_BYTES) return shown;
  // Drop a character that was cut in half.
  return new TextDecoder().decode(bytes.subarray(0, MAX_NOTE_BYTES - 3)).replace(/\ufffd$/, "") +
    "…";
}
