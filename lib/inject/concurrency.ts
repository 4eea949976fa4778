/** A sidecar's worker threads as templates of Istio 1.11 to 1.17 are told them. */
import type { ProxyConfig } from "../config/mod.ts";
import { parseQuantity, QuantityError, quantityValue } from "../data/quantity.ts";
import { lookup, type StringMap } from "./pod.ts";

const DEFAULT = 2;

export interface ConcurrencyOptions {
  readonly annotations: StringMap | undefined;
  /** Values as templates see them. */
  readonly values: unknown;
}

/**
 * The proxy config's own number. Zero stands for as many as the sidecar's CPU has room for: its limit
 * or request, by annotation, else by values.
 */
export function estimateConcurrency(
  { concurrency }: ProxyConfig,
  { annotations, values }: ConcurrencyOptions,
): number {
  if (typeof concurrency !== "number") return DEFAULT;
  if (concurrency > 0) return concurrency;
  // An annotation that is no quantity still keeps values from being asked.
  const annotated = lookup(annotations, "sidecar.istio.io/proxyCPULimit") ??
    lookup(annotations, "sidecar.istio.io/proxyCPU");
  if (annotated !== undefined) return coresOf(annotated) ?? DEFAULT;
  const cpu = (of: string) => coresOf(at(values, "global", "proxy", "resources", of, "cpu"));
  return cpu("limits") ?? cpu("requests") ?? DEFAULT;
}

function at(value: unknown, ...path: string[]): unknown {
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Whole cores, started ones counted. */
function coresOf(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return Number(quantityValue(parseQuantity(text)));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
