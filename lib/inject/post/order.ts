/** The order of containers: who starts before the sidecar, and who after. */
import {
  CORE_DUMP_CONTAINER,
  INIT_CONTAINER,
  PROXY_CONTAINER,
  VALIDATION_CONTAINER,
} from "../names.ts";
import { type Container, containersOf, type Pod, withSpec } from "../pod.ts";

export interface OrderOptions {
  /** The application waits for the sidecar. */
  readonly hold: boolean;
  /** A sidecar among the init containers comes before the user's. */
  readonly nativeOrder: boolean;
}

export function orderContainers(pod: Pod, { hold, nativeOrder }: OrderOptions): Pod {
  const containers = containersOf(pod, "containers");
  const spec: { containers: Container[]; initContainers?: Container[] } = {
    // kubectl picks the first container, which should be the user's unless it has to wait.
    containers: hold
      ? moveFirst(containers, PROXY_CONTAINER)
      : moveLast(containers, PROXY_CONTAINER),
  };
  const init = pod.spec.initContainers;
  if (init) {
    const isNative = nativeOrder && init.some(({ name }) => name === PROXY_CONTAINER);
    spec.initContainers = isNative
      // The user's init containers are part of the mesh then.
      ? moveFirst(init, INIT_CONTAINER, VALIDATION_CONTAINER, PROXY_CONTAINER, CORE_DUMP_CONTAINER)
      // Validation blocks all others; redirection comes after those that need a plain network.
      : moveLast(moveFirst(init, VALIDATION_CONTAINER), INIT_CONTAINER, CORE_DUMP_CONTAINER);
  }
  return withSpec(pod, spec);
}

/** Containers of these names in front, in this order; of several of a name the last is kept. */
function moveFirst(list: readonly Container[], ...names: string[]): Container[] {
  return [...picked(list, names), ...list.filter(({ name }) => !names.includes(name))];
}

function moveLast(list: readonly Container[], ...names: string[]): Container[] {
  return [...list.filter(({ name }) => !names.includes(name)), ...picked(list, names)];
}

function picked(list: readonly Container[], names: readonly string[]): Container[] {
  return names.flatMap((name) => list.findLast((container) => container.name === name) ?? []);
}
