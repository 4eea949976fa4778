/**
 * Go's `time` package as templates see it: `time.Time` and `time.Duration` with their methods,
 * layouts and zones. Nothing here reads a clock; callers pass the current time.
 */
import { toBinary, toBytes } from "../data/bytes.ts";
import type { FormattedType } from "./_fmt_printer.ts";
import {
  formatDuration,
  HOUR,
  inUnits,
  MAX_DURATION,
  MICROSECOND,
  MILLISECOND,
  MIN_DURATION,
  MINUTE,
  roundDuration,
  SECOND,
  truncateDuration,
} from "./_time_duration.ts";
import {
  addDuration,
  civilTime,
  compareTimes,
  GoTime,
  inZone,
  isZeroTime,
  makeTime,
  remainder,
  subtractTimes,
} from "./_time_instant.ts";
import { formatTime, MONTHS, WEEKDAYS } from "./_time_layout.ts";
import { quoteBytes } from "./_time_quote.ts";
import { LOCAL, type Location, UTC } from "./_time_zone.ts";
import {
  BYTES,
  FunctionError,
  type GoMethod,
  type GoType,
  INT,
  int,
  int64,
  pointerTo,
  STRING,
  Typed,
} from "./value.ts";

export {
  formatDuration,
  HOUR,
  MINUTE,
  parseDuration,
  roundDuration,
  SECOND,
} from "./_time_duration.ts";
export {
  addDuration,
  civilTime,
  compareTimes,
  fromNanoseconds,
  GoTime,
  inZone,
  isZeroTime,
  subtractTimes,
  ZERO_TIME,
} from "./_time_instant.ts";
export { formatTime } from "./_time_layout.ts";
export { parseTime } from "./_time_parse.ts";
export { loadLocation, LOCAL, localZone, type Location, UTC } from "./_time_zone.ts";

/** Go's `time.RFC3339`. */
export const RFC3339 = "2006-01-02T15:04:05Z07:00";

type Methods = ReadonlyMap<string, GoMethod>;

/** A method: its parameter types, and the function that takes the receiver first. */
type Method<T> = readonly [
  params: readonly GoType[],
  // deno-lint-ignore no-explicit-any -- each method knows its own parameter types
  call: (receiver: T, ...args: any[]) => unknown,
  unusable?: string,
];

function methods<T>(table: Readonly<Record<string, Method<T>>>): Methods {
  return new Map(
    Object.entries(table).map(([name, [params, call, unusable]]) => [
      name,
      { params, call, unusable },
    ]),
  );
}

/** Returns an integer type whose values print as words. */
function enumeration(name: string, words: readonly string[], first: number): GoType {
  const stringer = (value: unknown) =>
    words[Number(value) - first] ?? `%!${name.slice("time.".length)}(${value})`;
  return { name, kind: "int", stringer, methods: methods({ String: [[], stringer] }) };
}

/** `time.Month`, where 1 prints as `January`. */
const MONTH: GoType = enumeration("time.Month", MONTHS, 1);
/** `time.Weekday`, where 0 prints as `Sunday`. */
const WEEKDAY: GoType = enumeration("time.Weekday", WEEKDAYS, 0);

/** `time.Duration`: a bigint of nanoseconds. */
export const DURATION: GoType = {
  name: "time.Duration",
  kind: "int64",
  stringer: (value) => formatDuration(value as bigint),
  get methods(): Methods {
    return DURATION_METHODS;
  },
};

/** Returns a `time.Duration` of that many nanoseconds. */
export function duration(nanoseconds: bigint): Typed {
  return new Typed(DURATION, nanoseconds);
}

const DURATION_METHODS: Methods = methods<bigint>({
  String: [[], formatDuration],
  Nanoseconds: [[], (d) => int64(d)],
  Microseconds: [[], (d) => int64(d / MICROSECOND)],
  Milliseconds: [[], (d) => int64(d / MILLISECOND)],
  Seconds: [[], (d) => inUnits(d, SECOND)],
  Minutes: [[], (d) => inUnits(d, MINUTE)],
  Hours: [[], (d) => inUnits(d, HOUR)],
  Truncate: [[DURATION], (d, unit: bigint) => duration(truncateDuration(d, unit))],
  Round: [[DURATION], (d, unit: bigint) => duration(roundDuration(d, unit))],
  Abs: [[], (d) => duration(d === MIN_DURATION ? MAX_DURATION : d < 0n ? -d : d)],
});

const LOCATION_STRUCT: GoType = {
  name: "time.Location",
  kind: "struct",
  stringer: (value) => (value as Location).name,
  methods: methods<Location>({ String: [[], (location) => location.name] }),
};

/** `*time.Location`. */
const LOCATION: GoType = pointerTo(LOCATION_STRUCT);

function timeString(time: GoTime): string {
  const text = formatTime(time, "2006-01-02 15:04:05.999999999 -0700 MST");
  if (time.monotonic === undefined) return text;
  const size = time.monotonic < 0n ? -time.monotonic : time.monotonic;
  const sign = time.monotonic < 0n ? "-" : "+";
  return `${text} m=${sign}${size / SECOND}.${(size % SECOND).toString().padStart(9, "0")}`;
}

function timeGoString(time: GoTime): string {
  const { year, month, day, hour, minute, second } = civilTime(time);
  const { name } = time.location;
  const zone = time.location === UTC
    ? "time.UTC"
    : name === "Local"
    ? "time.Local"
    : `time.Location(${quoteBytes(toBinary(name))})`;
  const clock = `${hour}, ${minute}, ${second}, ${time.nanoseconds}`;
  return `time.Date(${year}, time.${MONTHS[month - 1]}, ${day}, ${clock}, ${zone})`;
}

