/**
 * A small client of the Kubernetes API: a few verbs over JSON objects, any resource. Answers are bounded in
 * size and time; errors are ApiErrors that name the object.
 *
 * Objects are as `JSON.parse` gives them, so whole numbers past 2^53 lose digits: none of those that are
 * asked for here have any.
 */

import type { ClientAnswer } from "../host/mod.ts";
import type { ClusterAccess } from "./_access.ts";
import { isMap } from "./_is_map.ts";
import {
  ANSWER_MS,
  createTransport,
  type KubeRequest,
  type Transport,
  type TransportOptions,
} from "./_transport.ts";
import { type WatchEvent, watchEvents } from "./_watch_events.ts";
import { ApiError } from "./api_error.ts";
import type { Resource } from "./resources.ts";

export type { WatchEvent } from "./_watch_events.ts";
export { CONFIG_MAPS, NODES, type Resource } from "./resources.ts";

export interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly [field: string]: unknown;
}

export interface KubeObject {
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** Which object; the namespace is the access's own where none is named. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string;
}

export interface ListOptions {
  /** `*` for all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
  /** What is kept of each object, so that a large list never is in memory whole. */
  readonly project?: (object: KubeObject) => KubeObject;
}

export interface WatchOptions extends Omit<ListOptions, "project"> {
  /** Of the list or the event that the watch goes on from. */
  readonly resourceVersion: string;
  /** After which the server ends it; a connection that is silent for longer is dead. */
  readonly seconds: number;
  /** The server has taken it up. */
  readonly onOpen?: () => void;
}

export interface KubeList {
  readonly items: readonly KubeObject[];
  /** Where a watch goes on from. */
  readonly resourceVersion: string;
}

export interface WriteOptions {
  /** Goes all the way through admission and changes nothing. */
  readonly dryRun?: boolean;
  /** Who is written down as the owner of the fields. */
  readonly fieldManager?: string;
  /** A part of the object that has a path of its own: `status`, `approval`, `token`. */
  readonly subresource?: string;
  readonly signal?: AbortSignal;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields from others who own them. */
  readonly force?: boolean;
}

export interface DeleteOptions extends WriteOptions {
  /** Only the object that has these. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface PatchOptions extends WriteOptions {
  /** RFC 7396 (an object) or RFC 6902 (a list of operations). */
  readonly type: "merge" | "json";
  readonly patch: unknown;
}

