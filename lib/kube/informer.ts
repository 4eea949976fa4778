/**
 * Keeps a local copy of the objects of a resource, with a list and then watches. It survives any failure of
 * the API server: known objects stay available, each reason for a failure is reported once, and it retries
 * with backoff. Nothing here throws or blocks.
 */

import { backoff } from "../data/durations.ts";
import { equalJson } from "../data/json.ts";
import type { Clock } from "../host/mod.ts";
import { wait } from "./_wait.ts";
import { isApiError } from "./api_error.ts";
import type { KubeClient, KubeObject, Resource, WatchEvent } from "./client.ts";

/** A local copy of the objects of a resource, kept current by a list and watches until it is closed. */
export interface Informer {
  /** Returns all known objects, or undefined before the first list has succeeded. */
  current(): readonly KubeObject[] | undefined;
  /** Returns why the copy may be out of date, or undefined if it is current. */
  failure(): string | undefined;
  close(): void;
}

export interface InformerOptions {
  /** Defaults to the client's namespace; `*` selects all. */
  readonly namespace?: string;
  /** Selects a single object. */
  readonly name?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Reduces an object to the fields to keep; `metadata.name` is always kept. Saves memory in clusters
   * with thousands of nodes. Changes to other fields are not reported.
   */
  readonly project?: (object: KubeObject) => KubeObject;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  /** Returns a number in [0, 1). */
  readonly random?: () => number;
  /** Called after the first list and after each change. */
  readonly onChange: (objects: readonly KubeObject[]) => void;
  /** Called when it fails for another reason than before. */
  readonly onFailure?: (message: string, error: unknown) => void;
  /** Called when it works again after `onFailure`. */
  readonly onRecovery?: () => void;
}

/**
 * The duration of a watch, in seconds. It is short because a connection that died silently is noticed only
 * when the watch does not end in time. Resuming from the last resource version costs little.
 */
const WATCH_SECONDS = { least: 120, spread: 60 };

/** How late the server may end a watch before the connection counts as dead. */
const GRACE_MS = 5_000;

/** The pause after the first failure; it doubles with each failure in a row. */
const FIRST_PAUSE_MS = 200;

/** Limits how long a recovered API server goes unnoticed. */
const MAX_PAUSE_MS = 30_000;

/** The limit while the server does not know the resource: it appears when its CRD is installed. */
const MAX_ABSENT_PAUSE_MS = 300_000;

/** A watch that has lasted this long counts as a success and resets the pause. */
const SETTLED_MS = 5_000;

/** Attempts to resume from the last resource version before listing again. */
const ATTEMPTS_TO_RESUME = 3;

/**
 * Starts to list and watch a resource.
 *
 * @example
 * ```ts
 * const nodes = startInformer(client, NODES, { clock, onChange: (nodes) => count = nodes.length });
 * ```
 */
export function startInformer(
  client: KubeClient,
  resource: Resource,
  options: InformerOptions,
): Informer {
  const informer = new ListAndWatch(client, resource, options);
  informer.run();
  return {
    current: () => informer.current,
    failure: () => informer.failure,
    close: () => informer.close(),
  };
}

class ListAndWatch {
  readonly #client: KubeClient;
  readonly #resource: Resource;
  readonly #options: InformerOptions;
  readonly #selection: Selection;
  readonly #project: (object: KubeObject) => KubeObject;
  readonly #random: () => number;
  readonly #closed = new AbortController();
  #objects = new Map<string, KubeObject>();
  current: readonly KubeObject[] | undefined;
  failure: string | undefined;
  /** The resource version to watch from; undefined if a list is due. */
  #resourceVersion: string | undefined;
  /** Failures in a row. */
  #failed = 0;
  #isAbsent = false;

  constructor(client: KubeClient, resource: Resource, options: InformerOptions) {
    this.#client = client;
    this.#resource = resource;
    this.#options = options;
    this.#selection = selectionOf(options);
    this.#random = options.random ?? Math.random;
    this.#project = options.project ?? ((object) => object);
  }

  close(): void {
    this.#closed.abort();
  }