/** Returns the RFC 3339 text of a time in JSON. It exists only for years of four digits. */
function marshal(time: GoTime, method: string): string {
  const text = formatTime(time, "2006-01-02T15:04:05.999999999Z07:00");
  if (text[4] !== "-") {
    throw new FunctionError(`Time.${method}: year outside of range [0,9999]`);
  }
  if (/[+-](?:2[4-9]|[3-9][0-9]|[0-9]{3,}):[0-9]{2}$/.test(text)) {
    throw new FunctionError(`Time.${method}: timezone hour outside of range [0,23]`);
  }
  return text;
}

/** `time.Time`: a {@link GoTime}. */
export const TIME: FormattedType = {
  name: "time.Time",
  kind: "struct",
  stringer: (value) => timeString(value as GoTime),
  goString: (value) => timeGoString(value as GoTime),
  toJson: (value) => marshal(value as GoTime, "MarshalJSON"),
  get methods(): Methods {
    return TIME_METHODS;
  },
};

/** Returns a `time.Time`. */
export function time(value: GoTime): Typed {
  return new Typed(TIME, value);
}

/** Returns a method that templates cannot call because of its results. */
function uncallable(name: string, results: string[]): [GoType[], () => never, string] {
  const text = results.length === 2
    ? `invalid function signature for ${name}: second return value should be error; is ${
      results[1]
    }`
    : `function ${name} has ${results.length} return values; should be 1 or 2`;
  const call = () => {
    throw new FunctionError(text);
  };
  return [[], call, text];
}

function byteValues(text: string): bigint[] {
  return Array.from(toBytes(text), BigInt);
}

/** Returns a Unix time in a unit, wrapped around to 64 bits. */
function unixIn(time: GoTime, unit: bigint): Typed {
  return int64(time.seconds * (SECOND / unit) + BigInt(time.nanoseconds) / unit);
}

const TIME_METHODS: Methods = methods<GoTime>({
  String: [[], timeString],
  GoString: [[], timeGoString],
  Format: [[STRING], (t, layout: string) => formatTime(t, layout)],
  AppendFormat: [
    [BYTES, STRING],
    (t, before: readonly bigint[] | null, layout: string) =>
      new Typed(BYTES, [...before ?? [], ...byteValues(formatTime(t, layout))]),
  ],
  MarshalJSON: [[], (t) => new Typed(BYTES, byteValues(`"${marshal(t, "MarshalJSON")}"`))],
  MarshalText: [[], (t) => new Typed(BYTES, byteValues(marshal(t, "MarshalText")))],
  Year: [[], (t) => int(civilTime(t).year)],
  Month: [[], (t) => new Typed(MONTH, BigInt(civilTime(t).month))],
  Day: [[], (t) => int(civilTime(t).day)],
  Weekday: [[], (t) => new Typed(WEEKDAY, BigInt(civilTime(t).weekday))],
  YearDay: [[], (t) => int(civilTime(t).yearDay)],
  Hour: [[], (t) => int(civilTime(t).hour)],
  Minute: [[], (t) => int(civilTime(t).minute)],
  Second: [[], (t) => int(civilTime(t).second)],
  Nanosecond: [[], (t) => int(t.nanoseconds)],
  Unix: [[], (t) => int64(t.seconds)],
  UnixMilli: [[], (t) => unixIn(t, MILLISECOND)],
  UnixMicro: [[], (t) => unixIn(t, MICROSECOND)],
  UnixNano: [[], (t) => unixIn(t, 1n)],
  IsZero: [[], isZeroTime],
  IsDST: [[], (t) => t.location.isDst(t.seconds)],
  UTC: [[], (t) => time(inZone(t, UTC))],
  Local: [[], (t) => time(inZone(t, LOCAL))],
  Location: [[], (t) => new Typed(LOCATION, t.location)],
  Before: [[TIME], (t, other: GoTime) => compareTimes(t, other) < 0],
  After: [[TIME], (t, other: GoTime) => compareTimes(t, other) > 0],
  Equal: [[TIME], (t, other: GoTime) => compareTimes(t, other) === 0],
  Compare: [[TIME], (t, other: GoTime) => int(compareTimes(t, other))],
  Sub: [[TIME], (t, other: GoTime) => duration(subtractTimes(t, other))],
  Add: [[DURATION], (t, d: bigint) => time(addDuration(t, d))],
  In: [[LOCATION], (t, location: Location | null) => {
    if (location === null) throw new FunctionError("time: missing Location in call to Time.In");
    return time(inZone(t, location));
  }],
  AddDate: [[INT, INT, INT], (t, years: number, months: number, days: number) => {
    const at = civilTime(t);
    const date = { year: at.year + years, month: at.month + months, day: at.day + days };
    return time(makeTime({ ...at, ...date, nanoseconds: t.nanoseconds }, t.location));
  }],
  Truncate: [[DURATION], (t, unit: bigint) => {
    const bare = inZone(t, t.location);
    return time(unit <= 0n ? bare : addDuration(bare, -remainder(bare, unit)));
  }],
  Round: [[DURATION], (t, unit: bigint) => {
    const bare = inZone(t, t.location);
    if (unit <= 0n) return time(bare);
    const rest = remainder(bare, unit);
    return time(addDuration(bare, rest * 2n < unit ? -rest : unit - rest));
  }],
  Date: uncallable("Date", ["int", "time.Month", "int"]),
  Clock: uncallable("Clock", ["int", "int", "int"]),
  ISOWeek: uncallable("ISOWeek", ["int", "int"]),
  Zone: uncallable("Zone", ["string", "int"]),
  ZoneBounds: uncallable("ZoneBounds", ["time.Time", "time.Time"]),
});
