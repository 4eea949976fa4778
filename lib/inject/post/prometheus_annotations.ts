/**
 * Prometheus annotations, whose keys come in many spellings: Prometheus itself turns every character
 * that is no letter, digit or underscore into an underscore, and so `prometheus.io/port` and
 * `prometheus_io_port` are one.
 */
import type { Behaviours } from "../compat.ts";
import type { StringMap } from "../pod.ts";

export const SCRAPE = "prometheus_io_scrape";
export const PORT = "prometheus_io_port";
export const PATH = "prometheus_io_path";
export const SCRAPE_TARGETS = "prometheus_istio_io_scrape_targets";

export function sanitize(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/gu, "_");
}

/** Values of every spelling of a key, in the order of the annotations. */
export function spelledValues(annotations: StringMap, key: string): string[] {
  return Object.keys(annotations).filter((name) => sanitize(name) === key)
    .map((name) => annotations[name]);
}

/** The port that is scraped; of several spellings the last, where Istio takes any. */
export function prometheusPort(annotations: StringMap | undefined): string | undefined {
  return spelledValues(annotations ?? {}, PORT).at(-1);
}

const KEYS: ReadonlySet<string> = new Set([SCRAPE, PORT, PATH]);

/** The annotations without any spelling of these keys. */
export function clearPrometheusAnnotations(
  annotations: StringMap,
  { prometheusTargets }: Pick<Behaviours, "prometheusTargets">,
): StringMap {
  const goes = (key: string) => KEYS.has(key) || (prometheusTargets && key === SCRAPE_TARGETS);
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !goes(sanitize(name))));
}
