/**
 * Rewrites probes and lifecycle hooks to query the sidecar's agent, since the kubelet cannot reach the
 * application's ports. A variable tells the agent what to forward to the application.
 */
import { compareStrings } from "../../data/bytes.ts";
import { isMap } from "../../data/map.ts";
import { normalise } from "../../kube/normalise.ts";
import { parseGoBool } from "../_go_bool.ts";
import { orderedJson } from "../_ordered_json.ts";
import type { Behaviours } from "../compat.ts";
import {
  PROBERS_VARIABLE,
  PROXY_CONTAINER,
  REWRITE_PROBERS,
  STATUS,
  STATUS_PORT,
} from "../names.ts";
import {
  type Container,
  type ContainerList,
  containersOf,
  findSidecar,
  lookup,
  type Pod,
  withContainer,
  withSpec,
} from "../pod.ts";

interface Handler {
  readonly httpGet?: HttpGet;
  readonly tcpSocket?: { readonly port: number | string };
  readonly grpc?: object;
  readonly timeoutSeconds?: number;
  readonly [field: string]: unknown;
}

interface HttpGet {
  readonly path?: string;
  readonly port: number | string;
  readonly host?: string;
  readonly scheme?: string;
  readonly httpHeaders?: unknown;
}

/** A probe as passed to the agent, with keys in Go's order. */
type Prober = Pick<Handler, "httpGet" | "tcpSocket" | "grpc" | "timeoutSeconds">;

const PROBES = [
  ["readinessProbe", "readyz"],
  ["livenessProbe", "livez"],
  ["startupProbe", "startupz"],
] as const;
const HOOKS = [["preStop", "prestopz"], ["postStart", "poststartz"]] as const;

export interface ProbeOptions {
  /** The values' setting, used if the pod has none. */
  readonly rewrite: boolean;
  /** Whether TCP probes are rewritten too. */
  readonly tcp: boolean;
  readonly statusPort: number;
  readonly behaviours: Behaviours;
  readonly warn: (message: string) => void;
}

export function rewriteProbes(pod: Pod, options: ProbeOptions): Pod {
  const { annotations } = pod.metadata;
  const rewrite = parseGoBool(lookup(annotations, REWRITE_PROBERS) ?? "") ?? options.rewrite;
  const sidecar = findSidecar(pod, PROXY_CONTAINER);
  if (!rewrite || !sidecar) return pod;
  const probers = collectProbers(pod, options);
  if (Object.keys(probers).length > 0) {
    const merge = lookup(annotations, STATUS) !== undefined && options.behaviours.probesMerge;
    pod = withContainer(
      pod,
      { list: sidecar.list, name: PROXY_CONTAINER },
      (container) =>
        withProbers(container, probers, { merge, appends: options.behaviours.probesMergeAppends }),
    );
  }
  const port = agentPort(pod, options);
  const lists = options.behaviours.nativeSidecars
    ? (["containers", "initContainers"] as const)
    : (["containers"] as const);
  for (const list of lists) {
    if (!pod.spec[list]) continue;
    const containers = containersOf(pod, list).map((container) =>
      container.name === PROXY_CONTAINER ? container : rewriteContainer(container, port, options)
    );
    pod = withSpec(pod, { [list]: containers });
  }
  return pod;
}

/** Returns the agent's port: the pod's annotation, or else the mesh's. */
function agentPort(pod: Pod, { statusPort, warn }: ProbeOptions): number {
  const text = lookup(pod.metadata.annotations, STATUS_PORT);
  if (text === undefined) return statusPort;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  warn(
    `Invalid annotation ${STATUS_PORT}=${text}: strconv.Atoi: parsing ${
      JSON.stringify(text)
    }: invalid syntax`,
  );
  return 0;
}

/** Yields a container's probes and hooks with the path of each at the agent. */
function* handlersOf(
  container: Container,
  { behaviours }: ProbeOptions,
): Generator<{ handler: Handler; path: string; isProbe: boolean }> {
  for (const [field, end] of PROBES) {
    const handler = container[field] as Handler | undefined;
    if (handler) yield { handler, path: `/app-health/${container.name}/${end}`, isProbe: true };
  }
  const lifecycle = container.lifecycle as Record<string, Handler | undefined> | undefined;
  for (const [field, end] of behaviours.probesOfLifecycle ? HOOKS : []) {
    const handler = lifecycle?.[field];
    if (handler) yield { handler, path: `/app-lifecycle/${container.name}/${end}`, isProbe: false };
  }
}

function collectProbers(pod: Pod, options: ProbeOptions): Record<string, Prober> {
  const lists: ContainerList[] = options.behaviours.nativeSidecars
    ? ["initContainers", "containers"]
    : ["containers"];
  const found = new Map<string, Prober>();
  for (const container of lists.flatMap((list) => containersOf(pod, list))) {
    if (container.name === PROXY_CONTAINER) continue;
    const ports = new Map(
      (container.ports ?? []).flatMap(({ name, containerPort }) =>
        name ? [[name, containerPort] as const] : []
      ),
    );
    for (const { handler, path, isProbe } of handlersOf(container, options)) {
      const prober = proberOf(handler, { ports, isProbe, options });
      if (prober) found.set(path, prober);
    }
  }
  // Go sorts map keys when it encodes them.
  return Object.fromEntries([...found].sort(([a], [b]) => compareStrings(a, b)));
}