  async run(): Promise<void> {
    while (!this.#isClosed()) {
      const started = this.#options.clock.monotonic();
      try {
        if (this.#resourceVersion === undefined) await this.#list();
        await this.#watch();
        // A watch that the server ends at once counts as a failure.
        if (this.#options.clock.monotonic() - started < SETTLED_MS) this.#failed++;
      } catch (error) {
        if (!this.#isClosed()) this.#fail(error);
      }
      if (this.#failed > 0 && !this.#isClosed()) await this.#pause();
    }
  }

  #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  async #list(): Promise<void> {
    const { items, resourceVersion } = await this.#client.list(this.#resource, {
      ...this.#selection,
      signal: this.#closed.signal,
      project: (object) => withName(this.#project(object), object),
    });
    if (this.#isClosed()) return;
    const objects = new Map(items.map((object) => [keyOf(object), object]));
    const isChanged = this.current === undefined || objects.size !== this.#objects.size ||
      [...objects].some(([key, object]) => !equalJson(object, this.#objects.get(key)));
    this.#objects = objects;
    this.#resourceVersion = resourceVersion;
    if (isChanged) this.#notify();
  }

  async #watch(): Promise<void> {
    const seconds = WATCH_SECONDS.least + Math.floor(this.#random() * WATCH_SECONDS.spread);
    const { clock } = this.#options;
    const ended = new AbortController();
    const end = () => ended.abort();
    this.#closed.signal.addEventListener("abort", end);
    const cancelDeadline = clock.after(seconds * 1000 + GRACE_MS, end);
    const cancelSettled = clock.after(SETTLED_MS, () => this.#failed = 0);
    let isSilent = true;
    try {
      const events = this.#client.watch(this.#resource, {
        ...this.#selection,
        resourceVersion: this.#resourceVersion ?? "",
        seconds,
        signal: ended.signal,
        onOpen: () => this.#recover(),
      });
      for await (const event of events) {
        if (this.#isClosed()) return;
        isSilent = false;
        this.#apply(event);
      }
    } catch (error) {
      // Ignore errors caused by our own deadline; the next watch shows whether the server works.
      if (!ended.signal.aborted) throw error;
    } finally {
      cancelDeadline();
      cancelSettled();
      this.#closed.signal.removeEventListener("abort", end);
    }
    // The server sends bookmarks every minute. Without any, the resource version may be in the future:
    // that happens when etcd is restored from a backup.
    if (isSilent) this.#resourceVersion = undefined;
  }

  #apply(event: WatchEvent): void {
    if (event.type === "bookmark") {
      this.#resourceVersion = event.resourceVersion || this.#resourceVersion;
      return;
    }
    const { object } = event;
    this.#resourceVersion = object.metadata.resourceVersion || this.#resourceVersion;
    const key = keyOf(object);
    const before = this.#objects.get(key);
    if (event.type === "deleted") {
      if (this.#objects.delete(key)) this.#notify();
      return;
    }
    const now = withName(this.#project(object), object);
    this.#objects.set(key, now);
    if (before === undefined || !equalJson(before, now)) this.#notify();
  }

  #notify(): void {
    this.current = [...this.#objects.values()];
    this.#options.onChange(this.current);
  }

  #recover(): void {
    if (this.failure === undefined) return;
    this.failure = undefined;
    this.#options.onRecovery?.();
  }

  #fail(error: unknown): void {
    this.#failed++;
    this.#isAbsent = isApiError(error, "not_found");
    if (isApiError(error, "expired")) {
      // List again, the first time without a pause or a report.
      this.#resourceVersion = undefined;
      if (this.#failed === 1) return;
    }
    // The resource version itself may be the cause of repeated failures.
    if (this.#failed >= ATTEMPTS_TO_RESUME) this.#resourceVersion = undefined;
    const message = error instanceof Error ? error.message : String(error);
    const isNews = message !== this.failure;
    this.failure = message;
    if (isNews) this.#options.onFailure?.(message, error);
  }

  /** Backs off exponentially, with jitter so that replicas do not retry at the same time. */
  #pause(): Promise<void> {
    const most = this.#isAbsent ? MAX_ABSENT_PAUSE_MS : MAX_PAUSE_MS;
    const longest = backoff(this.#failed, { first: FIRST_PAUSE_MS, most });
    const { signal } = this.#closed;
    return wait(longest * (0.5 + this.#random() / 2), { clock: this.#options.clock, signal });
  }
}

type Selection = Pick<InformerOptions, "namespace" | "labelSelector" | "fieldSelector">;

function selectionOf(
  { namespace, name, labelSelector, fieldSelector }: InformerOptions,
): Selection {
  const fields = [name === undefined ? "" : `metadata.name=${name}`, fieldSelector].filter(Boolean);
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fields.length === 0 ? {} : { fieldSelector: fields.join(",") }),
  };
}

/** Adds the name and namespace to a reduced object, because they identify it. */
function withName(kept: KubeObject, { metadata }: KubeObject): KubeObject {
  const { name, namespace } = metadata;
  if (kept.metadata.name === name && kept.metadata.namespace === namespace) return kept;
  return { ...kept, metadata: { ...kept.metadata, name, ...(namespace ? { namespace } : {}) } };
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
