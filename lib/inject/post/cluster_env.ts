/** Appends the variables for the pod's cluster and network, sorted. */
import { PROXY_CONTAINER } from "../names.ts";
import { findSidecar, type Pod, type StringMap, withContainer } from "../pod.ts";
import { compareStrings } from "../../data/bytes.ts";

export function setClusterEnv(pod: Pod, variables: StringMap): Pod {
  const names = Object.keys(variables).sort(compareStrings);
  const sidecar = findSidecar(pod, PROXY_CONTAINER);
  if (names.length === 0 || !sidecar) return pod;
  return withContainer(pod, { list: sidecar.list, name: PROXY_CONTAINER }, (container) => ({
    ...container,
    env: [
      ...(container.env ?? []).filter(({ name }) => !Object.hasOwn(variables, name)),
      ...names.map((name) => ({ name, value: variables[name] })),
    ],
  }));
}