/** Returns what the agent does in place of a handler, or `undefined` if it cannot or already does. */
function proberOf(
  handler: Handler,
  { ports, isProbe, options }: {
    ports: ReadonlyMap<string, number>;
    isProbe: boolean;
    options: ProbeOptions;
  },
): Prober | undefined {
  const timeout = isProbe && handler.timeoutSeconds
    ? { timeoutSeconds: handler.timeoutSeconds }
    : {};
  const resolve = (port: number | string): number | undefined => {
    if (typeof port === "string") return ports.get(port);
    return port === options.statusPort ? undefined : port;
  };
  if (handler.httpGet) {
    const port = resolve(handler.httpGet.port);
    return port === undefined ? undefined : { httpGet: { ...handler.httpGet, port }, ...timeout };
  }
  if (handler.tcpSocket && rewritesTcp(options)) {
    const port = resolve(handler.tcpSocket.port);
    return port === undefined
      ? undefined
      : { tcpSocket: { ...handler.tcpSocket, port }, ...timeout };
  }
  if (!handler.grpc || !isProbe || !options.behaviours.probesGrpc) return undefined;
  return { grpc: handler.grpc, ...timeout };
}

function rewritesTcp({ tcp, behaviours }: ProbeOptions): boolean {
  return tcp && behaviours.probesTcp;
}

/** Sets the variable on the sidecar. Entries of an earlier injection win. */
function withProbers(
  container: Container,
  probers: Record<string, Prober>,
  { merge, appends }: { merge: boolean; appends: boolean },
): Container {
  const env = container.env ?? [];
  const appended = {
    ...container,
    env: [...env, { name: PROBERS_VARIABLE, value: orderedJson(probers) }],
  };
  if (!merge) return appended;
  const index = env.findIndex(({ name }) => name === PROBERS_VARIABLE);
  if (index < 0) return appends ? appended : container;
  const old = parseProbers(env[index].value ?? "");
  if (!old) return container;
  const merged = Object.entries({ ...probers, ...old }).sort(([a], [b]) => compareStrings(a, b));
  const value = orderedJson(Object.fromEntries(merged));
  return { ...container, env: env.with(index, { name: PROBERS_VARIABLE, value }) };
}

/** Parses the variable of an earlier injection; returns `undefined` if it is invalid. */
function parseProbers(text: string): Record<string, Prober | null> | undefined {
  try {
    const read: unknown = JSON.parse(text) ?? {};
    if (!isMap(read)) return undefined;
    const known = ["httpget", "tcpsocket", "grpc", "timeoutseconds"];
    const probers = Object.entries(read).map(([path, prober]) => {
      if (prober === null) return [path, null];
      // A prober is a probe with fewer fields.
      const fields = isMap(prober)
        ? Object.fromEntries(
          Object.entries(prober).filter(([key]) => known.includes(key.toLowerCase())),
        )
        : prober;
      return [path, normalise("Probe", fields)];
    });
    return Object.fromEntries(probers);
  } catch {
    return undefined;
  }
}

/** Rewrites all probes and hooks of a container to the agent, whether it knows them or not. */
function rewriteContainer(container: Container, port: number, options: ProbeOptions): Container {
  const changed: Record<string, unknown> = {};
  const lifecycle: Record<string, unknown> = {};
  for (const { handler, path, isProbe } of handlersOf(container, options)) {
    const rewritten = rewriteHandler(handler, { path, port, isProbe, options });
    if (!rewritten) continue;
    const field = [...PROBES, ...HOOKS].find(([, end]) => path.endsWith(`/${end}`))![0];
    (isProbe ? changed : lifecycle)[field] = rewritten;
  }
  if (Object.keys(lifecycle).length > 0) {
    changed.lifecycle = { ...container.lifecycle as object, ...lifecycle };
  }
  return Object.keys(changed).length > 0 ? { ...container, ...changed } : container;
}

function rewriteHandler(
  handler: Handler,
  { path, port, isProbe, options }: {
    path: string;
    port: number;
    isProbe: boolean;
    options: ProbeOptions;
  },
): Handler | undefined {
  const { httpGet, tcpSocket, grpc, ...rest } = handler;
  if (httpGet) {
    const { scheme } = httpGet;
    const plain = scheme === "HTTPS" ? { scheme: "HTTP" } : {};
    return { ...handler, httpGet: { ...httpGet, path, port, ...plain } };
  }
  if (tcpSocket && rewritesTcp(options)) {
    return { ...rest, ...(grpc ? { grpc } : {}), httpGet: { path, port } };
  }
  if (!grpc || !isProbe || !options.behaviours.probesGrpc) return undefined;
  return { ...rest, ...(tcpSocket ? { tcpSocket } : {}), httpGet: { path, port } };
}
