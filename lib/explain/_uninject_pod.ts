/**
 * Removes from a pod what its own annotations say was injected: containers, volumes and pull
 * secrets listed in the status annotation. Restores the user's version of injected containers from
 * the overrides annotation, and probes and Prometheus annotations from the sidecar's variables.
 * Labels, annotations and fields set by a template need the config, and are left to `uninject.ts`.
 */
import { isMap } from "../data/map.ts";
import {
  type Container,
  type ContainerList,
  containersOf,
  findSidecar,
  InjectionError,
  lookup,
  OVERRIDES,
  type Overrides,
  parseOverrides,
  type Pod,
  PROBERS_VARIABLE,
  PROMETHEUS_VARIABLE,
  PROXY_CONTAINER,
  SECURE_METRICS_VARIABLE,
  SECURE_PORT,
  STATUS,
  STATUS_LISTS,
  type StringMap,
} from "../inject/mod.ts";
import { type Json, textsOf } from "./_json.ts";

export interface Stripped {
  readonly pod: Pod;
  /** What could not be restored exactly, one sentence each. */
  readonly notes: readonly string[];
  /** Whether its annotations are certain to be the user's. */
  readonly knowsAnnotations: boolean;
}

/** Returns `undefined` if the pod has no status annotation. */
export function stripPod(pod: Pod): Stripped | undefined {
  const names = statusOf(pod);
  if (names === undefined) return undefined;
  const notes: string[] = [];
  const sidecar = findSidecar(pod, PROXY_CONTAINER)?.container;
  const probers = probersOf(sidecar, notes);
  const overrides = overridesOf(pod, notes);
  // A sidecar made native by the template was among the containers before.
  const moved = overrides.initContainers.filter(({ name, restartPolicy }) =>
    name === PROXY_CONTAINER && restartPolicy === undefined
  );
  const owned = {
    containers: [...overrides.containers, ...moved],
    initContainers: overrides.initContainers.filter((container) => !moved.includes(container)),
  };
  const list = (name: ContainerList) => {
    const kept = containersOf(pod, name)
      .filter((container) => !names[name].includes(container.name))
      .map((container) => restoreHandlers(container, probers, notes));
    const own = owned[name].map((container) => withImage(container, notes));
    if (own.length > 0) {
      notes.push(
        `${
          own.map((container) => container.name).join(", ")
        } comes last in ${name}: its original position ` +
          "is not recorded.",
      );
    }
    return [...kept, ...own];
  };
  const containers = list("containers");
  const initContainers = list("initContainers");
  const mounted = new Set(
    [...containers, ...initContainers].flatMap(({ volumeMounts }) =>
      Array.isArray(volumeMounts) ? volumeMounts.map((mount) => textsOf(mount).name) : []
    ),
  );
  // Keep volumes that the user's containers mount, even if the template uses the same name.
  const volumes = withoutLast(pod.spec.volumes ?? [], names.volumes, (name) => mounted.has(name));
  const secrets = withoutLast(pod.spec.imagePullSecrets ?? [], names.imagePullSecrets);
  const { initContainers: _, volumes: __, imagePullSecrets: ___, ...spec } = pod.spec;
  const { annotations: ____, ...metadata } = pod.metadata;
  const annotations = restoreAnnotations(pod.metadata.annotations ?? {}, sidecar, notes);
  return {
    notes,
    knowsAnnotations: toldAnnotations(pod.metadata.annotations ?? {}, sidecar) !== undefined,
    pod: {
      ...pod,
      metadata: {
        ...metadata,
        ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      },
      spec: {
        ...spec,
        containers,
        ...(initContainers.length > 0 ? { initContainers } : {}),
        ...(volumes.length > 0 ? { volumes } : {}),
        ...(secrets.length > 0 ? { imagePullSecrets: secrets } : {}),
      },
    },
  };
}

function overridesOf(pod: Pod, notes: string[]): Overrides {
  try {
    return parseOverrides(pod);
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    notes.push(
      `The user's settings for injected containers are lost: annotation ${OVERRIDES} is not valid.`,
    );
    return { containers: [], initContainers: [] };
  }
}

/** Removes the last item of each name: if there are two, the user's is the first. */
function withoutLast<T extends { readonly name?: string }>(
  items: readonly T[],
  names: readonly string[],
  isKept: (name: string) => boolean = () => false,
): T[] {
  const last = names.map((name) => items.findLastIndex((item) => item.name === name));
  return items.filter((item, i) => {
    const isOnly = items.filter(({ name }) => name === item.name).length === 1;
    return !last.includes(i) || (isOnly && isKept(item.name ?? ""));
  });
}

type Names = Readonly<Record<(typeof STATUS_LISTS)[number], readonly string[]>>;

