/**
 * Reapplies the user's settings of injected containers: merges them over the template's output, and stores
 * them in an annotation for later injections.
 */
import { normalise } from "../kube/normalise.ts";
import { strategicMerge } from "../patch/mod.ts";
import { orderedJson } from "./_ordered_json.ts";
import type { Behaviours } from "./compat.ts";
import { InjectionError } from "./errors.ts";
import {
  INIT_CONTAINER,
  INTERCEPTION_MODE,
  OVERRIDES,
  PROXY_CONTAINER,
  STATUS,
  VALIDATION_CONTAINER,
} from "./names.ts";
import { parseOverrides } from "./overrides.ts";
import {
  type Container,
  type ContainerList,
  containersOf,
  findContainer,
  findSidecar,
  lookup,
  type Pod,
  withContainer,
  withMeta,
} from "./pod.ts";
import { previousNames } from "./status.ts";

/** An image that stands for the template's image. */
const AUTO_IMAGE = "auto";

export interface ReapplyOptions {
  /** The pod as sent. */
  readonly original: Pod;
  /** The templates' part alone. */
  readonly template: Pod;
  readonly interceptionMode: string;
  readonly behaviours: Pick<Behaviours, "keepsPreviousStatus" | "adjustsProxyUser">;
  readonly warn: (message: string) => void;
}

export function reapplyContainers(pod: Pod, options: ReapplyOptions): Pod {
  const { original, template, behaviours } = options;
  const known = parseOverrides(original);
  const status = behaviours.keepsPreviousStatus ? previousNames(original) : undefined;
  const isInjected = lookup(original.metadata.annotations, STATUS) !== undefined;
  const found: Record<ContainerList, Container[]> = { containers: [], initContainers: [] };
  for (const list of ["containers", "initContainers"] as const) {
    const before = new Set(status?.[list]);
    const overridden = byName(known[list]);
    for (const { name } of containersOf(template, list)) {
      if (before.has(name)) continue;
      const own = overridden.get(name) ??
        (list === "containers"
          ? findContainer(original, list, name)
          : findSidecar(original, name)?.container);
      if (!own) continue;
      const { image, ...rest } = own;
      const container = image === AUTO_IMAGE ? rest as Container : own;
      found[list].push(container);
      pod = applyContainer(pod, container, list);
    }
  }
  if (!isInjected && found.containers.length + found.initContainers.length > 0) {
    const text = orderedJson({
      ...(found.containers.length > 0 ? { containers: found.containers } : {}),
      ...(found.initContainers.length > 0 ? { initContainers: found.initContainers } : {}),
    });
    pod = withMeta(pod, { annotations: { ...pod.metadata.annotations, [OVERRIDES]: text } });
  }
  return behaviours.adjustsProxyUser ? adjustUser(pod, options) : pod;
}

/** Returns the first container of each name. */
function byName(containers: readonly Container[]): ReadonlyMap<string, Container> {
  return new Map(containers.toReversed().map((container) => [container.name, container]));
}

function applyContainer(pod: Pod, container: Container, list: ContainerList): Pod {
  const what = list === "containers" ? "sidecar container" : "sidecar init container";
  try {
    // Every overlay has a list of containers, even if empty; the merge then groups containers of the same
    // name.
    const merged = strategicMerge(pod, { spec: { containers: [], [list]: [container] } }, "Pod");
    return normalise("Pod", merged, { known: pod }) as unknown as Pod;
  } catch (error) {
    const message = `failed to apply ${what}: strategic merge: ${(error as Error).message}`;
    throw new InjectionError("overlay", message, { cause: error });
  }
}

/**
 * Adjusts the redirection to the user the pod sets for the sidecar: that user's traffic must not be
 * redirected, and the same user must validate the redirection. In TPROXY mode it can only be root.
 */
function adjustUser(pod: Pod, { original, interceptionMode, warn }: ReapplyOptions): Pod {
  const own = findSidecar(original, PROXY_CONTAINER)?.container.securityContext;
  const { runAsUser, runAsGroup } = own ?? {};
  if (runAsUser === undefined && runAsGroup === undefined) return pod;
  const init = [INIT_CONTAINER, VALIDATION_CONTAINER].find((name) =>
    findContainer(pod, "initContainers", name)
  );
  if (init === undefined) {
    warn("Could not find either istio-init or istio-validation container");
    return pod;
  }
  const isTproxy = interceptionMode === "TPROXY" ||
    lookup(pod.metadata.annotations, INTERCEPTION_MODE) === "TPROXY";
  const sidecar = findSidecar(pod, PROXY_CONTAINER);
  if (isTproxy && runAsUser !== undefined && sidecar) {
    pod = withContainer(pod, { list: sidecar.list, name: PROXY_CONTAINER }, (container) => ({
      ...container,
      securityContext: { ...container.securityContext, runAsUser: 0 },
    }));
  }
  return withContainer(pod, { list: "initContainers", name: init }, (container) => {
    if (!isTproxy && init === VALIDATION_CONTAINER) {
      const ids = {
        ...(runAsUser === undefined ? {} : { runAsUser }),
        ...(runAsGroup === undefined ? {} : { runAsGroup }),
      };
      container = { ...container, securityContext: { ...container.securityContext, ...ids } };
    }
    const at = container.args?.indexOf("-u") ?? -1;
    // iptables accepts no owner 0, and "-u" may be the last argument.
    if (!runAsUser || at < 0 || at + 1 >= container.args!.length) return container;
    return { ...container, args: container.args!.with(at + 1, String(runAsUser)) };
  });
}
