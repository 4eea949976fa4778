/** Validates durations in Istio's config. */
import { parseDuration } from "../go/time.ts";

const MILLISECOND = 1_000_000n;

/** Checks a duration in canonical JSON; an absent one is zero. */
export function checkDuration(duration: unknown): string | undefined {
  const ns = typeof duration === "string" ? parseDuration(duration) : 0n;
  if (ns < MILLISECOND) return "duration must be greater than 1ms";
  return ns % MILLISECOND === 0n ? undefined : "only durations to ms precision are supported";
}
