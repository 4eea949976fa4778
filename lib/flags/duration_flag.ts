/** Flags whose values are Go durations. */

import { parseDuration } from "../go/time.ts";
import { flagMisuse, type FlagPlace } from "./flag.ts";

/** Parses a duration into milliseconds; throws a UsageError if it is malformed or negative. */
export function durationFlag(place: FlagPlace, text: string): number {
  let nanoseconds: bigint;
  try {
    nanoseconds = parseDuration(text);
  } catch (cause) {
    throw flagMisuse(place, { wanted: "a duration such as 20s or 1m30s", text, cause });
  }
  if (nanoseconds < 0n) throw flagMisuse(place, { wanted: "a duration of at least 0", text });
  return Number(nanoseconds / 1_000_000n);
}
