/** Sprig's date functions, with the clock and the local zone of the host. */

import {
  addDuration,
  formatDuration,
  formatTime,
  fromNanoseconds,
  GoTime,
  HOUR,
  inZone,
  loadLocation,
  localZone,
  type Location,
  MINUTE,
  parseDuration,
  parseTime,
  roundDuration,
  SECOND,
  subtractTimes,
  TIME,
  time as timeValue,
  UTC,
  ZERO_TIME,
} from "../time.ts";
import { ignoringError, parseInt } from "../strconv.ts";
import {
  FunctionError,
  type FunctionMap,
  goFunction,
  NIL_DEREFERENCE,
  recover,
  Typed,
} from "../value.ts";
import type { SprigHost } from "./_host.ts";

const HTML_DATE = "2006-01-02";
const TYPES = { "time.Time": TIME };

export function dateFunctions(host: Pick<SprigHost, "now" | "localZone">): FunctionMap {
  const local = localZone(host.localZone);
  const now = () => fromNanoseconds(host.now(), local);
  const since = (time: GoTime) => subtractTimes(now(), time);
  const inNamedZone = (layout: string, date: unknown, zone: string) => {
    const time = timeOf(date, DATE_INTEGERS, local) ?? now();
    return formatTime(inZone(time, recover(() => loadLocation(zone, local), () => UTC)), layout);
  };
  const dateInZone = goFunction("string, any, string", inNamedZone);
  const dateModify = goFunction(
    "string, time.Time",
    (text: string, date: GoTime) => timeValue(addDuration(date, durationOrZero(text))),
    TYPES,
  );
  const mustDateModify = goFunction(
    "string, time.Time",
    (text: string, date: GoTime) => timeValue(addDuration(date, parseDuration(text))),
    TYPES,
  );
  return {
    now: goFunction("", () => timeValue(now())),
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
      if (typeof duration === "string") return roundToLargestUnit(durationOrZero(duration));
      if (!(duration instanceof Typed)) return "0s";
      if (duration.type === TIME) return roundToLargestUnit(since(duration.value as GoTime));
      return roundToLargestUnit(duration.type.name === "int64" ? duration.value as bigint : 0n);
    }),
    toDate: goFunction(
      "string, string",
      (layout: string, text: string) =>
        timeValue(recover(() => parseTime(layout, text, local), () => ZERO_TIME)),
    ),
    mustToDate: goFunction(
      "string, string",
      (layout: string, text: string) => timeValue(parseTime(layout, text, local)),
    ),
    unixEpoch: goFunction("time.Time", (date: GoTime) => String(date.seconds), TYPES),
  };
}

/** The types that sprig takes as seconds since the epoch, which differ between its functions. */
const DATE_INTEGERS: ReadonlySet<string> = new Set(["int", "int32", "int64"]);
const AGO_INTEGERS: ReadonlySet<string> = new Set(["int", "int64"]);

/** Returns the time that a value means; `undefined` if sprig uses the current time instead. */
function timeOf(
  date: unknown,
  integers: ReadonlySet<string>,
  local: Location,
): GoTime | undefined {
  if (!(date instanceof Typed)) return undefined;
  const { type } = date;
  if (type === TIME) return date.value as GoTime;
  if (integers.has(type.name)) return new GoTime(date.value as bigint, { location: local });
  // Date functions dereference a pointer; `ago` does not.
  if (type.kind !== "ptr" || type.elem !== TIME || integers === AGO_INTEGERS) return undefined;
  if (date.value !== null) return date.value as GoTime;
  throw new FunctionError(NIL_DEREFERENCE);
}

function durationOrZero(text: string): bigint {
  return recover(() => parseDuration(text), () => 0n);
}

/** Returns a number of seconds as a duration, wrapped around. Sprig takes an `int` as 0. */
function secondsOf(seconds: unknown): bigint {
  let count = 0n;
  if (seconds instanceof Typed && seconds.type.name === "int64") count = seconds.value as bigint;
  if (typeof seconds === "string") count = ignoringError(() => parseInt(seconds, 10, 64));
  return BigInt.asIntN(64, count * SECOND);
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

/** Rounds `61s` to `1m`. A unit is used only above one of it, so `1h` becomes `60m`. */
function roundToLargestUnit(duration: bigint): string {
  const size = duration < 0n ? -duration : duration;
  for (const [unit, name] of UNITS) if (size > unit) return `${size / unit}${name}`;
  return "0s";
}
