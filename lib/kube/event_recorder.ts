/**
 * Events of the API server, as `kubectl get events` and `kubectl describe` show them. Whoever records one
 * never waits and never hears of failure: what is alike is counted together, sending is slow on purpose, and
 * what does not fit is let go and counted.
 */

import { visibleLine } from "../data/visible.ts";
import type { Clock } from "../host/mod.ts";
import { ApiError } from "./api_error.ts";
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
  /** What it is about. */
  readonly regarding: EventOwner;
  /** For programs, as in `Injected`. */
  readonly reason: string;
  /** What was done, for programs. */
  readonly action: string;
  /** For people. */
  readonly note: string;
}

export interface EventRecorder {
  record(event: NewEvent): void;
  /** Lets go of what was not sent. */
  close(): void;
}

export interface EventRecorderOptions {
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** Who reports, as in `outrigger`. */
  readonly controller: string;
  /** Which of its replicas. */
  readonly instance: string;
  /** Letters and digits that no other event has. */
  readonly unique: () => string;
  readonly count: (result: EventResult) => void;
  /** Once for each reason in a row. */
  readonly onFailure: (message: string) => void;
}

export type EventResult = "sent" | "dropped" | "failed";

/** What is alike is told again only after this long, with how often it was. */
const AGAIN_MS = 60_000;

/** What has not come for this long is forgotten; the next is an event of its own. */
const FORGET_MS = 10 * 60_000;

/** Different events that are remembered: workloads of a large cluster, a page of memory each. */
const MAX_KNOWN = 1_000;

/** At once, when a quiet cluster wakes up; from then on a request every 200 ms. */
const BURST = 25;
const PER_MS = 1 / 200;

/** After a failure: the API server has other work, or we have no right to this. */
const FAILED_PAUSE_MS = 10_000;

/** As the API server has it. */
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
  /** Of the object; empty before it was created. */
  name: string;
  count: number;
  /** How many the API server has been told of. */
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
  /** The next time to send. */
  #due: { readonly at: number; readonly cancel: () => void } | undefined;
  /** Before this nothing is sent, whatever comes. */
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

  /** One after the other, for as long as there is something to tell and the right to tell it. */
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

  /** Milliseconds until the next; `undefined` where there is none. */
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
      // Whatever it is, the next one of its kind is a new beginning.
      this.#known.delete(key);
      if (this.#closed.signal.aborted) return undefined;
      return this.#failed(error);
    }
  }

  /** What is new first, then what has waited longest. */
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

  /** A token, or the milliseconds until there is one. */
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
    // Told before it is done, so that what comes meanwhile is counted on.
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
    if (isOfThisAlone(error)) return 0;
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#failure) this.#options.onFailure(message);
    this.#failure = message;
    this.#notBefore = this.#options.clock.monotonic() + FAILED_PAUSE_MS;
    return FAILED_PAUSE_MS;
  }
}

/** A namespace that goes takes no events, and one that is gone no series: that says nothing of others. */
function isOfThisAlone(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code === "not_found" ||
    error.code === "forbidden" && error.message.includes("is being terminated");
}

/** As Kubernetes' MicroTime is written. */
function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}

/** Control characters are shown: a note has parts of what a pod says. */
function noteOf(text: string): string {
  const shown = visibleLine(text, MAX_NOTE_BYTES);
  const bytes = new TextEncoder().encode(shown);
  if (bytes.length <= MAX_NOTE_BYTES) return shown;
  // Half a character at the end is none.
  return new TextDecoder().decode(bytes.subarray(0, MAX_NOTE_BYTES - 3)).replace(/\ufffd$/, "") +
    "…";
}
