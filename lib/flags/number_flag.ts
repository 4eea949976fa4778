/** Flags that are whole numbers of some range. */

import { flagMisuse, type FlagPlace } from "./flag.ts";

/** Throws a UsageError for a number that is no port. */
export function portFlag(place: FlagPlace, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= 65535) return value;
  throw flagMisuse(place, { wanted: "a port from 0 to 65535", text: String(value) });
}

/** Throws a UsageError for a number below `least`, and for one that is not whole. */
export function atLeastFlag(least: number, place: FlagPlace, value: number): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw flagMisuse(place, { wanted: `a whole number from ${least} on`, text: String(value) });
}