/** Every method throws an {@link ApiError}. */
export interface KubeClient {
  get(resource: Resource, name: ObjectName): Promise<KubeObject>;
  /** All of them, however many pages the server makes of it. */
  list(resource: Resource, options?: ListOptions): Promise<KubeList>;
  /**
   * What happens after a list or an event, until the server ends it. Throws an ApiError with code
   * `expired` where the server has forgotten that moment: list anew.
   */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  create(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /**
   * Replaces the whole object. With the `resourceVersion` that was read, only where nobody changed it
   * since; the code is `conflict` otherwise.
   */
  update(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(resource: Resource, name: ObjectName, options: PatchOptions): Promise<KubeObject>;
  /** Server-side apply: the fields given, and no others, become the field manager's. */
  apply(resource: Resource, object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  delete(resource: Resource, name: ObjectName, options?: DeleteOptions): Promise<void>;
  /** Closes connections that are kept for later. */
  close(): void;
}

/** etcd keeps objects under 1.5 MiB; a page of the largest nodes has some 20 KiB each. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const PAGE = 250;

/** How late the end of a watch may be. */
const WATCH_GRACE_SECONDS = 10;

/** The largest clusters that Kubernetes is made for have 150,000 pods. */
const MAX_ITEMS = 200_000;

/**
 * @example
 * ```ts
 * const client = createKubeClient(await kubeconfigAccess({ host, run: runProgram }), { clock });
 * await client.get(CONFIG_MAPS, { namespace: "istio-system", name: "istio" });
 * ```
 */
export function createKubeClient(access: ClusterAccess, options: TransportOptions): KubeClient {
  return new Client(access, createTransport(access, options));
}

class Client implements KubeClient {
  readonly #access: ClusterAccess;
  readonly #transport: Transport;

  constructor(access: ClusterAccess, transport: Transport) {
    this.#access = access;
    this.#transport = transport;
  }

  get(resource: Resource, name: ObjectName): Promise<KubeObject> {
    return this.#object("get", resource, { method: "GET", of: name, isRepeatable: true });
  }

  async list(resource: Resource, options: ListOptions = {}): Promise<KubeList> {
    for (let isFirstTry = true;; isFirstTry = false) {
      try {
        return await this.#pages(resource, options);
      } catch (error) {
        // Pages are of one moment, which the server forgets in time.
        if (!isFirstTry || !(error instanceof ApiError && error.code === "expired")) throw error;
      }
    }
  }

  async *watch(resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent> {
    const { namespace, resourceVersion, seconds, signal } = options;
    const request = this.#request("watch", resource, {
      method: "GET",
      of: { namespace },
      query: {
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion,
        timeoutSeconds: String(seconds),
        ...selectors(options),
      },
      isRepeatable: true,
      signal,
    });
    const answer = await this.#transport.send(request, (answer) => Promise.resolve(answer));
    options.onOpen?.();
    const { action } = request;
    try {
      yield* watchEvents(answer, { action, silenceMs: (seconds + WATCH_GRACE_SECONDS) * 1000 });
    } catch (error) {
      throw this.#transport.describe(error, request);
    } finally {
      answer.close();
    }
  }

  create(
    resource: Resource,
    object: KubeObject,
    options: WriteOptions = {},
  ): Promise<KubeObject> {
    const { name, namespace } = object.metadata;
    return this.#object("create", resource, {
      method: "POST",
      // What is created below an object has its name in the path.
      of: options.subresource === undefined ? { namespace } : { namespace, name },
      label: name,
      query: writeQuery(options),
      // What it is, where it is not the resource's kind (a TokenRequest), the object says itself.
      body: options.subresource === undefined ? typed(object, resource) : object,
      ...written(options),
    });
  }

  update(
    resource: Resource,
    object: KubeObject,
    options: WriteOptions = {},
  ): Promise<KubeObject> {
    return this.#object("update", resource, {
      method: "PUT",
      of: object.metadata,
      query: writeQuery(options),
      body: typed(object, resource),
      ...written(options),
    });
  }

  patch(resource: Resource, name: ObjectName, options: PatchOptions): Promise<KubeObject> {
    return this.#object("patch", resource, {
      method: "PATCH",
      of: name,
      query: writeQuery(options),
      body: options.patch,
      contentType: `application/${options.type === "json" ? "json-patch" : "merge-patch"}+json`,
      ...written(options),
    });
  }

  apply(resource: Resource, object: KubeObject, options: ApplyOptions): Promise<KubeObject> {
    return this.#object("apply", resource, {
      method: "PATCH",
      of: object.metadata,
      query: { ...writeQuery(options), ...(options.force ? { force: "true" } : {}) },
      body: typed(object, resource),
      // JSON is YAML, and older servers know this name alone.
      contentType: "application/apply-patch+yaml",
      ...written(options),
      isRepeatable: true,
    });
  }

  async delete(resource: Resource, name: ObjectName, options: DeleteOptions = {}): Promise<void> {
    const { preconditions } = options;
    await this.#json(this.#request("delete", resource, {
      method: "DELETE",
      of: name,
      query: writeQuery(options),
      ...(preconditions === undefined
        ? {}
        : { body: { apiVersion: "v1", kind: "DeleteOptions", preconditions } }),
      ...written(options),
    }));
  }

  close(): void {
    this.#transport.close();
  }

  async #pages(resource: Resource, options: ListOptions): Promise<KubeList> {
    const { namespace, signal, project = (object) => object } = options;
    const items: KubeObject[] = [];
    for (let token = "";;) {
      const request = this.#request("list", resource, {
        method: "GET",
        of: { namespace },
        query: {
          limit: String(PAGE),
          ...selectors(options),
          ...(token === "" ? {} : { continue: token }),
        },
        isRepeatable: true,
        signal,
      });
      const page = await this.#json(request);
      if (!isObject(page) || !Array.isArray(page.items) || !page.items.every(isObject)) {
        throw notWhatItIs(request, "it is no list");
      }
      for (const item of page.items) items.push(project(item));
      if (items.length > MAX_ITEMS) throw notWhatItIs(request, `there are over ${MAX_ITEMS}`);
      const { resourceVersion = "" } = page.metadata;
      token = typeof page.metadata.continue === "string" ? page.metadata.continue : "";
      if (token === "") return { items, resourceVersion };
    }
  }

  async #object(verb: string, resource: Resource, call: Call): Promise<KubeObject> {
    const request = this.#request(verb, resource, call);
    const value = await this.#json(request);
    if (isObject(value)) return value;
    throw notWhatItIs(request, "it has no metadata");
  }

  #json(request: KubeRequest): Promise<unknown> {
    return this.#transport.send(request, (answer) => readJson(answer, request));
  }

  #request(verb: string, resource: Resource, call: Call): KubeRequest {
    const { name } = call.of;
    const namespace = resource.namespaced ? call.of.namespace ?? this.#access.namespace : undefined;
    const label = [namespace === "*" ? "" : namespace, name ?? call.label].filter(Boolean).join(
      "/",
    );
    const kind = verb === "list" || verb === "watch" ? `${resource.kind}s` : resource.kind;
    const object = label === "" ? kind : `${kind} ${JSON.stringify(label)}`;
    const action = `${verb} ${object} of ${this.#access.name}`;
    const path = pathOf(resource, { namespace, name, subresource: call.subresource, action });
    const query = new URLSearchParams(call.query).toString();
    return {
      action,
      method: call.method,
      path: query === "" ? path : `${path}?${query}`,
      isRepeatable: call.isRepeatable,
      ...(call.signal === undefined ? {} : { signal: call.signal }),
      ...(call.body === undefined ? {} : {
        body: JSON.stringify(call.body),
        contentType: call.contentType ?? "application/json",
      }),
    };
  }
}

