/** metav1.Time in JSON: RFC 3339 text in, the same instant in UTC and whole seconds out. */
import { formatTime, inZone, isZeroTime, parseTime, RFC3339, UTC } from "../go/time.ts";

/** Text that is canonical already. Days past the 28th and the year 1 need a calendar. */
const USUAL =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** Returns the canonical text, or null for Go's zero time, which is null in JSON. */
export function canonicalTime(text: string): string | null {
  if (USUAL.test(text)) return text;
  const time = parseTime(RFC3339, text, UTC);
  return isZeroTime(time) ? null : formatTime(inZone(time, UTC), RFC3339);
}
