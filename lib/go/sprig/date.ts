/** Sprig's dates: Go's times and durations, with the clock and the local zone of the host. */

import {
  addDuration,
  formatDuration,
  formatTime,
  fromNanoseconds,
  GoTime,
  inZone,
  loadLocation,
  localZone,
  type Location,
  parseDuration,
  parseTime,
  roundDuration,
  subtractTimes,
  TIME,
  UTC,
  ZERO_TIME,
} from "../time.ts";
import { FunctionError, type FunctionMap, goFunction, Typed } from "../value.ts";
import type { SprigHost } from "./_host.ts";

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const HTML_DATE = "2006-01-02";
const TYPES = { "time.Time": TIME };

export function dateFunctions(host: Pick<SprigHost, "now" | "localZone">): FunctionMap {
  const local = localZone(host.localZone);
  const now = () => fromNanoseconds(host.now(), local);
  const since = (time: GoTime) => subtractTimes(now(), time);
  const inNamedZone = (layout: string, date: unknown, zone: string) => {
    const time = timeOf(date, DATE_INTEGERS, local) ?? now();
    return formatTime(inZone(time, zoneOrUtc(zone, local)), layout);
  };
  const dateInZone = goFunction("string, any, string", inNamedZone);
  const dateModify = goFunction(
    "string, time.Time",
    (text: string, date: GoTime) => value(addDuration(date, durationOr(text, 0n))),
    TYPES,
  );
  const mustDateModify = goFunction(
    "string, time.Time",
    (text: string, date: GoTime) => value(addDuration(date, parseDuration(text))),
    TYPES,
  );
  return {
    now: goFunction("", () => value(now())),
    ago: goFunction("any", (date: unknown) => {
      const time = timeOf(date, AGO_INTEGERS, local) ?? now();
      return formatDuration(roundDuration(since(time), SECOND));
    }),
    date: goFunction(
      "string, any",
      (layout: string, date: unknown) => inNamedZone(layout, date, "Local"),
    ),
    dateInZone,
    date_in_zone: dateInZone,
    htmlDate: goFunction("any", (date: unknown) => inNamedZone(HTML_DATE, date, "Local")),
    htmlDateInZone: goFunction(
      "any, string",
      (date: unknown, zone: string) => inNamedZone(HTML_DATE, date, zone),
    ),
    dateModify,
    date_modify: dateModify,
    mustDateModify,
    must_date_modify: mustDateModify,
    duration: goFunction("any", (seconds: unknown) => formatDuration(secondsOf(seconds))),
    durationRound: goFunction("any", (duration: unknown) => {
      if (typeof duration === "string") return roundToLargestUnit(durationOr(duration, 0n));
      if (!(duration instanceof Typed)) return "0s";
      if (duration.type === TIME) return roundToLargestUnit(since(duration.value as GoTime));
      return roundToLargestUnit(duration.type.name === "int64" ? duration.value as bigint : 0n);
    }),
    toDate: goFunction("string, string", (layout: string, text: string) => {
      try {
        return value(parseTime(layout, text, local));
      } catch (error) {
        if (error instanceof FunctionError) return value(ZERO_TIME);
        throw error;
      }
    }),
    mustToDate: goFunction(
      "string, string",
      (layout: string, text: string) => value(parseTime(layout, text, local)),
    ),
    unixEpoch: goFunction("time.Time", (date: GoTime) => String(date.seconds), TYPES),
  };
}

function value(time: GoTime): Typed {
  return new Typed(TIME, time);
}

/** Types that count as seconds since the epoch: sprig's switches differ a little. */
const DATE_INTEGERS: ReadonlySet<string> = new Set(["int", "int32", "int64"]);
const AGO_INTEGERS: ReadonlySet<string> = new Set(["int", "int64"]);

/** The time a value stands for; `undefined` for one that sprig takes as "now". */
function timeOf(
  date: unknown,
  integers: ReadonlySet<string>,
  local: Location,
): GoTime | undefined {
  if (!(date instanceof Typed)) return undefined;
  const { type } = date;
  if (type === TIME) return date.value as GoTime;
  if (integers.has(type.name)) return new GoTime(date.value as bigint, { location: local });
  // A pointer is followed by the date functions, and means nothing to `ago`.
  if (type.kind !== "ptr" || type.elem !== TIME || integers === AGO_INTEGERS) return undefined;
  if (date.value !== null) return date.value as GoTime;
  throw new FunctionError("runtime error: invalid memory address or nil pointer dereference");
}

function zoneOrUtc(name: string, local: Location): Location {
  try {
    return loadLocation(name, local);
  } catch (error) {
    if (error instanceof FunctionError) return UTC;
    throw error;
  }
}

function durationOr(text: string, otherwise: bigint): bigint {
  try {
    return parseDuration(text);
  } catch (error) {
    if (error instanceof FunctionError) return otherwise;
    throw error;
  }
}

/** A count of seconds as a duration, which wraps around; an `int` is no count to sprig. */
function secondsOf(seconds: unknown): bigint {
  let count = 0n;
  if (seconds instanceof Typed && seconds.type.name === "int64") count = seconds.value as bigint;
  if (typeof seconds === "string") count = parseCount(seconds);
  return BigInt.asIntN(64, count * SECOND);
}

const MAX_INT64 = (1n << 63n) - 1n;
const MIN_INT64 = -(1n << 63n);

/** What `strconv.ParseInt` returns beside its error: 0, or the nearest number that fits. */
function parseCount(text: string): bigint {
  const match = /^([+-]?)(?:0*([1-9][0-9]*)|0+)$/.exec(text);
  if (!match) return 0n;
  const [, sign, digits = "0"] = match;
  const size = digits.length > 19 ? MAX_INT64 + 1n : BigInt(digits);
  const count = sign === "-" ? -size : size;
  return count > MAX_INT64 ? MAX_INT64 : count < MIN_INT64 ? MIN_INT64 : count;
}

const DAY = 24n * HOUR;
const UNITS: readonly (readonly [size: bigint, name: string])[] = [
  [365n * DAY, "y"],
  [30n * DAY, "mo"],
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "m"],
  [SECOND, "s"],
];

/** `61s` is `1m`; a unit counts only once there is more than one of it, so `1h` is `60m`. */
function roundToLargestUnit(duration: bigint): string {
  const size = duration < 0n ? -duration : duration;
  for (const [unit, name] of UNITS) if (size > unit) return `${size / unit}${name}`;
  return "0s";
}
