/**
 * Limits what one review may use: the size of the pod's parts that injection reads, and a budget of work
 * that all stages share. A pod beyond a limit is denied with a message that names the part, its size and
 * the limit.
 *
 * Most limits equal those of Kubernetes' validation, which runs after the webhooks and would deny the pod
 * anyway. The others are as high as a review of 250 ms and 100 MB allows. `deno task bench:hostile`
 * measures the costs in a process that has not yet compiled its code.
 */
import { Budget, BudgetError } from "../data/budget.ts";
import { byteLength } from "../data/bytes.ts";
import { quote } from "../go/strconv.ts";
import { InjectionError } from "./errors.ts";
import { OVERRIDES, PROXY_CONFIG, TEMPLATES } from "./names.ts";
import { type Container, containersOf, lookup, type Pod } from "./pod.ts";

/** Units of work for one review. A unit is a microsecond or less, so a review has a tenth of a second. */
export const REVIEW_UNITS = 100_000;

/**
 * Units of work after which a review is no ordinary one: an ordinary pod takes less than 8,000, one of 100 containers
 * with 100 variables each less than 15,000. The server stops such a review and starts it again when no ordinary one waits.
 */
export const ORDINARY_UNITS = 25_000;

/**
 * Milliseconds per review: half of the API server's default webhook timeout, so that the answer arrives. It
 * is much longer than the units take, so that no pod is denied because a node is busy.
 */
const REVIEW_MS = 5_000;

/** Bytes of all annotations, keys and values: TotalAnnotationSizeLimitB of Kubernetes' validation. */
export const MAX_ANNOTATION_BYTES = 256 * 1024;

/**
 * Templates that a pod asks for by annotation. Istio's default config has 7, and a custom one rarely twice as many; each
 * template takes up to 4 ms.
 */
export const MAX_TEMPLATES = 16;

/**
 * Containers and init containers. A node runs 110 pods by default, so one pod with this many equals several
 * nodes; each takes about 100 microseconds over all stages.
 */
export const MAX_CONTAINERS = 500;

/** Ports of all containers. Templates print each as JSON, which takes about 60 microseconds. */
export const MAX_PORTS = 1_024;

/** Containers in the overrides annotation. Templates inject a handful. */
export const MAX_OVERRIDES = 128;

/** Units for rendering and merging a template, apart from what depends on the pod. */
const TEMPLATE_UNITS = 2_000;

/** Units per character of an Istio annotation: a list of ports in it is parsed twice and printed. */
const ANNOTATION_UNITS = 0.3;

/** Units for a character of the proxy config: "1h1h1h…" is a duration, and each of its parts is read and added. */
const CONFIG_UNITS = 0.5;

/** Throws an InjectionError for a pod with more of something than a review has time for. */
export function checkSize(pod: Pod): void {
  const { annotations = {} } = pod.metadata;
  let bytes = 0;
  for (const name of Object.keys(annotations)) {
    bytes += byteLength(name) + byteLength(annotations[name]);
  }
  limit("the pod's annotations", [bytes, "bytes"], MAX_ANNOTATION_BYTES);
  const templates = lookup(annotations, TEMPLATES);
  if (templates !== undefined) {
    const count = templates.split(",").length;
    limit(`annotation ${quote(TEMPLATES)}`, [count, "templates"], MAX_TEMPLATES);
  }
  const containers = [...containersOf(pod, "containers"), ...containersOf(pod, "initContainers")];
  limit("the pod", [containers.length, "containers"], MAX_CONTAINERS);
  const ports = containers.reduce((sum, { ports }) => sum + (ports?.length ?? 0), 0);
  limit("the pod", [ports, "container ports"], MAX_PORTS);
}

/** Checks the containers in the overrides annotation against their limit. */
export function checkOverrides(
  overrides: Readonly<Record<"containers" | "initContainers", readonly Container[]>>,
): void {
  const count = overrides.containers.length + overrides.initContainers.length;
  limit(`annotation ${quote(OVERRIDES)}`, [count, "containers"], MAX_OVERRIDES);
}

