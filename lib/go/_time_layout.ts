/**
 * Go's time layouts, written as the reference time `Mon Jan 2 15:04:05 -0700 2006`: splits a layout
 * into its elements, and formats times. _time_parse.ts parses them.
 */
import { type CivilTime, civilTime, type GoTime } from "./_time_instant.ts";

/** A layout split at its first element. */
export interface Chunk {
  /** The literal text before the element. */
  readonly prefix: string;
  /** The element, such as `2006` or `.000`; "" at the end of the layout. */
  readonly element: string;
  /** The layout after the element. */
  readonly suffix: string;
}

export const MONTHS = [
  ...["January", "February", "March", "April", "May", "June", "July", "August", "September"],
  ...["October", "November", "December"],
];

export const WEEKDAYS = [
  ...["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
];

/**
 * Matches an element. Longer elements come before their prefixes, because the first match wins.
 * `Jan` and `Mon` must not start a longer word (`Month`), and no digit may follow a fraction.
 */
const ELEMENT = new RegExp(
  [
    "January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST",
    "0[1-6]|002|15|1|_(?=2006)|2006|2|_2|__2|3|4|5|PM|pm",
    "-070000|-07:00:00|-0700|-07:00|-07|Z070000|Z07:00:00|Z0700|Z07:00|Z07",
    "[.,](?:0+|9+)(?![0-9])",
  ].join("|"),
  "g",
);

/** Splits a layout at its first element. */
export function nextChunk(layout: string): Chunk {
  ELEMENT.lastIndex = 0;
  for (;;) {
    const match = ELEMENT.exec(layout);
    if (!match) return { prefix: layout, element: "", suffix: "" };
    // `_2006` is an underscore and a year, not a padded day.
    if (match[0] === "_") continue;
    return {
      prefix: layout.slice(0, match.index),
      element: match[0],
      suffix: layout.slice(match.index + match[0].length),
    };
  }
}

/** Reports whether an element is a fraction of a second, such as `.000` or `,999`. */
export function isFraction(element: string): boolean {
  return element[0] === "." || element[0] === ",";
}

/** Writes a number with at least `width` digits. */
function digits(value: number, width: number): string {
  return (value < 0 ? "-" : "") + String(Math.abs(value)).padStart(width, "0");
}

function formatFraction(element: string, nanoseconds: number): string {
  const trim = element[1] === "9";
  if (trim && nanoseconds === 0) return "";
  const shown = digits(nanoseconds, 9).slice(0, element.length - 1);
  const text = element[0] + shown;
  return trim ? text.replace(/[.,]?0*$/, "") : text;
}

/** Writes an offset for an element such as `-07:00`; `Z` elements print `Z` for UTC. */
function formatOffset(element: string, offset: number): string {
  if (offset === 0 && element[0] === "Z") return "Z";
  const minutes = Math.trunc(offset / 60);
  const [, colon, , seconds] = /^.07(:?)(00)?(?::?(00))?$/.exec(element)!;
  let out = (minutes < 0 ? "-" : "+") + digits(Math.trunc(Math.abs(minutes) / 60), 2);
  if (element.length > 3) out += colon + digits(Math.abs(minutes) % 60, 2);
  // Go takes the sign from the minutes, so an offset of -30 seconds prints as positive.
  if (seconds) out += colon + digits(minutes < 0 ? -offset % 60 : offset % 60, 2);
  return out;
}

function formatElement(element: string, time: GoTime, civil: CivilTime): string {
  const hour12 = civil.hour % 12 || 12;
  switch (element) {
    case "2006":
      return digits(civil.year, 4);
    case "06":
      return digits(Math.abs(civil.year) % 100, 2);
    case "January":
      return MONTHS[civil.month - 1];
    case "Jan":
      return MONTHS[civil.month - 1].slice(0, 3);
    case "1":
      return String(civil.month);
    case "01":
      return digits(civil.month, 2);
    case "Monday":
      return WEEKDAYS[civil.weekday];
    case "Mon":
      return WEEKDAYS[civil.weekday].slice(0, 3);
    case "2":
      return String(civil.day);
    case "_2":
      return String(civil.day).padStart(2);
    case "02":
      return digits(civil.day, 2);
    case "__2":
      return String(civil.yearDay).padStart(3);
    case "002":
      return digits(civil.yearDay, 3);
    case "15":
      return digits(civil.hour, 2);
    case "3":
      return String(hour12);
    case "03":
      return digits(hour12, 2);
    case "4":
      return String(civil.minute);
    case "04":
      return digits(civil.minute, 2);
    case "5":
      return String(civil.second);
    case "05":
      return digits(civil.second, 2);
    case "PM":
      return civil.hour >= 12 ? "PM" : "AM";
    case "pm":
      return civil.hour >= 12 ? "pm" : "am";
  }
  if (isFraction(element)) return formatFraction(element, time.nanoseconds);
  const zone = time.location.lookup(time.seconds);
  if (element !== "MST") return formatOffset(element, zone.offset);
  return zone.name || formatOffset("-0700", zone.offset);
}

/**
 * Go's `Time.Format`.
 *
 * @example
 * ```ts
 * formatTime(new GoTime(1577934245n), "Mon Jan _2 15:04:05 2006"); // "Thu Jan  2 03:04:05 2020"
 * ```
 */
export function formatTime(time: GoTime, layout: string): string {
  const civil = civilTime(time);
  let out = "";
  for (let rest = layout; rest !== "";) {
    const { prefix, element, suffix } = nextChunk(rest);
    out += prefix;
    if (element === "") break;
    out += formatElement(element, time, civil);
    rest = suffix;
  }
  return out;
}
