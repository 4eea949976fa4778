/**
 * metav1.Time in JSON: RFC 3339 text in, the same instant in UTC and whole seconds out.
 *
 * Accepts what Go's time.Parse accepts, including `5:04` for an hour, `,5` for a fraction and a zone of
 * `+24:60`. Errors have Go's wording.
 */

const LAYOUT = "2006-01-02T15:04:05Z07:00";
const USUAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Returns the canonical text, or null for Go's zero time, which is null in JSON. */
export function canonicalTime(text: string): string | null {
  const at: Cursor = { text, rest: text };
  const year = number(at, /^\d{4}/, "2006");
  literal(at, "-");
  const month = number(at, /^\d\d/, "01");
  if (month < 1 || month > 12) outOfRange(at, "month");
  literal(at, "-");
  const day = number(at, /^\d\d/, "02");
  literal(at, "T");
  const hour = number(at, /^\d\d?/, "15");
  if (hour > 23) outOfRange(at, "hour");
  literal(at, ":");
  const minute = number(at, /^\d\d/, "04");
  if (minute > 59) outOfRange(at, "minute");
  literal(at, ":");
  const second = number(at, /^\d\d/, "05");
  if (second > 59) outOfRange(at, "second");
  const fraction = /^[.,]\d+/.exec(at.rest)?.[0] ?? "";
  at.rest = at.rest.slice(fraction.length);
  const offset = zone(at);
  if (at.rest !== "") fail(at, `: extra text: ${quote(at.rest)}`);

  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC reads years below 100 as 19xx.
  if (day < 1 || date.getUTCMonth() !== month - 1) outOfRange(at, "day");
  date.setUTCHours(hour, minute, second - offset);
  // Go counts nanoseconds and drops digits past the ninth.
  if (date.getTime() === ZERO_TIME && !/[1-9]/.test(fraction.slice(0, 10))) return null;
  return USUAL.test(text) ? text : format(date);
}

/** 0001-01-01T00:00:00Z, where Go's calendar starts. */
const ZERO_TIME = -62135596800_000;

interface Cursor {
  readonly text: string;
  rest: string;
}

function number(at: Cursor, shape: RegExp, element: string): number {
  const digits = shape.exec(at.rest)?.[0];
  if (digits === undefined) cannotParse(at, element);
  at.rest = at.rest.slice(digits.length);
  return Number(digits);
}

function literal(at: Cursor, text: string): void {
  if (!at.rest.startsWith(text)) cannotParse(at, text);
  at.rest = at.rest.slice(text.length);
}

/** Reads the time zone and returns its offset in seconds east of UTC. */
function zone(at: Cursor): number {
  if (at.rest.startsWith("Z")) {
    at.rest = at.rest.slice(1);
    return 0;
  }
  const match = /^(.)(\d\d):(\d\d)/s.exec(at.rest);
  if (match === null) cannotParse(at, "Z07:00");
  const [whole, sign, hours, minutes] = match;
  const before = at.rest;
  at.rest = at.rest.slice(whole.length);
  if (Number(minutes) > 60) outOfRange(at, "time zone offset minute");
  if (Number(hours) > 24) outOfRange(at, "time zone offset hour");
  if (sign !== "+" && sign !== "-") {
    at.rest = before;
    cannotParse(at, "Z07:00");
  }
  const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
  return sign === "-" ? -seconds : seconds;
}

function format(date: Date): string {
  const year = date.getUTCFullYear();
  const digits = Math.abs(year).toString().padStart(4, "0");
  // The last 20 characters of an ISO string, from the dash before the month, have fixed positions.
  return `${year < 0 ? "-" : ""}${digits}${date.toISOString().slice(-20, -5)}Z`;
}

function cannotParse(at: Cursor, element: string): never {
  fail(at, ` as ${quote(LAYOUT)}: cannot parse ${quote(at.rest)} as ${quote(element)}`);
}

function outOfRange(at: Cursor, what: string): never {
  fail(at, `: ${what} out of range`);
}

function fail(at: Cursor, message: string): never {
  throw new Error(`parsing time ${quote(at.text)}${message}`);
}

/** Quotes a text as Go's time package does: bytes outside printable ASCII become `\xNN`. */
function quote(text: string): string {
  let quoted = "";
  for (const char of text) {
    if (char === '"' || char === "\\") quoted += `\\${char}`;
    else if (char >= " " && char < "\x80") quoted += char;
    else {
      for (const byte of new TextEncoder().encode(char)) {
        quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
      }
    }
  }
  return `"${quoted}"`;
}
