/** Implements OpenShift's user and group ranges per namespace; the sidecar uses the last id. */
import type { Behaviours } from "./compat.ts";
import { INIT_CONTAINER, PROXY_CONTAINER, VALIDATION_CONTAINER } from "./names.ts";
import {
  type Container,
  containersOf,
  findSidecar,
  lookup,
  type Pod,
  type StringMap,
  withContainer,
} from "./pod.ts";

const UID_RANGE = "openshift.io/sa.scc.uid-range";
const SUPPLEMENTAL_GROUPS = "openshift.io/sa.scc.supplemental-groups";

/** Istio's default user and group. */
export const DEFAULT_PROXY_ID = 1337;

/** Returns the sidecar's user and group in a namespace with these annotations. */
export function proxyIds(annotations: StringMap | undefined): { uid: number; gid: number } {
  const uids = lookup(annotations, UID_RANGE);
  const groups = lookup(annotations, SUPPLEMENTAL_GROUPS) ?? uids;
  return {
    uid: endOfRange(uids) ?? DEFAULT_PROXY_ID,
    // All blocks must be valid; the first one is used.
    gid:
      groups?.split(",").map(endOfRange).reduce((first, end) => end === undefined ? end : first) ??
        DEFAULT_PROXY_ID,
  };
}

/**
 * Returns the last id of `start/size` or `start-end`. Text after the numbers is ignored. A number may
 * follow spaces but not line breaks, as in Go's Sscanf.
 */
function endOfRange(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const range = text.includes("/")
    ? /^[^\S\r\n]*(\d+)\/[^\S\r\n]*(\d+)/
    : /^[^\S\r\n]*(\d+)-[^\S\r\n]*(\d+)/;
  const match = range.exec(text);
  if (!match) return undefined;
  const [first, second] = [Number(match[1]), Number(match[2])];
  if (first > 0xffffffff || second > 0xffffffff) return undefined;
  return text.includes("/") ? (first + second - 1) >>> 0 : second;
}

/**
 * Removes the application's user from the sidecar. OpenShift's admission sets that user on every container,
 * including a sidecar that the pod brought along. A sidecar with the application's user would have its own
 * traffic redirected, so the template's user is used.
 */
export function dropApplicationUser(
  pod: Pod,
  behaviours: Pick<Behaviours, "openshiftChecksInit">,
): Pod {
  const sidecar = findSidecar(pod, PROXY_CONTAINER);
  if (!sidecar?.container.securityContext) return pod;
  const lists = behaviours.openshiftChecksInit
    ? (["containers", "initContainers"] as const)
    : (["containers"] as const);
  const skipped = [PROXY_CONTAINER, INIT_CONTAINER, VALIDATION_CONTAINER];
  const all = lists.flatMap((list) => containersOf(pod, list));
  /** Returns the last user set by these containers, or root if none is set. */
  const userOf = (containers: readonly Container[]) =>
    containers.flatMap(({ securityContext }) => securityContext?.runAsUser ?? []).at(-1) ?? 0;
  const sidecarUser = userOf(all.filter(({ name }) => name === PROXY_CONTAINER));
  if (sidecarUser !== userOf(all.filter(({ name }) => !skipped.includes(name)))) return pod;
  return withContainer(pod, { list: sidecar.list, name: PROXY_CONTAINER }, (container) => {
    const { runAsUser: _user, runAsGroup: _group, ...rest } = container.securityContext!;
    return { ...container, securityContext: rest };
  });
}
