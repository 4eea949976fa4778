/**
 * An in-memory API server with resource versions, conflicts, watches and JSON patches, for tests with
 * several clients. `tests/e2e` uses a real API server.
 */
import { applyPatch, type Operation } from "rfc6902";
import { equalJson } from "../../lib/data/json.ts";
import { ApiError, type ApiErrorCode } from "../../lib/kube/api_error.ts";
import type {
  KubeClient,
  KubeObject,
  ListOptions,
  ObjectName,
  PatchOptions,
  Resource,
  WatchEvent,
  WatchOptions,
} from "../../lib/kube/client.ts";

type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

export class MemoryApi {
  readonly #objects = new Map<string, KubeObject>();
  readonly #watches = new Set<(event: Change | Error, key: string) => void>();
  readonly #log: { readonly event: Change; readonly key: string }[] = [];
  #version = 0;
  /** Requests to refuse: `patch mutatingwebhookconfigurations`. */
  readonly refused = new Map<string, ApiErrorCode>();
  /** Whether the server responds. */
  isDown = false;
  /** Received requests: `update secrets`. */
  readonly asked: string[] = [];
  /** Called before each response, so that a test can interleave another request. */
  before: ((request: string) => void) | undefined;

  object({ plural }: Resource, name: string): KubeObject | undefined {
    return this.#objects.get(`${plural}/${name}`);
  }

  /** Writes an object as an administrator, whatever is refused. */
  put({ plural }: Resource, object: KubeObject): KubeObject {
    const key = `${plural}/${object.metadata.name}`;
    const before = this.#objects.get(key);
    const next = withVersion(object, before?.metadata.resourceVersion);
    // An update without changes keeps the resource version.
    if (before !== undefined && equalJson(before, next)) return before;
    const stored = withVersion(object, String(++this.#version));
    this.#objects.set(key, stored);
    this.#tell({ type: before === undefined ? "added" : "modified", object: stored }, key);
    return stored;
  }

  remove({ plural }: Resource, name: string): void {
    const key = `${plural}/${name}`;
    const object = this.#objects.get(key);
    if (object === undefined) throw new ApiError("not_found", `Cannot delete ${key}: not found`);
    this.#objects.delete(key);
    const last = withVersion(object, String(++this.#version));
    this.#tell({ type: "deleted", object: last }, key);
  }

  /** Ends all watches, as a restart would. */
  breakWatches(): void {
    for (const watch of [...this.#watches]) watch(new ApiError("unreachable", "gone"), "");
  }

  client(): KubeClient {
    const find = (resource: Resource, { name }: Partial<ObjectName>) => {
      const found = this.object(resource, name ?? "");
      if (found !== undefined) return found;
      throw new ApiError("not_found", `Cannot find ${resource.kind} "${name}"`);
    };
    const client: Partial<KubeClient> = {
      get: async (resource, name) => {
        await this.#request("get", resource);
        return find(resource, name);
      },
      list: async (resource, options = {}) => {
        await this.#request("list", resource);
        const items = [...this.#objects].filter(([key]) => key.startsWith(`${resource.plural}/`))
          .map(([, object]) => object).filter((object) => isSelected(object, options));
        return { items, resourceVersion: String(this.#version) };
      },
      watch: (resource, options) => this.#watch(resource, options),
      create: async (resource, object) => {
        await this.#request("create", resource);
        if (this.object(resource, object.metadata.name!) !== undefined) {
          throw new ApiError("already_exists", `Cannot create "${object.metadata.name}": exists`);
        }
        return this.put(resource, object);
      },
      update: async (resource, object) => {
        await this.#request("update", resource);
        const before = find(resource, object.metadata);
        if (before.metadata.resourceVersion !== object.metadata.resourceVersion) {
          throw new ApiError("conflict", `Cannot update "${object.metadata.name}": modified`);
        }
        return this.put(resource, object);
      },
      patch: async (resource: Resource, name: ObjectName, { patch }: PatchOptions) => {
        await this.#request("patch", resource);
        const next = structuredClone(find(resource, name));
        const [problem] = applyPatch(next, patch as Operation[]).filter(Boolean);
        if (problem) {
          throw new ApiError("invalid", `Cannot patch "${name.name}": ${problem.message}`);
        }
        return this.put(resource, next);
      },
      close() {},
    };
    return client as KubeClient;
  }

  async #request(verb: Verb, { plural }: Resource): Promise<void> {
    const request = `${verb} ${plural}`;
    this.asked.push(request);
    this.before?.(request);
    await Promise.resolve();
    if (this.isDown) throw new ApiError("unreachable", `Cannot ${request}: connection refused`);
    const code = this.refused.get(request);
    if (code !== undefined) throw new ApiError(code, `Cannot ${request}: ${code}`);
  }

  async *#watch(resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent> {
    await this.#request("watch", resource);
    const waiting: (WatchEvent | Error)[] = [];
    let wake = () => {};
    const take = (event: Change | Error, key: string) => {
      const isOurs = event instanceof Error ||
        (key.startsWith(`${resource.plural}/`) && isSelected(event.object, options));
      if (!isOurs) return;
      waiting.push(event);
      wake();
    };
    const stop = () => take(new ApiError("aborted", "off"), "");
    options.signal?.addEventListener("abort", stop);
    // Events since the list or the previous watch.
    for (const { event, key } of this.#log) {
      const version = Number(event.object.metadata.resourceVersion);
      if (version > Number(options.resourceVersion)) take(event, key);
    }
    this.#watches.add(take);
    options.onOpen?.();
    try {
      for (;;) {
        const next = waiting.shift();
        if (next instanceof Error) throw next;
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => wake = resolve);
      }
    } finally {
      this.#watches.delete(take);
    }
  }

  #tell(event: Change, key: string): void {
    this.#log.push({ event, key });
    for (const watch of [...this.#watches]) watch(event, key);
  }
}

type Change = Extract<WatchEvent, { readonly object: KubeObject }>;

function withVersion(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

function isSelected({ metadata }: KubeObject, { fieldSelector }: ListOptions): boolean {
  const name = /^metadata\.name=(.*)$/.exec(fieldSelector ?? "")?.[1];
  return name === undefined || metadata.name === name;
}
