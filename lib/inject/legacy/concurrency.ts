/** Sets the sidecar's worker threads, unless its arguments do, to its CPU rounded up. */
import { parseQuantity, QuantityError, quantityValue } from "../../data/quantity.ts";
import { PROXY_CONTAINER } from "../names.ts";
import type { Container } from "../pod.ts";
import { flagValue } from "./flags.ts";

/** Returns the containers with `--concurrency` added to the sidecar. */
export function withConcurrency(containers: readonly Container[]): readonly Container[] {
  const index = containers.findIndex(({ name }) => name === PROXY_CONTAINER);
  if (index < 0) return containers;
  const sidecar = containers[index];
  if ((flagValue(sidecar, "concurrency") ?? 0) > 0) return containers;
  const { limits, requests } = (sidecar.resources ?? {}) as Readonly<Record<string, unknown>>;
  const cores = coresOf(limits) || coresOf(requests);
  if (cores <= 0) return containers;
  const args = [...sidecar.args ?? [], "--concurrency", String(cores)];
  return containers.with(index, { ...sidecar, args });
}

function coresOf(resources: unknown): number {
  const { cpu } = (resources ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof cpu !== "string") return 0;
  try {
    return Math.max(0, Number(quantityValue(parseQuantity(cpu))));
  } catch (error) {
    if (error instanceof QuantityError) return 0;
    throw error;
  }
}
