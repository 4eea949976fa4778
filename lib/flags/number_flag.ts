/** Flags whose values are integers in a range. */

import { flagMisuse, type FlagPlace } from "./flag.ts";

/** Returns the value; throws a UsageError if it is not a port number. */
export function portFlag(place: FlagPlace, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= 65535) return value;
  throw flagMisuse(place, { wanted: "a port from 0 to 65535", text: String(value) });
}

/** Returns the value; throws a UsageError unless it is an integer of at least `least`. */
export function atLeastFlag(least: number, place: FlagPlace, value: number): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw flagMisuse(place, { wanted: `an integer of at least ${least}`, text: String(value) });
}
