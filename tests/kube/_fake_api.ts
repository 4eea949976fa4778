/** An in-memory API server with a request log, whose watches a test controls. */
import { ApiError } from "../../lib/kube/api_error.ts";
import type {
  KubeClient,
  KubeObject,
  ListOptions,
  Resource,
  WatchEvent,
  WatchOptions,
} from "../../lib/kube/client.ts";
import type { FakeClock } from "../server/_fake_clock.ts";

export class FakeApi {
  readonly #resources = new Map<string, FakeResource>();

  constructor(readonly clock: FakeClock) {}

  /** Returns a resource by its plural name, creating it on first use. */
  resource(plural: string): FakeResource {
    const known = this.#resources.get(plural) ?? new FakeResource(this.clock);
    this.#resources.set(plural, known);
    return known;
  }

  /** Returns the plural names of all requested resources. */
  asked(): string[] {
    return [...this.#resources].filter(([, { asked }]) => asked.length > 0).map(([name]) => name);
  }

  client(): KubeClient {
    return {
      list: ({ plural }: Resource, options?: ListOptions) => this.resource(plural).list(options),
      watch: ({ plural }: Resource, options: WatchOptions) => this.resource(plural).events(options),
      create: ({ plural }: Resource, object: KubeObject) => this.resource(plural).write(object),
      patch: (
        { plural }: Resource,
        { name }: { name: string },
        { patch }: { patch: unknown },
      ) => this.resource(plural).write({ metadata: { name }, patch }),
      close() {},
    } as Partial<KubeClient> as KubeClient;
  }
}

export class FakeResource {
  objects: KubeObject[] = [];
  resourceVersion = "1";
  listFails: Error | undefined;
  watchFails: Error | undefined;
  writeFails: Error | undefined;
  readonly asked: string[] = [];
  readonly times: number[] = [];
  readonly written: KubeObject[] = [];
  watch: OpenWatch | undefined;
  lists = 0;

  constructor(readonly clock: FakeClock) {}

  list(options: ListOptions = {}) {
    this.#note(`list ${options.fieldSelector ?? ""}`);
    this.lists++;
    if (this.listFails !== undefined) return Promise.reject(this.listFails);
    const { project = (object) => object } = options;
    const items = this.objects.map(project);
    return Promise.resolve({ items, resourceVersion: this.resourceVersion });
  }

  async *events(options: WatchOptions): AsyncGenerator<WatchEvent> {
    this.#note(`watch ${options.resourceVersion} for ${options.seconds}`);
    if (this.watchFails !== undefined) throw this.watchFails;
    const watch = new OpenWatch();
    this.watch = watch;
    options.signal?.addEventListener("abort", () => watch.fail(new ApiError("aborted", "off")));
    options.onOpen?.();
    yield* watch.events();
  }

  write(object: KubeObject): Promise<KubeObject> {
    this.written.push(object);
    return this.writeFails === undefined
      ? Promise.resolve(object)
      : Promise.reject(this.writeFails);
  }

  #note(line: string): void {
    this.asked.push(line.trim());
    this.times.push(this.clock.monotonic());
  }
}

export class OpenWatch {
  readonly #waiting: (WatchEvent | Error | undefined)[] = [];
  #wake = () => {};

  send(...events: WatchEvent[]): void {
    this.#push(...events);
  }
  fail(error: Error): void {
    this.#push(error);
  }
  end(): void {
    this.#push(undefined);
  }
  #push(...what: (WatchEvent | Error | undefined)[]): void {
    this.#waiting.push(...what);
    this.#wake();
  }
  async *events(): AsyncGenerator<WatchEvent> {
    for (;;) {
      while (this.#waiting.length > 0) {
        const next = this.#waiting.shift();
        if (next === undefined) return;
        if (next instanceof Error) throw next;
        yield next;
      }
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
