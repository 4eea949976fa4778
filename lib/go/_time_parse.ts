/**
 * Go's `time.ParseInLocation`, with Go's errors.
 *
 * Works on binary strings (bytes.ts), because the errors quote the rest of the text, which may
 * start within a character.
 */
import { toBinary } from "../data/bytes.ts";
import { daysBefore, daysIn, GoTime, isLeapYear, makeTime } from "./_time_instant.ts";
import { isFraction, MONTHS, nextChunk, WEEKDAYS } from "./_time_layout.ts";
import { quoteBytes } from "./_time_quote.ts";
import { fixedZone, type Location, UTC } from "./_time_zone.ts";
import { FunctionError } from "./value.ts";

/** The text does not match the element. */
const BAD = Symbol("bad value for field");

/** The result of parsing an element: success, {@link BAD}, or the name of a field out of range. */
type Outcome = undefined | typeof BAD | string;

/** Parses an optional sign and any number of digits, even none. */
function atoi(text: string): number | undefined {
  return /^[+-]?[0-9]*$/.test(text) ? Number(/[0-9]/.test(text) ? text : 0) : undefined;
}

/** Skips a literal part of the layout, where runs of spaces match each other. */
function skip(value: string, prefix: string): { rest: string; ok: boolean } {
  let at = 0;
  for (let i = 0; i < prefix.length;) {
    if (prefix[i] === " ") {
      if (at < value.length && value[at] !== " ") return { rest: value.slice(at), ok: false };
      while (prefix[i] === " ") i++;
      while (value[at] === " ") at++;
    } else if (value[at] === prefix[i]) {
      at++;
      i++;
    } else return { rest: value.slice(at), ok: false };
  }
  return { rest: value.slice(at), ok: true };
}

/** Returns the length of the zone abbreviation at the start of a text, or 0. */
function zoneNameLength(value: string): number {
  if (value.length < 3) return 0;
  if (/^(?:ChST|MeST)/.test(value)) return 4;
  if (value.startsWith("GMT")) return 3 + signedHourLength(value.slice(3));
  if (/^[+-]/.test(value)) return signedHourLength(value);
  const letters = /^[A-Z]{0,6}/.exec(value)![0];
  switch (letters.length) {
    case 3:
      return 3;
    case 4:
      return letters[3] === "T" || letters === "WITA" ? 4 : 0;
    case 5:
      return letters[4] === "T" ? 5 : 0;
    default:
      return 0;
  }
}

/** Returns the length of an offset such as `+3` or `-11` at the start of a text, or 0. */
function signedHourLength(value: string): number {
  const match = /^[+-]([0-9]+)/.exec(value);
  return match && Number(match[1]) <= 23 ? match[0].length : 0;
}

class Reader {
  #rest: string;
  #year = 0;
  #month: number | undefined;
  #day: number | undefined;
  #yearDay: number | undefined;
  #hour = 0;
  #minute = 0;
  #second = 0;
  #nanoseconds = 0;
  #half: "am" | "pm" | undefined;
  #zone: Location | undefined;
  /** Go uses -1 for "no offset", although a layout can parse an offset of -1 second. */
  #offset = -1;
  #zoneName = "";

  readonly #layout: string;
  readonly #text: string;

  constructor(layout: string, text: string) {
    this.#layout = toBinary(layout);
    this.#text = this.#rest = toBinary(text);
  }

