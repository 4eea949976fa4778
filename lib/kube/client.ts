/**
 * A small Kubernetes API client: a few verbs on JSON objects of any resource. Responses are bounded in
 * size and time. Errors are ApiErrors that name the object.
 *
 * Objects are parsed with `JSON.parse`, so integers above 2^53 lose precision. The resources used here
 * contain none.
 */

import { isMap } from "../data/map.ts";
import type { ClientResponse } from "../host/mod.ts";
import type { ClusterAccess } from "./_access.ts";
import {
  createTransport,
  type KubeRequest,
  RESPONSE_MS,
  type Transport,
  type TransportOptions,
} from "./_transport.ts";
import { type WatchEvent, watchEvents } from "./_watch_events.ts";
import { ApiError, isApiError } from "./api_error.ts";
import type { Resource } from "./resources.ts";

export type { WatchEvent } from "./_watch_events.ts";
export type { Resource } from "./resources.ts";

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

/** The name of an object; the namespace defaults to that of the ClusterAccess. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string;
}

export interface ListOptions {
  /** `*` selects all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
  /** Reduces each object to the fields to keep, so that a large list is never in memory as a whole. */
  readonly project?: (object: KubeObject) => KubeObject;
}

export interface WatchOptions extends Omit<ListOptions, "project"> {
  /** The resource version of the list or event to start from. */
  readonly resourceVersion: string;
  /** Time after which the server ends the watch; a connection that is silent for longer is dead. */
  readonly seconds: number;
  /** Called when the server has accepted the watch. */
  readonly onOpen?: () => void;
}

export interface KubeList {
  readonly items: readonly KubeObject[];
  /** The resource version to start a watch from. */
  readonly resourceVersion: string;
}

export interface WriteOptions {
  /** Runs admission but persists nothing. */
  readonly dryRun?: boolean;
  /** The name recorded as the owner of the written fields. */
  readonly fieldManager?: string;
  /** A subresource: `status`, `approval`, `token`. */
  readonly subresource?: string;
  readonly signal?: AbortSignal;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes ownership of conflicting fields from other managers. */
  readonly force?: boolean;
}

export interface DeleteOptions extends WriteOptions {
  /** Deletes the object only if these match. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface PatchOptions extends WriteOptions {
  /** RFC 7396 (an object) or RFC 6902 (a list of operations). */
  readonly type: "merge" | "json";
  readonly patch: unknown;
}

/** A Kubernetes API client. Every method throws an {@link ApiError} if the request fails. */
export interface KubeClient {
  get(resource: Resource, name: ObjectName): Promise<KubeObject>;
  /** Lists all objects, across pages. */
  list(resource: Resource, options?: ListOptions): Promise<KubeList>;
  /**
   * Yields changes after a resource version, until the server ends the watch. Throws an ApiError with
   * code `expired` if the server no longer has that resource version: list again.
   */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  create(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /**
   * Replaces the whole object. If the object has a `resourceVersion` and has changed since, throws an
   * ApiError with code `conflict`.
   */
  update(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(resource: Resource, name: ObjectName, options: PatchOptions): Promise<KubeObject>;
  /** Server-side apply: the field manager owns exactly the given fields. */
  apply(resource: Resource, object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  delete(resource: Resource, name: ObjectName, options?: DeleteOptions): Promise<void>;
  /** Closes idle connections. */
  close(): void;
}

/** etcd limits objects to 1.5 MiB; the largest nodes take about 20 KiB each. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const PAGE = 250;

/** How late the server may end a watch. */
const WATCH_GRACE_SECONDS = 10;

/** Kubernetes supports clusters of up to 150,000 pods. */
const MAX_ITEMS = 200_000;

/**
 * Returns a client for a cluster.
 *
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
        // All pages are of one snapshot, which the server drops after a few minutes.
        if (!isFirstTry || !isApiError(error, "expired")) throw error;
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
    const response = await this.#transport.send(request, (response) => Promise.resolve(response));
    options.onOpen?.();
    const { action } = request;
    try {
      yield* watchEvents(response, { action, silenceMs: (seconds + WATCH_GRACE_SECONDS) * 1000 });
    } catch (error) {
      throw this.#transport.describe(error, request);
    } finally {
      response.close();
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
      // A subresource is created under the path of its object.
      of: options.subresource === undefined ? { namespace } : { namespace, name },
      label: name,
      query: writeQuery(options),
      // The object of a subresource has a kind of its own, such as TokenRequest.
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
      // Every server accepts this type; JSON is valid YAML.
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
        throw badResponse(request, "not a list");
      }
      for (const item of page.items) items.push(project(item));
      if (items.length > MAX_ITEMS) throw badResponse(request, `more than ${MAX_ITEMS} items`);
      const { resourceVersion = "" } = page.metadata;
      token = typeof page.metadata.continue === "string" ? page.metadata.continue : "";
      if (token === "") return { items, resourceVersion };
    }
  }

  async #object(verb: string, resource: Resource, call: Call): Promise<KubeObject> {
    const request = this.#request(verb, resource, call);
    const value = await this.#json(request);
    if (isObject(value)) return value;
    throw badResponse(request, "not an object with metadata");
  }

  #json(request: KubeRequest): Promise<unknown> {
    return this.#transport.send(request, (response) => readJson(response, request));
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
  /** The name for error messages, if the path has none. */
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
    // No object has such a name, and the path must not become that of something else.
    if (text !== "" && text !== "." && text !== ".." && !/[/%]/.test(text)) {
      return encodeURIComponent(text);
    }
    throw new ApiError("bad_request", `Cannot ${action}: invalid name ${JSON.stringify(text)}`);
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

/** Options of writes. A write is never repeated: it may have succeeded although no response arrived. */
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

async function readJson(response: ClientResponse, request: KubeRequest): Promise<unknown> {
  const bytes = await response.body({ bytes: MAX_RESPONSE_BYTES, ms: RESPONSE_MS });
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw badResponse(request, "not JSON", cause);
  }
}

function badResponse({ action }: KubeRequest, reason: string, cause?: unknown): ApiError {
  return new ApiError("bad_response", `Cannot ${action}: bad response: ${reason}`, { cause });
}

function isObject(value: unknown): value is KubeObject {
  return isMap(value) && Object.hasOwn(value, "metadata") && isMap(value.metadata);
}