interface Call {
  readonly method: KubeRequest["method"];
  readonly of: { readonly name?: string; readonly namespace?: string };
  /** For errors, where the path has no name. */
  readonly label?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly subresource?: string | undefined;
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface Place {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly action: string;
}

function pathOf(
  { apiVersion, plural }: Resource,
  { namespace, name, subresource, action }: Place,
): string {
  const segment = (text: string) => {
    // A name that a path cannot carry is one that no object has; it must not become another path.
    if (text !== "" && text !== "." && text !== ".." && !/[/%]/.test(text)) {
      return encodeURIComponent(text);
    }
    throw new ApiError("bad_request", `Cannot ${action}: ${JSON.stringify(text)} is no name`);
  };
  const root = apiVersion.includes("/") ? "/apis" : "/api";
  return [
    root,
    apiVersion,
    ...(namespace === undefined || namespace === "*" ? [] : ["namespaces", segment(namespace)]),
    plural,
    ...(name === undefined ? [] : [segment(name)]),
    ...(subresource === undefined ? [] : [segment(subresource)]),
  ].join("/");
}

function writeQuery({ dryRun = false, fieldManager }: WriteOptions): Record<string, string> {
  return { ...(dryRun ? { dryRun: "All" } : {}), ...(fieldManager ? { fieldManager } : {}) };
}

/** What is written may be done although no answer came. */
function written({ subresource, signal }: WriteOptions) {
  return { subresource, signal, isRepeatable: false };
}

function selectors({ labelSelector, fieldSelector }: ListOptions): Record<string, string> {
  return {
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  };
}

function typed(object: KubeObject, { apiVersion, kind }: Resource): KubeObject {
  return { ...object, apiVersion, kind };
}

async function readJson(answer: ClientAnswer, request: KubeRequest): Promise<unknown> {
  const bytes = await answer.body({ bytes: MAX_ANSWER_BYTES, ms: ANSWER_MS });
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw notWhatItIs(request, "it is not JSON", cause);
  }
}

function notWhatItIs({ action }: KubeRequest, reason: string, cause?: unknown): ApiError {
  return new ApiError("bad_answer", `Cannot ${action}: the answer cannot be used, ${reason}`, {
    cause,
  });
}

function isObject(value: unknown): value is KubeObject {
  return isMap(value) && Object.hasOwn(value, "metadata") && isMap(value.metadata);
}
