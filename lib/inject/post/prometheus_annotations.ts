/**
 * Reads Prometheus annotations, whose keys have several spellings: Prometheus replaces every character
 * except letters, digits and underscores by an underscore, so `prometheus.io/port` and `prometheus_io_port`
 * are the same key.
 */
import type { Behaviours } from "../compat.ts";
import { lookup, type StringMap } from "../pod.ts";

export const SCRAPE = "prometheus_io_scrape";
export const SCRAPE_TARGETS = "prometheus_istio_io_scrape_targets";

export function sanitize(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/gu, "_");
}

/** The prefix of all keys in every spelling, since letters do not change. */
const START = "prometheus";

/** Returns the values of every spelling of a key, in annotation order. */
export function spelledValues(annotations: StringMap, key: string): string[] {
  return Object.keys(annotations)
    .filter((name) => name.startsWith(START) && sanitize(name) === key)
    .map((name) => annotations[name]);
}

/** Returns the value of a key. Of several spellings the last wins, in versions where Istio accepts any. */
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

/** Returns the annotations without any spelling of these keys. */
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
