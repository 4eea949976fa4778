/**
 * Rewrites HTTP probes, the only kind old versions handled, to query the sidecar's agent. A variable tells
 * the agent which probes to forward to the application.
 */
import { compareStrings } from "../../data/bytes.ts";
import { atoi, NumberError } from "../../go/strconv.ts";
import { normalise } from "../../kube/normalise.ts";
import { parseGoBool } from "../_go_bool.ts";
import { orderedJson } from "../_ordered_json.ts";
import { PROBERS_VARIABLE, PROXY_CONTAINER, REWRITE_PROBERS, STATUS_PORT } from "../names.ts";
import { type Container, type EnvVar, lookup, type StringMap } from "../pod.ts";
import type { LegacyBehaviours } from "./compat.ts";
import { flagValue } from "./flags.ts";
import type { Injection } from "./injection.ts";

interface HttpGet {
  readonly port: number | string;
  readonly scheme?: string;
  readonly [field: string]: unknown;
}

interface Probe {
  readonly httpGet?: HttpGet;
  readonly timeoutSeconds?: number;
}

const PROBES = [
  ["readinessProbe", "readyz"],
  ["livenessProbe", "livez"],
  ["startupProbe", "startupz"],
] as const;

type ProbeField = typeof PROBES[number][0];

export type ProbeBehaviours = Pick<
  LegacyBehaviours,
  | "probes"
  | "probesByAnnotation"
  | "probesPlain"
  | "probesWhole"
  | "probesFirst"
  | "probesIfAny"
>;

/** Reports whether a pod's probes are rewritten. The pod's annotation overrides the template. */
export function rewritesProbes(
  annotations: StringMap | undefined,
  { injection, behaviours }: { injection: Injection; behaviours: ProbeBehaviours },
): boolean {
  const own = behaviours.probesByAnnotation
    ? parseGoBool(lookup(annotations, REWRITE_PROBERS) ?? "")
    : undefined;
  return behaviours.probes && (own ?? injection.rewriteAppHTTPProbe);
}

/**
 * Returns the agent's port: the sidecar's `--statusPort`, in later versions the pod's annotation or the
 * mesh's.
 */
export function agentPort(
  sidecar: Container,
  { annotations, statusPort, behaviours }: {
    annotations: StringMap | undefined;
    statusPort: number;
    behaviours: ProbeBehaviours;
  },
): number | undefined {
  if (!behaviours.probesWhole) {
    const port = flagValue(sidecar, "statusPort");
    return port === -1 ? undefined : port;
  }
  const text = lookup(annotations, STATUS_PORT);
  if (text === undefined) return statusPort;
  try {
    return Number(atoi(text));
  } catch (error) {
    if (error instanceof NumberError) return Number(error.value);
    throw error;
  }
}

/** Returns the variable that passes probes to the agent, or `undefined` if there are none. */
export function probersVariable(
  containers: readonly Container[],
  behaviours: ProbeBehaviours,
): EnvVar | undefined {
  const probers = new Map<string, unknown>();
  for (const container of containers) {
    for (const { path, probe } of probesOf(container, behaviours)) {
      const httpGet = resolved(probe.httpGet!, container);
      if (httpGet === undefined) continue;
      const { timeoutSeconds } = probe;
      const timeout = timeoutSeconds ? { timeoutSeconds } : {};
      probers.set(path, behaviours.probesWhole ? { httpGet, ...timeout } : httpGet);
    }
  }
  if (probers.size === 0 && behaviours.probesIfAny) return undefined;
  // Go sorts map keys when it encodes them.
  const sorted = [...probers].sort(([a], [b]) => compareStrings(a, b));
  return { name: PROBERS_VARIABLE, value: orderedJson(Object.fromEntries(sorted)) };
}

/** Yields a container's HTTP probes, except the sidecar's own. */
function* probesOf(
  container: Container,
  { probesFirst }: ProbeBehaviours,
): Generator<{ field: ProbeField; path: string; probe: Probe }> {
  if (container.name === PROXY_CONTAINER) return;
  for (const [field, end] of PROBES) {
    const probe = container[field] as Probe | undefined;
    if (!probe?.httpGet || (field === "startupProbe" && !probesFirst)) continue;
    yield { field, path: `/app-health/${container.name}/${end}`, probe };
  }
}

/** Resolves a named port to its number; returns `undefined` if no port has that name. */
function resolved(httpGet: HttpGet, { ports = [] }: Container): HttpGet | undefined {
  if (typeof httpGet.port === "number") return httpGet;
  const port = ports.findLast(({ name }) => name && name === httpGet.port);
  return port && { ...httpGet, port: port.containerPort };
}

/** Returns a container's rewritten probes by field. */
export function rewrittenProbes(
  container: Container,
  { port, behaviours }: { port: number; behaviours: ProbeBehaviours },
): [field: ProbeField, probe: Readonly<Record<string, unknown>>][] {
  return [...probesOf(container, behaviours)].map(({ field, path, probe }) => {
    const { scheme } = probe.httpGet!;
    const plain = scheme === "HTTPS" && behaviours.probesPlain ? { scheme: "HTTP" } : {};
    const httpGet = normalise("HTTPGetAction", { ...probe.httpGet, path, port, ...plain });
    return [field, { ...probe, httpGet }];
  });
}