  #failField(element: string, rest: string): never {
    throw new FunctionError(
      `parsing time ${quoteBytes(this.#text)} as ${quoteBytes(this.#layout)}: ` +
        `cannot parse ${quoteBytes(rest)} as ${quoteBytes(element)}`,
    );
  }

  #fail(message: string): never {
    throw new FunctionError(`parsing time ${quoteBytes(this.#text)}: ${message}`);
  }

  run(location: Location): GoTime {
    let layout = this.#layout;
    for (;;) {
      const { prefix, element, suffix } = nextChunk(layout);
      const { rest, ok } = skip(this.#rest, prefix);
      if (!ok) this.#failField(prefix, rest);
      this.#rest = rest;
      if (element === "") break;
      layout = suffix;
      const outcome = this.#element(element, suffix);
      if (outcome === BAD) this.#failField(element, rest);
      if (outcome !== undefined) this.#fail(`${String(outcome)} out of range`);
    }
    if (this.#rest !== "") this.#fail(`extra text: ${quoteBytes(this.#rest)}`);
    if (this.#half === "pm" && this.#hour < 12) this.#hour += 12;
    else if (this.#half === "am" && this.#hour === 12) this.#hour = 0;
    this.#checkDate();
    return this.#build(location);
  }

  #take(count: number): string {
    const taken = this.#rest.slice(0, count);
    this.#rest = this.#rest.slice(count);
    return taken;
  }

  /** Reads a number of up to `max` digits, or of exactly `max` if `fixed`. */
  #number(max: number, fixed: boolean): number | undefined {
    const digits = /^[0-9]*/.exec(this.#rest.slice(0, max))![0];
    if (digits === "" || fixed && digits.length < max) return undefined;
    return Number(this.#take(digits.length));
  }

  #name(names: readonly string[], length: number | undefined): number | undefined {
    const index = names.findIndex((name) => {
      const prefix = name.slice(0, length).toLowerCase();
      return this.#rest.slice(0, prefix.length).toLowerCase() === prefix;
    });
    if (index < 0) return undefined;
    this.#take(names[index].slice(0, length).length);
    return index;
  }

  #element(element: string, suffix: string): Outcome {
    switch (element) {
      case "06": {
        const year = this.#rest.length < 2 ? undefined : atoi(this.#take(2));
        if (year === undefined) return BAD;
        this.#year = year + (year >= 69 ? 1900 : 2000);
        return undefined;
      }
      case "2006": {
        const year = /^[0-9].{3}/s.test(this.#rest) ? atoi(this.#take(4)) : undefined;
        if (year === undefined) return BAD;
        this.#year = year;
        return undefined;
      }
      case "January":
      case "Jan": {
        const index = this.#name(MONTHS, element === "Jan" ? 3 : undefined);
        if (index === undefined) return BAD;
        this.#month = index + 1;
        return undefined;
      }
      case "1":
      case "01": {
        const month = this.#number(2, element === "01");
        if (month === undefined) return BAD;
        this.#month = month;
        return month < 1 || month > 12 ? "month" : undefined;
      }
      case "Monday":
        return this.#name(WEEKDAYS, undefined) === undefined ? BAD : undefined;
      case "Mon":
        return this.#name(WEEKDAYS, 3) === undefined ? BAD : undefined;
      case "2":
      case "_2":
      case "02": {
        if (element === "_2" && this.#rest[0] === " ") this.#take(1);
        this.#day = this.#number(2, element === "02");
        return this.#day === undefined ? BAD : undefined;
      }
      case "__2":
      case "002": {
        if (element === "__2") this.#rest = this.#rest.replace(/^ {1,2}/, "");
        this.#yearDay = this.#number(3, element === "002");
        return this.#yearDay === undefined ? BAD : undefined;
      }
      case "15":
      case "3":
      case "03": {
        const hour = this.#number(2, element === "03");
        if (hour === undefined) return BAD;
        this.#hour = hour;
        return hour > (element === "15" ? 23 : 12) ? "hour" : undefined;
      }
      case "4":
      case "04": {
        const minute = this.#number(2, element === "04");
        if (minute === undefined) return BAD;
        this.#minute = minute;
        return minute > 59 ? "minute" : undefined;
      }
      case "5":
      case "05": {
        const second = this.#number(2, element === "05");
        if (second === undefined) return BAD;
        this.#second = second;
        if (second > 59) return "second";
        // Go accepts a fraction after the seconds even if the layout has none.
        const fraction = /^[.,][0-9]+/.exec(this.#rest);
        if (!fraction || isFraction(nextChunk(suffix).element)) return undefined;
        return this.#fraction(fraction[0].length);
      }
      case "PM":
      case "pm": {
        const half = this.#take(2);
        const isPm = half === element;
        if (!isPm && half !== (element === "PM" ? "AM" : "am")) return BAD;
        this.#half = isPm ? "pm" : "am";
        return undefined;
      }
      case "MST": {
        if (this.#rest.startsWith("UTC")) {
          this.#zone = UTC;
          this.#take(3);
          return undefined;
        }
        const length = zoneNameLength(this.#rest);
        if (length === 0) return BAD;
        this.#zoneName = this.#take(length);
        return undefined;
      }
    }
    if (!isFraction(element)) return this.#readOffset(element);
    if (element[1] === "0") return this.#fraction(element.length);
    // An element of nines accepts a fraction of any length, or none.
    const fraction = /^[.,][0-9]+/.exec(this.#rest);
    return fraction ? this.#fraction(fraction[0].length) : undefined;
  }

  /** Reads a fraction of `length` characters, and drops digits after the ninth. */
  #fraction(length: number): Outcome {
    if (this.#rest.length < length || !/^[.,]/.test(this.#rest)) return BAD;
    const digits = this.#take(length).slice(1, 10);
    const value = atoi(digits);
    if (value === undefined) return BAD;
    if (value < 0) return "fractional second";
    this.#nanoseconds = value * 10 ** (9 - digits.length);
    return undefined;
  }

  #readOffset(element: string): Outcome {
    if (element[0] === "Z" && this.#rest[0] === "Z") {
      this.#zone = UTC;
      this.#take(1);
      return undefined;
    }
    const text = this.#take(element.length);
    if (text.length < element.length) return BAD;
    const parts = [0, 0, 0];
    let ok = true;
    for (let i = 1, part = 0; i < element.length; part++) {
      if (element[i] === ":" && text[i++] !== ":") return BAD;
      const digits = text.slice(i, i + 2);
      // Go stops at the first part that is not a number.
      if (ok && /^[0-9]{2}$/.test(digits)) parts[part] = Number(digits);
      else ok = false;
      i += 2;
    }
    const [hours, minutes, seconds] = parts;
    // Go accepts 24 and 60, because some people write them.
    if (seconds > 60) return "time zone offset second";
    if (minutes > 60) return "time zone offset minute";
    if (hours > 24) return "time zone offset hour";
    if (!ok || text[0] !== "+" && text[0] !== "-") return BAD;
    const size = (hours * 60 + minutes) * 60 + seconds;
    this.#offset = text[0] === "-" ? -size : size;
    return undefined;
  }

  #checkDate(): void {
    const year = this.#year;
    if (this.#yearDay !== undefined) {
      const yearDay = this.#yearDay;
      if (yearDay < 1 || yearDay > (isLeapYear(year) ? 366 : 365)) {
        this.#fail("day-of-year out of range");
      }
      let month = 1;
      while (daysBefore(month + 1, year) < yearDay) month++;
      const day = yearDay - daysBefore(month, year);
      if ((this.#month ?? month) !== month) this.#fail("day-of-year does not match month");
      if ((this.#day ?? day) !== day) this.#fail("day-of-year does not match day");
      this.#month = month;
      this.#day = day;
    }
    const day = this.#day ??= 1;
    if (day < 1 || day > daysIn(this.#month ??= 1, year)) this.#fail("day out of range");
  }

  #build(location: Location): GoTime {
    const fields = {
      year: this.#year,
      month: this.#month!,
      day: this.#day!,
      hour: this.#hour,
      minute: this.#minute,
      second: this.#second,
      nanoseconds: this.#nanoseconds,
    };
    if (this.#zone) return makeTime(fields, this.#zone);
    const offset = this.#offset;
    const name = this.#zoneName;
    if (offset === -1 && name === "") return makeTime(fields, location);
    const { seconds, nanoseconds } = makeTime(fields, UTC);
    if (offset !== -1) {
      const at = seconds - BigInt(offset);
      // Use the location if it has that offset at that time; otherwise make up a zone.
      const zone = location.lookup(at);
      const same = zone.offset === offset && (name === "" || zone.name === name);
      return new GoTime(at, { nanoseconds, location: same ? location : fixedZone(name, offset) });
    }
    const known = location.lookupName(name, seconds);
    if (known !== undefined) return new GoTime(seconds - BigInt(known), { nanoseconds, location });
    // Go keeps an unknown abbreviation with offset zero. `GMT+3` gets its offset, but the instant
    // is computed as if it were zero, too.
    const hours = /^GMT./.test(name) ? Number(name.slice(3)) : 0;
    return new GoTime(seconds, { nanoseconds, location: fixedZone(name, hours * 3600) });
  }
}

/**
 * Go's `time.ParseInLocation`: a time without a zone is in `location`, and so is one with an offset
 * or abbreviation that this location uses.
 */
export function parseTime(layout: string, text: string, location: Location): GoTime {
  return new Reader(layout, text).run(location);
}