function statusOf(pod: Pod): Names | undefined {
  const text = lookup(pod.metadata.annotations, STATUS);
  const status = text === undefined ? undefined : readJson(text);
  if (!isMap(status)) return undefined;
  return Object.fromEntries(STATUS_LISTS.map((list) => {
    const names = status[list];
    return [list, Array.isArray(names) ? names.filter((name) => typeof name === "string") : []];
  })) as unknown as Names;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Restores the image that overrides omit if it was the template's. */
function withImage(container: Container, notes: string[]): Container {
  if (container.image !== undefined) return container;
  notes.push(
    `Container ${container.name} gets the image "auto", which the original may have omitted.`,
  );
  return { ...container, image: "auto" };
}

function variable(container: Container | undefined, name: string): string | undefined {
  return container?.env?.find((variable) => variable.name === name)?.value;
}

/** Returns the application's original handlers, by the sidecar's path for each. */
function probersOf(sidecar: Container | undefined, notes: string[]): Json {
  const text = variable(sidecar, PROBERS_VARIABLE);
  if (text === undefined) return {};
  const probers = readJson(text);
  if (isMap(probers)) return probers;
  notes.push(`Probes are not restored: ${PROBERS_VARIABLE} of the sidecar is not valid.`);
  return {};
}

const PROBES = [
  ["readinessProbe", "readyz"],
  ["livenessProbe", "livez"],
  ["startupProbe", "startupz"],
] as const;
const HOOKS = [["preStop", "prestopz"], ["postStart", "poststartz"]] as const;

function restoreHandlers(container: Container, probers: Json, notes: string[]): Container {
  const restored = (handler: unknown, path: string): unknown => {
    if (!isMap(handler) || !isMap(handler.httpGet) || handler.httpGet.path !== path) {
      return handler;
    }
    const { httpGet: _, ...rest } = handler;
    if (!Object.hasOwn(probers, path) || !isMap(probers[path])) {
      notes.push(`A probe of container ${container.name} is lost: the sidecar does not have it.`);
      return handler;
    }
    const { timeoutSeconds: __, ...prober } = probers[path];
    const isWrapped = ["httpGet", "tcpSocket", "grpc"].some((kind) => Object.hasOwn(prober, kind));
    const original = isWrapped ? prober : { httpGet: probers[path] };
    return { ...rest, ...withPortName(original, container, notes) };
  };
  const changed: Record<string, unknown> = {};
  for (const [field, end] of PROBES) {
    if (container[field] === undefined) continue;
    changed[field] = restored(container[field], `/app-health/${container.name}/${end}`);
  }
  if (isMap(container.lifecycle)) {
    const hooks = HOOKS.filter(([field]) => isMap((container.lifecycle as Json)[field]))
      .map(([field, end]) => [
        field,
        restored((container.lifecycle as Json)[field], `/app-lifecycle/${container.name}/${end}`),
      ]);
    changed.lifecycle = { ...container.lifecycle, ...Object.fromEntries(hooks) };
  }
  return Object.keys(changed).length > 0 ? { ...container, ...changed } : container;
}

/**
 * Restores a port's name in a handler. The sidecar only gets the number, but users who name a port
 * usually refer to the name.
 */
function withPortName(handler: Json, { name, ports = [] }: Container, notes: string[]): Json {
  const [kind, action] = Object.entries(handler).find(([, value]) => isMap(value)) ?? [];
  if (kind === undefined || kind === "grpc" || !isMap(action)) return handler;
  const named = ports.find((port) => port.name && port.containerPort === action.port);
  if (named === undefined) return handler;
  notes.push(
    `A probe of container ${name} gets port ${named.name}, which may have been ${action.port}.`,
  );
  return { ...handler, [kind]: { ...action, port: named.name } };
}

const ANNOTATIONS_VARIABLE = "ISTIO_METAJSON_ANNOTATIONS";
const PROMETHEUS = ["prometheus.io/scrape", "prometheus.io/path", "prometheus.io/port"];

/** Returns the pod's original annotations, which old templates pass to the sidecar. */
function toldAnnotations(
  annotations: StringMap,
  sidecar: Container | undefined,
): StringMap | undefined {
  const told = readJson(variable(sidecar, ANNOTATIONS_VARIABLE) ?? "");
  if (!isMap(told)) return undefined;
  return Object.keys(told).every((key) => Object.hasOwn(annotations, key))
    ? textsOf(told)
    : undefined;
}

function restoreAnnotations(
  annotations: StringMap,
  sidecar: Container | undefined,
  notes: string[],
): StringMap {
  const { [STATUS]: _, [OVERRIDES]: __, ...given } = annotations;
  const rest = toldAnnotations(annotations, sidecar) ?? given;
  const isMerged = lookup(rest, "prometheus.io/path") === "/stats/prometheus";
  const own = readJson(variable(sidecar, PROMETHEUS_VARIABLE) ?? "");
  const kept = Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => {
      if (isMerged && PROMETHEUS.includes(name)) return false;
      return name !== SECURE_PORT || value !== variable(sidecar, SECURE_METRICS_VARIABLE);
    }),
  );
  if (!isMerged || !isMap(own)) return kept;
  const { targets, ...told } = own;
  if (Array.isArray(targets)) {
    notes.push(
      "The scrape targets are one annotation again, which may have been spelled otherwise.",
    );
    const entries = targets.map((target) => textsOf(target))
      .map(({ port, path }) => path === "/metrics" ? port : `${port}:${path}`);
    kept["prometheus.istio.io/scrape-targets"] = entries.join(",");
  }
  for (const [key, value] of Object.entries(textsOf(told))) {
    // With several targets, path and port are those of the first one.
    if (value === "" || (Array.isArray(targets) && key !== "scrape")) continue;
    kept[`prometheus.io/${key}`] = value;
  }
  return kept;
}
