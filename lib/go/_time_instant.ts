/**
 * Instants and the calendar: Go's `time.Time` without parsing and formatting.
 *
 * Seconds are bigints that wrap around like Go's int64, for the same results at both ends of time.
 * Everything else fits a number.
 */
import { clampDuration, SECOND } from "./_time_duration.ts";
import { type Location, UTC } from "./_time_zone.ts";

/** Seconds from the year 1, where Go's count starts, to 1970. */
const UNIX_TO_INTERNAL = 62_135_596_800n;

/**
 * Go's absolute epoch: March 1 of a year, divisible by 400, before any time that can be expressed.
 * Counted from there, days are never negative and the leap day is the last of its year.
 */
const ABSOLUTE_YEARS = 292_277_022_400;
const DAYS_BEFORE_1970 = 719_468n;
const UNIX_TO_ABSOLUTE = (BigInt(ABSOLUTE_YEARS / 400) * 146_097n + DAYS_BEFORE_1970) * 86_400n;

/** A date and a time of day in some zone. */
export interface CivilTime {
  readonly year: number;
  /** From 1, like `day` and `yearDay`. */
  readonly month: number;
  readonly day: number;
  /** From 0 for Sunday. */
  readonly weekday: number;
  readonly yearDay: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Go's `time.Time`: an instant in a zone. */
export class GoTime {
  /** Unix time, as an int64. */
  readonly seconds: bigint;
  /** 0 to 999,999,999. */
  readonly nanoseconds: number;
  readonly location: Location;
  /** The monotonic clock reading that `time.Now` adds and `String` prints. */
  readonly monotonic: bigint | undefined;

  constructor(
    seconds: bigint,
    options: {
      readonly nanoseconds?: number;
      readonly location?: Location;
      readonly monotonic?: bigint;
    } = {},
  ) {
    this.seconds = BigInt.asIntN(64, seconds);
    this.nanoseconds = options.nanoseconds ?? 0;
    this.location = options.location ?? UTC;
    this.monotonic = options.monotonic;
  }
}

/** The zero `time.Time`, the start of the year 1. */
export const ZERO_TIME = new GoTime(-UNIX_TO_INTERNAL);

/** Returns the time of a Unix time in nanoseconds. */
export function fromNanoseconds(nanoseconds: bigint, location: Location = UTC): GoTime {
  let seconds = nanoseconds / SECOND;
  if (seconds * SECOND > nanoseconds) seconds--;
  return new GoTime(seconds, { nanoseconds: Number(nanoseconds - seconds * SECOND), location });
}

/** Go's `Time.In`: returns the same instant in another zone. */
export function inZone(time: GoTime, location: Location): GoTime {
  return new GoTime(time.seconds, { nanoseconds: time.nanoseconds, location });
}

/** Returns the seconds since the year 1, which Go compares and adds. */
function internal(time: GoTime): bigint {
  return BigInt.asIntN(64, time.seconds + UNIX_TO_INTERNAL);
}

/** Go's `Time.IsZero`. */
export function isZeroTime(time: GoTime): boolean {
  return internal(time) === 0n && time.nanoseconds === 0;
}

/** Go's `Time.Compare`. */
export function compareTimes(a: GoTime, b: GoTime): number {
  const [x, y] = [internal(a), internal(b)];
  if (x !== y) return x < y ? -1 : 1;
  return Math.sign(a.nanoseconds - b.nanoseconds);
}

/** Go's `Time.Add`. */
export function addDuration(time: GoTime, duration: bigint): GoTime {
  const total = BigInt(time.nanoseconds) + duration % SECOND;
  const carry = total < 0n ? -1n : total >= SECOND ? 1n : 0n;
  // Go saturates at both ends of time.
  const sum = internal(time) + duration / SECOND + carry;
  return new GoTime(clampDuration(sum) - UNIX_TO_INTERNAL, {
    nanoseconds: Number(total - carry * SECOND),
    location: time.location,
    monotonic: time.monotonic === undefined ? undefined : time.monotonic + duration,
  });
}

/** Go's `Time.Sub`. */
export function subtractTimes(a: GoTime, b: GoTime): bigint {
  const nanoseconds = BigInt(a.nanoseconds - b.nanoseconds);
  return clampDuration((internal(a) - internal(b)) * SECOND + nanoseconds);
}

/** Returns the time since the last multiple of `unit`, counted from the year 1. */
export function remainder(time: GoTime, unit: bigint): bigint {
  const rest = (internal(time) * SECOND + BigInt(time.nanoseconds)) % unit;
  return rest < 0n ? rest + unit : rest;
}

/** Returns the date and time of day of an instant in its zone. */
export function civilTime(time: GoTime): CivilTime {
  const offset = BigInt(time.location.lookup(time.seconds).offset);
  const absolute = BigInt.asUintN(64, time.seconds + offset + UNIX_TO_ABSOLUTE);
  const days = Number(absolute / 86_400n);
  const clock = Number(absolute % 86_400n);
  // Split into cycles of 400 years, years from March 1, and days.
  const cycle = Math.floor(days / 146_097);
  const dayOfCycle = days - cycle * 146_097;
  const yearOfCycle = Math.floor(
    (dayOfCycle - Math.floor(dayOfCycle / 1460) + Math.floor(dayOfCycle / 36_524) -
      Math.floor(dayOfCycle / 146_096)) / 365,
  );
  const dayOfYear = dayOfCycle -
    (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfCycle + cycle * 400 - ABSOLUTE_YEARS + (month <= 2 ? 1 : 0);
  return {
    year,
    month,
    day,
    // Day 0 was a Wednesday.
    weekday: (days + 3) % 7,
    yearDay: daysBefore(month, year) + day,
    hour: Math.floor(clock / 3600),
    minute: Math.floor(clock / 60) % 60,
    second: clock % 60,
  };
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const MONTH_STARTS = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/** Returns the days of a year before a month; month 13 gives the length of the year. */
export function daysBefore(month: number, year: number): number {
  return MONTH_STARTS[month - 1] + (month > 2 && isLeapYear(year) ? 1 : 0);
}

/** Returns the length of a month in days. */
export function daysIn(month: number, year: number): number {
  return daysBefore(month + 1, year) - daysBefore(month, year);
}

/** Returns the days from 1970-01-01 to a date, whose day and month may be out of range. */
function daysFromCivil(year: number, month: number, day: number): number {
  const months = year * 12 + month - 1;
  // Count years from March, so that the leap day comes last.
  const y = Math.floor((months - 2) / 12);
  const fromMarch = months - 2 - y * 12;
  const before = y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return before + Math.floor((153 * fromMarch + 2) / 5) + day - 1 - Number(DAYS_BEFORE_1970);
}

/** The arguments of Go's `time.Date`. Values out of range carry over into the next field. */
export type DateFields =
  & Pick<CivilTime, "year" | "month" | "day" | "hour" | "minute" | "second">
  & { readonly nanoseconds: number };

/** Go's `time.Date`. */
export function makeTime(fields: DateFields, location: Location): GoTime {
  const days = daysFromCivil(fields.year, fields.month, fields.day);
  const clock = fields.hour * 3600 + fields.minute * 60 + fields.second;
  let seconds = BigInt(days) * 86_400n + BigInt(clock);
  // As Go does: guess the offset as if the clock showed UTC, then look it up at the guessed time.
  const { offset } = location.lookup(seconds);
  if (offset !== 0) {
    seconds -= BigInt(location.lookup(seconds - BigInt(offset)).offset);
  }
  return new GoTime(seconds, { nanoseconds: fields.nanoseconds, location });
}