function limit(whose: string, [count, what]: [number, string], most: number): void {
  if (count <= most) return;
  const verb = whose.endsWith("s") ? "have" : "has";
  throw new InjectionError("too_large", `${whose} ${verb} ${count} ${what}: the limit is ${most}`);
}

/** Returns a budget for one injection, with no time limit if the caller has no clock. */
export function reviewBudget(now?: () => number, units = REVIEW_UNITS): Budget {
  return new Budget({
    units,
    ...(now ? { now, deadline: now() + REVIEW_MS } : {}),
  });
}

/** Runs an injection. If its budget runs out, denies the pod with a message that names its largest part. */
export function withinBudget<T>(pod: Pod, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    const { path, count } = largestPart(pod);
    const message = error.code === "too_slow"
      ? `cannot inject the pod in time: ${error.message}`
      : `the pod is too large to inject: ${error.message}; ${path} has ${count} items`;
    throw new InjectionError(error.code, message, { cause: error });
  }
}

/** Exceeds the number of fields on the way to a pod's deepest field. */
const MAX_PATH = 30;

/** Returns the list or map with the most items. */
function largestPart(pod: Pod): { path: string; count: number } {
  let largest = { path: "the pod", count: 0 };
  const visit = (value: unknown, path: string, depth = 0): void => {
    if (typeof value !== "object" || value === null || depth > MAX_PATH) return;
    const isList = Array.isArray(value);
    const keys = Object.keys(value);
    if (keys.length > largest.count) largest = { path, count: keys.length };
    for (const key of keys) {
      const at = isList ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      visit((value as Record<string, unknown>)[key], at, depth + 1);
    }
  };
  visit({ metadata: pod.metadata, spec: pod.spec }, "");
  return largest;
}

/** Charges the budget for reading a pod's annotations. */
export function spendOnAnnotations({ metadata: { annotations = {} } }: Pod, budget: Budget): void {
  for (const name of Object.keys(annotations)) {
    if (!name.includes("istio.io/")) continue;
    const text = annotations[name];
    // Parsed as YAML, and again if an error message needs a position.
    const units = name === PROXY_CONFIG
      ? 2 * yamlUnits(text) + text.length * CONFIG_UNITS
      : text.length * ANNOTATION_UNITS;
    budget.spend(units, `reading annotation ${quote(name)}`);
  }
}

/** Charges the budget for a template before it prints anything. */
export function spendOnTemplate(name: string, budget: Budget): void {
  budget.spend(TEMPLATE_UNITS, `template ${quote(name)}`);
}

/** Charges the budget for parsing a rendered text, by the number of its nodes. */
export function spendOnOutput(name: string, text: string, budget: Budget): void {
  budget.spend(yamlUnits(text), `reading what template ${quote(name)} rendered`);
}

/**
 * Returns the units for parsing a YAML text and checking its structure, which parses it again. Long scalars
 * are cheap, so this counts the unquoted characters that may start or end a node.
 */
export function yamlUnits(text: string): number {
  let nodes = 0;
  let quoted = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === LINE_FEED) {
      quoted = 0;
      nodes++;
    } else if (quoted !== 0) {
      if (code === quoted) quoted = 0;
      else if (code === BACKSLASH && quoted === DOUBLE_QUOTE) i++;
    } else if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) quoted = code;
    else if (INDICATORS.has(code)) nodes++;
  }
  return nodes * YAML_NODE_UNITS + text.length * YAML_CHARACTER_UNITS;
}

const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const INDICATORS: ReadonlySet<number> = new Set(
  [...",:?[{&*\r\x85"].map((char) => char.charCodeAt(0)),
);

const YAML_NODE_UNITS = 4;
const YAML_CHARACTER_UNITS = 0.05;
