/** OpenShift gives each namespace a range of users and groups; the sidecar takes the last of it. */
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

/** Istio's own user and group. */
export const DEFAULT_PROXY_ID = 1337;

/** User and group of the sidecar in a namespace with these annotations. */
export function proxyIds(annotations: StringMap | undefined): { uid: number; gid: number } {
  const uids = lookup(annotations, UID_RANGE);
  const groups = lookup(annotations, SUPPLEMENTAL_GROUPS) ?? uids;
  return {
    uid: endOfRange(uids) ?? DEFAULT_PROXY_ID,
    // All blocks must be readable, the first one counts.
    gid:
      groups?.split(",").map(endOfRange).reduce((first, end) => end === undefined ? end : first) ??
        DEFAULT_PROXY_ID,
  };
}

/**
 * The last id of `start/size` or `start-end`; what follows the numbers is of no account. Spaces may
 * stand before a number, line breaks may not: so Go scans.
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
 * OpenShift's own admission sets the application's user on every container, the sidecar's too, if
 * the pod brought one along. A sidecar with the application's user would have its own traffic
 * redirected, so that user is dropped and the template's taken.
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
  /** The last user that any of these sets; none is taken for root. */
  const userOf = (containers: readonly Container[]) =>
    containers.flatMap(({ securityContext }) => securityContext?.runAsUser ?? []).at(-1) ?? 0;
  const sidecarUser = userOf(all.filter(({ name }) => name === PROXY_CONTAINER));
  if (sidecarUser !== userOf(all.filter(({ name }) => !skipped.includes(name)))) return pod;
  return withContainer(pod, { list: sidecar.list, name: PROXY_CONTAINER }, (container) => {
    const { runAsUser: _user, runAsGroup: _group, ...rest } = container.securityContext!;
    return { ...container, securityContext: rest };
  });
}
