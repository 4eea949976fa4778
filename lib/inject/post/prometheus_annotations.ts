/**
 * Prometheus annotations, whose keys come in many spellings: Prometheus itself turns every character
 * that is no letter, digit or underscore into an underscore, and so `prometheus.io/port` and
 * `prometheus_io_port` are one.
 */
import type { Behaviours } from "../compat.ts";
import { lookup, type StringMap } from "../pod.ts";

export const SCRAPE = "prometheus_io_scrape";
export const SCRAPE_TARGETS = "prometheus_istio_io_scrape_targets";

export function sanitize(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/gu, "_");
}

/** What all keys here begin with, in every spelling: letters stay as they are. */
const START = "prometheus";

/** Values of every spelling of a key, in the order of the annotations. */
export function spelledValues(annotations: StringMap, key: string): string[] {
  return Object.keys(annotations)
    .filter((name) => name.startsWith(START) && sanitize(name) === key)
    .map((name) => annotations[name]);
}

/** The value of a key as it is spelled everywhere; of several spellings the last, where Istio takes any. */
export function prometheusValue(
  annotations: StringMap,
  name: string,
  { prometheusHonoursScrape }: Pick<Behaviours, "prometheusHonoursScrape">,
): string | undefined {
  if (!prometheusHonoursScrape) return lookup(annotations, name);
  return spelledValues(annotations, sanitize(name)).at(-1);
}

const NAMES = ["prometheus.io/scrape", "prometheus.io/port", "prometheus.io/path"];
const KEYS: ReadonlySet<string> = new Set(NAMES.map(sanitize));

/** The annotations without any spelling of these keys. */
export function clearPrometheusAnnotations(
  annotations: StringMap,
  behaviours: Pick<Behaviours, "prometheusTargets" | "prometheusHonoursScrape">,
): StringMap {
  const goes = (name: string) => {
    if (!behaviours.prometheusHonoursScrape) return NAMES.includes(name);
    if (!name.startsWith(START)) return false;
    const key = sanitize(name);
    return KEYS.has(key) || (behaviours.prometheusTargets && key === SCRAPE_TARGETS);
  };
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !goes(name)));
}
