/** Flags that are durations, as Go writes them. */

import { parseDuration } from "../go/time.ts";
import { flagMisuse, type FlagPlace } from "./flag.ts";

/** Returns milliseconds; throws a UsageError. */
export function durationFlag(place: FlagPlace, text: string): number {
  let nanoseconds: bigint;
  try {
    nanoseconds = parseDuration(text);
  } catch (cause) {
    throw flagMisuse(place, { wanted: "a duration, as in 20s or 1m30s", text, cause });
  }
  if (nanoseconds < 0n) throw flagMisuse(place, { wanted: "a duration from 0 on", text });
  return Number(nanoseconds / 1_000_000n);
}
