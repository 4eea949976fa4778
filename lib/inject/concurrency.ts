/** Estimates a sidecar's worker threads, which templates of Istio 1.11 to 1.17 see. */
import type { ProxyConfig } from "../config/mod.ts";
import { parseQuantity, QuantityError, quantityValue } from "../data/quantity.ts";
import { lookup, type StringMap } from "./pod.ts";

const DEFAULT = 2;

export interface ConcurrencyOptions {
  readonly annotations: StringMap | undefined;
  /** The values as templates see them. */
  readonly values: unknown;
}

/**
 * Returns the proxy config's concurrency. If it is zero, returns the sidecar's CPU limit or request in
 * cores, taken from annotations or else from values.
 */
export function estimateConcurrency(
  { concurrency }: ProxyConfig,
  { annotations, values }: ConcurrencyOptions,
): number {
  if (typeof concurrency !== "number") return DEFAULT;
  if (concurrency > 0) return concurrency;
  // An annotation that is not a quantity still overrides the values.
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

/** Returns a CPU quantity in cores, rounded up. */
function coresOf(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return Number(quantityValue(parseQuantity(text)));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
