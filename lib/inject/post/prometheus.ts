/**
 * Merges metrics: points Prometheus at the sidecar's agent, which scrapes the application. A variable tells
 * the agent where.
 */
import { quote } from "../../go/strconv.ts";
import { trimSpace } from "../../go/strings.ts";
import type { Behaviours } from "../compat.ts";
import { InjectionError } from "../errors.ts";
import { orderedJson } from "../_ordered_json.ts";
import {
  MERGE_METRICS,
  PROMETHEUS_VARIABLE,
  PROXY_CONTAINER,
  SECURE_METRICS_VARIABLE,
  SECURE_PORT,
} from "../names.ts";
import { findSidecar, lookup, type Pod, type StringMap, withContainer, withMeta } from "../pod.ts";
import { parseGoBool } from "../_go_bool.ts";
import {
  clearPrometheusAnnotations,
  prometheusValue,
  sanitize,
  SCRAPE,
  SCRAPE_TARGETS,
  spelledValues,
} from "./prometheus_annotations.ts";

/** Ports the sidecar reserves, and their uses. */
const RESERVED_PORTS: ReadonlyMap<number, string> = new Map([
  [15000, "Envoy admin"],
  [15001, "outbound traffic capture"],
  [15004, "pilot debug"],
  [15006, "inbound traffic capture"],
  [15008, "HBONE tunnel"],
  [15020, "pilot-agent status / merged Prometheus"],
  [15021, "Envoy health"],
  [15053, "DNS proxy"],
  [15090, "Envoy Prometheus (already merged)"],
]);

interface Target {
  readonly port: string;
  readonly path: string;
}

export interface PrometheusOptions {
  /** The mesh's setting. */
  readonly enabled: boolean;
  readonly statusPort: number;
  readonly behaviours: Behaviours;
  readonly warn: (message: string) => void;
}

export function mergePrometheus(pod: Pod, options: PrometheusOptions): Pod {
  const { statusPort, behaviours } = options;
  const annotations = pod.metadata.annotations ?? {};
  if (!isWanted(annotations, options)) return pod;
  const target = String(statusPort);
  const value = (name: string) => prometheusValue(annotations, name, behaviours);
  if (value("prometheus.io/port") === target) return pod;

  const targets = behaviours.prometheusTargets ? scrapeTargets(annotations, options.warn) : [];
  const scrape = value("prometheus.io/scrape") ?? "";
  const path = targets[0]?.path ?? value("prometheus.io/path") ?? "";
  const port = targets[0]?.port ?? value("prometheus.io/port") ?? "";
  if (behaviours.prometheusTargets) {
    for (const { port } of targets) {
      check(port, statusPort, {
        prefix: "invalid prometheus scrape targets: ",
        what: "target port",
      });
    }
    if (targets.length === 0 && port !== "") {
      check(port, statusPort, {
        prefix: "invalid prometheus scrape configuration: ",
        what: "port",
      });
    }
  }
  const sidecar = findSidecar(pod, PROXY_CONTAINER);
  if (sidecar && (scrape || path || port || targets.length > 0)) {
    const config = { scrape, path, port, ...(targets.length > 0 ? { targets } : {}) };
    pod = withContainer(pod, { list: sidecar.list, name: PROXY_CONTAINER }, (container) => ({
      ...container,
      env: [...container.env ?? [], { name: PROMETHEUS_VARIABLE, value: orderedJson(config) }],
    }));
  }
  return withMeta(pod, {
    annotations: {
      ...clearPrometheusAnnotations(annotations, behaviours),
      "prometheus.io/port": target,
      "prometheus.io/path": "/stats/prometheus",
      "prometheus.io/scrape": "true",
    },
  });
}

function isWanted(annotations: StringMap, options: PrometheusOptions): boolean {
  if (options.behaviours.prometheusHonoursScrape) {
    for (const value of spelledValues(annotations, SCRAPE)) {
      const scrape = parseGoBool(value);
      if (scrape !== undefined) {
        if (!scrape) return false;
        break;
      }
    }
  }
  const merge = parseGoBool(lookup(annotations, MERGE_METRICS) ?? "");
  return merge ?? options.enabled;
}

/**
 * Parses the `port[:path]` entries of the scrape-targets annotation. An entry without a port invalidates
 * all.
 */
function scrapeTargets(annotations: StringMap, warn: (message: string) => void): Target[] {
  const text = spelledValues(annotations, SCRAPE_TARGETS).at(-1);
  if (text === undefined) return [];
  const targets: Target[] = [];
  for (const entry of text.split(",").map(trimSpace).filter(Boolean)) {
    const colon = entry.indexOf(":");
    const port = trimSpace(colon < 0 ? entry : entry.slice(0, colon));
    const path = colon < 0 ? "" : trimSpace(entry.slice(colon + 1));
    if (port === "") {
      warn(
        "failed to parse prometheus.istio.io/scrape-targets annotation: " +
          `empty port in scrape target ${JSON.stringify(entry)}`,
      );
      return [];
    }
    targets.push({ port, path: path || "/metrics" });
  }
  return targets;
}

function check(
  port: string,
  statusPort: number,
  { prefix, what }: { prefix: string; what: string },
): void {
  const number = /^[+-]?\d+$/.test(port) ? Number(port) : NaN;
  const fail = (text: string) => {
    throw new InjectionError("prometheus", prefix + text);
  };
  if (!(number >= 1 && number <= 65535)) fail(`invalid ${what} ${quote(port)}`);
  if (number === statusPort) fail(`${what} ${port} conflicts with agent port`);
  const use = RESERVED_PORTS.get(number);
  if (use) fail(`${what} ${port} is reserved for Istio (${use}) and cannot be scraped`);
}

/** Points Prometheus at the sidecar's secure port, if it has one. */
export function annotateSecurePort(pod: Pod): Pod {
  const annotations = pod.metadata.annotations ?? {};
  const port = findSidecar(pod, PROXY_CONTAINER)?.container.env?.find(({ name, value }) =>
    name === SECURE_METRICS_VARIABLE && value !== undefined && value !== "" && value !== "0"
  )?.value;
  if (port === undefined) return pod;
  if (spelledValues(annotations, sanitize(SECURE_PORT)).length > 0) return pod;
  return withMeta(pod, { annotations: { ...annotations, [SECURE_PORT]: port } });
}
