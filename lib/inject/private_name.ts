/**
 * The name of a pod's token volume, which the API server makes up anew for every pod: the one thing in
 * which the replicas of a workload differ. Here an injection proves that it did not look at it.
 *
 * Stages other than templates carry names of volumes along and compare them for being equal, nothing
 * else. Templates may do anything; so they get the pod with the name behind a property that tells when
 * it is read. An execution that never read a value would have gone the same way with any other.
 */
import type { Container, Pod, PodSpec } from "./pod.ts";

export const TOKEN_VOLUME_PREFIX = "kube-api-access-";

/** One name, for one injection. */
export class PrivateName {
  /** What the injection told the log meanwhile: whoever is spared it has to hear that, too. */
  readonly told: string[] = [];
  readonly #name: string;
  #isPrivate = true;

  constructor(name: string) {
    this.#name = name;
  }

  /** Whether the result has the name only where the pod had it, and would be the same with another. */
  get isPrivate(): boolean {
    return this.#isPrivate;
  }

  /** Called where something may depend on the name, or on more than the pod and the config. */
  disclose(): void {
    this.#isPrivate = false;
  }

  /** The spec for templates to look at. */
  watched(spec: PodSpec): PodSpec {
    const lists = (["containers", "initContainers", "ephemeralContainers"] as const).flatMap(
      (key) => {
        const list = spec[key] as readonly Container[] | null | undefined;
        if (!list?.some((container) => this.#isIn(container.volumeMounts))) return [];
        return [[key, list.map((container) => this.#watchedContainer(container))]];
      },
    );
    const volumes = this.#isIn(spec.volumes) ? { volumes: this.#watchedList(spec.volumes) } : {};
    return { ...spec, ...Object.fromEntries(lists), ...volumes };
  }

  /** A template that makes up such a name itself could meet the pod's. */
  checkTemplate(template: Pod): void {
    if (holds(template, TOKEN_VOLUME_PREFIX)) this.disclose();
  }

  #watchedContainer(container: Container): Container {
    if (!this.#isIn(container.volumeMounts)) return container;
    return { ...container, volumeMounts: this.#watchedList(container.volumeMounts) };
  }

  #isIn(list: unknown): list is readonly Named[] {
    return Array.isArray(list) && list.some(({ name }: Named) => name === this.#name);
  }

  #watchedList(list: readonly Named[]): Named[] {
    return list.map((item) => item.name === this.#name ? this.#watchedItem(item) : item);
  }

  #watchedItem(item: Named): Named {
    return Object.defineProperty({ ...item }, "name", {
      enumerable: true,
      get: () => {
        this.disclose();
        return this.#name;
      },
    });
  }
}

/** Whether a text is part of a value or key of a JSON value. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === "string") return value.includes(text);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => holds(item, text));
  return Object.entries(value).some(([key, item]) => key.includes(text) || holds(item, text));
}

interface Named {
  readonly name: string;
}
