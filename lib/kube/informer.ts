/**
 * The objects of a resource as they are now: a list, then a watch from there on, and again, for as long as
 * somebody wants to know. It outlives whatever happens to the API server: what is known stays known, why it
 * may be old is told once, and the next attempt is never far.
 *
 * Nothing is thrown and nothing waits for it.
 */

import { equalJson } from "../data/json.ts";
import type { Clock } from "../host/mod.ts";
import { wait } from "./_wait.ts";
import { ApiError } from "./api_error.ts";
import type { KubeClient, KubeObject, Resource, WatchEvent } from "./client.ts";

/** Keeps the objects of a resource as they are now: list, then watch, resumed, backed off, for ever. */
export interface Informer {
  /** All objects known; undefined before the first list came back. */
  current(): readonly KubeObject[] | undefined;
  /** Why it is not in step now; undefined where it is. */
  failure(): string | undefined;
  close(): void;
}

export interface InformerOptions {
  /** The client's own where none is given; `*` for all. */
  readonly namespace?: string;
  /** One object. */
  readonly name?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * What is kept of an object, `metadata.name` and what else is needed: clusters have thousands of nodes.
   * A change of anything else is none.
   */
  readonly project?: (object: KubeObject) => KubeObject;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  /** From 0 on and below 1. */
  readonly random?: () => number;
  /** After the first list, and after each change. */
  readonly onChange: (objects: readonly KubeObject[]) => void;
  /** Once for each reason in a row; `error` tells kinds apart. */
  readonly onFailure?: (message: string, error: unknown) => void;
  /** In step again after what `onFailure` told. */
  readonly onRecovery?: () => void;
}

/**
 * How long a watch is asked for, in seconds. Short, since a connection that died without a word is noticed
 * only by the end that did not come; with what was seen last to go on from, a new one costs little.
 */
const WATCH_SECONDS = { least: 120, spread: 60 };

/** How late that end may be before the connection counts as dead. */
const GRACE_MS = 5_000;

/** The pause before the first attempt after a failure; it doubles. */
const FIRST_PAUSE_MS = 200;

/** As long as an administrator may wait for a mended API server to be noticed. */
const MAX_PAUSE_MS = 30_000;

/** The same where the server knows no such resource: it comes with the installation of something. */
const MAX_ABSENT_PAUSE_MS = 300_000;

/** A watch that has lasted this long has worked: what comes after it is a new beginning. */
const SETTLED_MS = 5_000;

/** Attempts to go on from where we were, before all is asked for anew. */
const ATTEMPTS_TO_RESUME = 3;

/**
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
  // Functions, so that each can be handed on alone.
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
  /** Where the next watch goes on from; undefined where a list is due. */
  #resourceVersion: string | undefined;
  /** Attempts in a row that came to nothing. */
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
        // Ended as it should; one that ends at once is a server that does not want to.
        if (this.#options.clock.monotonic() - started < SETTLED_MS) this.#failed++;
      } catch (error) {
        if (!this.#isClosed()) this.#take(error);
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
    if (isChanged) this.#tell();
  }

  async #watch(): Promise<void> {
    const seconds = WATCH_SECONDS.least + Math.floor(this.#random() * WATCH_SECONDS.spread);
    const { clock } = this.#options;
    const ended = new AbortController();
    const end = () => ended.abort();
    this.#closed.signal.addEventListener("abort", end);
    const cancelDeadline = clock.after(seconds * 1000 + GRACE_MS, end);
    const cancelSettled = clock.after(SETTLED_MS, () => this.#failed = 0);
    let isMute = true;
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
        isMute = false;
        this.#apply(event);
      }
    } catch (error) {
      // Our own deadline: whatever became of the connection, the next one tells.
      if (!ended.signal.aborted) throw error;
    } finally {
      cancelDeadline();
      cancelSettled();
      this.#closed.signal.removeEventListener("abort", end);
    }
    // Bookmarks come each minute. Where none did, we may be waiting for what never comes: a cluster that
    // was put back to an older state counts from there.
    if (isMute) this.#resourceVersion = undefined;
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
      if (this.#objects.delete(key)) this.#tell();
      return;
    }
    const now = withName(this.#project(object), object);
    this.#objects.set(key, now);
    if (before === undefined || !equalJson(before, now)) this.#tell();
  }

  #tell(): void {
    this.current = [...this.#objects.values()];
    this.#options.onChange(this.current);
  }

  #recover(): void {
    if (this.failure === undefined) return;
    this.failure = undefined;
    this.#options.onRecovery?.();
  }

  #take(error: unknown): void {
    this.#failed++;
    this.#isAbsent = error instanceof ApiError && error.code === "not_found";
    if (error instanceof ApiError && error.code === "expired") {
      // What was seen last is forgotten, so all is asked for anew, at first at once.
      this.#resourceVersion = undefined;
      if (this.#failed === 1) return;
    }
    // Whatever it is, it may be because of what the watch goes on from.
    if (this.#failed >= ATTEMPTS_TO_RESUME) this.#resourceVersion = undefined;
    const message = error instanceof Error ? error.message : String(error);
    const isNews = message !== this.failure;
    this.failure = message;
    if (isNews) this.#options.onFailure?.(message, error);
  }

  /** Longer and longer, and each replica at another moment. */
  #pause(): Promise<void> {
    const most = this.#isAbsent ? MAX_ABSENT_PAUSE_MS : MAX_PAUSE_MS;
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failed - 1), most);
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

/** Objects are told apart by it, so it stays whatever else is dropped. */
function withName(kept: KubeObject, { metadata }: KubeObject): KubeObject {
  const { name, namespace } = metadata;
  if (kept.metadata.name === name && kept.metadata.namespace === namespace) return kept;
  return { ...kept, metadata: { ...kept.metadata, name, ...(namespace ? { namespace } : {}) } };
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
