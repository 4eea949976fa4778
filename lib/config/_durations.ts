/** Istio's check of a duration in its config. */
import { parseDuration } from "../go/time.ts";

const MILLISECOND = 1_000_000n;

/** Of a duration as canonical JSON has it; absent is zero. */
export function checkDuration(duration: unknown): string | undefined {
  const ns = typeof duration === "string" ? parseDuration(duration) : 0n;
  if (ns < MILLISECOND) return "duration must be greater than 1ms";
  return ns % MILLISECOND === 0n ? undefined : "only durations to ms precision are supported";
}
