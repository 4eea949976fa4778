/** Orders containers before and after the sidecar. */
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
  /** A native sidecar precedes the user's init containers. */
  readonly nativeOrder: boolean;
}

export function orderContainers(pod: Pod, { hold, nativeOrder }: OrderOptions): Pod {
  const containers = containersOf(pod, "containers");
  const spec: { containers: Container[]; initContainers?: Container[] } = {
    // kubectl selects the first container by default. That should be the user's, unless it has to wait.
    containers: hold
      ? moveFirst(containers, PROXY_CONTAINER)
      : moveLast(containers, PROXY_CONTAINER),
  };
  const init = pod.spec.initContainers;
  if (init) {
    const isNative = nativeOrder && init.some(({ name }) => name === PROXY_CONTAINER);
    spec.initContainers = isNative
      // The user's init containers are then part of the mesh.
      ? moveFirst(init, INIT_CONTAINER, VALIDATION_CONTAINER, PROXY_CONTAINER, CORE_DUMP_CONTAINER)
      // Validation blocks all others. Redirection follows init containers that need an unredirected
      // network.
      : moveLast(moveFirst(init, VALIDATION_CONTAINER), INIT_CONTAINER, CORE_DUMP_CONTAINER);
  }
  return withSpec(pod, spec);
}

/**
 * Moves containers with these names to the front, in this order. Of several with one name, keeps the last.
 */
function moveFirst(list: readonly Container[], ...names: string[]): Container[] {
  return [...picked(list, names), ...list.filter(({ name }) => !names.includes(name))];
}

function moveLast(list: readonly Container[], ...names: string[]): Container[] {
  return [...list.filter(({ name }) => !names.includes(name)), ...picked(list, names)];
}

function picked(list: readonly Container[], names: readonly string[]): Container[] {
  return names.flatMap((name) => list.findLast((container) => container.name === name) ?? []);
}
