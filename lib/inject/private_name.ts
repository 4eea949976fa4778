/**
 * Checks that an injection does not depend on the name of a pod's token volume, which the API server
 * generates for every pod and which is the only difference between replicas of a workload.
 *
 * Stages other than templates only copy volume names and compare them for equality. Templates may do
 * anything, so they get the pod with a property that records reads of the name. An execution that never
 * read the name would be the same with any other.
 */
import type { Container, Pod, PodSpec } from "./pod.ts";

export const TOKEN_VOLUME_PREFIX = "kube-api-access-";

/** A private name, for one injection. */
export class PrivateName {
  /** Messages logged by the injection; they must be logged again when its result is reused. */
  readonly told: string[] = [];
  readonly #name: string;
  #isPrivate = true;

  constructor(name: string) {
    this.#name = name;
  }

  /**
   * Reports whether the result contains the name only where the pod did, and would be the same with
   * another.
   */
  get isPrivate(): boolean {
    return this.#isPrivate;
  }

  /** Called when something may depend on the name, or on more than the pod and the config. */
  disclose(): void {
    this.#isPrivate = false;
  }

  /** Returns the spec for templates, with reads of the name recorded. */
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

  /** Checks that a template did not generate the same name itself. */
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

/** Reports whether a text is part of a value or key of a JSON value. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === "string") return value.includes(text);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => holds(item, text));
  return Object.entries(value).some(([key, item]) => key.includes(text) || holds(item, text));
}

interface Named {
  readonly name: string;
}
