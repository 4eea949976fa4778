/**
 * Time zones as Go's `*time.Location`: a name, and for every instant an offset and an abbreviation.
 *
 * Offsets come from the runtime's tz database (Intl), names from _time_zone_names.ts.
 */
import { FunctionError } from "./value.ts";
import { ZONE_TABLE } from "./_time_zone_names.ts";

/** What holds in a zone at some instant. */
export interface ZoneMoment {
  /** The abbreviation; may be empty in a fixed zone. */
  readonly name: string;
  /** Seconds east of Greenwich. */
  readonly offset: number;
}

/** Go's `*time.Location`. */
export interface Location {
  readonly name: string;
  /** What holds at a Unix time in seconds. */
  lookup(unix: bigint): ZoneMoment;
  /** Whether clocks are put forward at a Unix time. */
  isDst(unix: bigint): boolean;
  /** The offset of an abbreviation, preferably as it is used near a Unix time. */
  lookupName(name: string, unix: bigint): number | undefined;
}

/** Go's `time.FixedZone`. */
export function fixedZone(name: string, offset: number): Location {
  const moment = { name, offset };
  return {
    name,
    lookup: () => moment,
    isDst: () => false,
    lookupName: (wanted) => wanted === name ? offset : undefined,
  };
}

export const UTC: Location = fixedZone("UTC", 0);

/** Abbreviations by offset, from a Unix time on. */
interface Names {
  readonly from: number;
  readonly byOffset: ReadonlyMap<number, string>;
}

function parseNames(text: string): readonly Names[] {
  return text.split("@").map((part, i) => {
    const words = part.split(" ").filter(Boolean);
    const from = i === 0 ? -Infinity : Number(words.shift());
    const byOffset = words.map((word): [number, string] => {
      const [, name, sign, clock] = /^(-00|[A-Za-z]+)([+-])(.+)$/.exec(word)!;
      const [hours, minutes = 0, seconds = 0] = clock.split(":").map(Number);
      const size = hours * 3600 + minutes * 60 + seconds;
      return [sign === "-" ? -size : size, name];
    });
    return { from, byOffset: new Map(byOffset) };
  });
}

let zoneNames: ReadonlyMap<string, string> | undefined;

/** Abbreviations of a zone, as text of the table; `undefined` for a name Go does not know. */
function namesOf(zone: string): string | undefined {
  zoneNames ??= new Map(
    ZONE_TABLE.trim().split(/\n(?! )/).flatMap((entry) => {
      const [names, zones] = entry.split("=");
      return zones.trim().split(/\s+/).map((name): [string, string] => [
        name,
        names.replace(/\s+/g, " ").trim(),
      ]);
    }),
  );
  return zoneNames.get(zone);
}

/** `+03`, `-0330`: the names of offsets that have none. */
function numericName(offset: number): string {
  const minutes = Math.abs(offset) / 60;
  // Odd offsets are the sun's time at a city, before standard time.
  if (minutes % 5 !== 0) return "LMT";
  const hours = String(Math.trunc(minutes / 60)).padStart(2, "0");
  const rest = minutes % 60 ? String(minutes % 60).padStart(2, "0") : "";
  return (offset < 0 ? "-" : "+") + hours + rest;
}

/** 400 years of the Gregorian calendar, after which dates and weekdays repeat. */
const CYCLE = 12_622_780_800n;

/** Seconds of a mean year; counted from 1970 it starts within a few days of January the 1st. */
const YEAR = CYCLE / 400n;

/** The seconds that a JavaScript Date can hold, either way of 1970. */
const DATE_LIMIT = 8_640_000_000_000n;

/** A zone where winter time is the exception by law: its clocks go back for it. */
const NEGATIVE_DST = new Set(["Africa/Casablanca", "Africa/El_Aaiun", "Eire", "Europe/Dublin"]);

class NamedZone implements Location {
  readonly name: string;
  readonly #zone: string;
  readonly #names: readonly Names[];
  readonly #format: Intl.DateTimeFormat;

  constructor(name: string, zone: string, names: string) {
    this.name = name;
    this.#zone = zone;
    this.#names = parseNames(names);
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      timeZoneName: "longOffset",
    });
  }

  #offset(unix: bigint): number {
    let seconds = unix;
    if (unix > DATE_LIMIT) seconds -= (unix - DATE_LIMIT + CYCLE - 1n) / CYCLE * CYCLE;
    else if (unix < -DATE_LIMIT) seconds = -DATE_LIMIT;
    const parts = this.#format.formatToParts(Number(seconds) * 1000);
    const text = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
    const match = /([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text);
    if (!match) return 0;
    const size = Number(match[2]) * 3600 + Number(match[3]) * 60 + Number(match[4] ?? 0);
    return match[1] === "-" ? -size : size;
  }

  lookup(unix: bigint): ZoneMoment {
    const offset = this.#offset(unix);
    const names = this.#names.findLast((set) => set.from <= unix) ?? this.#names[0];
    const name = names.byOffset.get(offset) ?? numericName(offset);
    return { name, offset };
  }

  /** Intl does not say; the clocks in January and July of the same year do. */
  isDst(unix: bigint): boolean {
    const offset = this.#offset(unix);
    const yearStart = unix - unix % YEAR;
    const others = [this.#offset(yearStart), this.#offset(yearStart + YEAR / 2n)];
    return NEGATIVE_DST.has(this.#zone)
      ? offset < Math.max(...others)
      : offset > Math.min(...others);
  }

  lookupName(name: string, unix: bigint): number | undefined {
    const digits = /^([+-])(\d\d)(\d\d)?$/.exec(name);
    const size = digits ? Number(digits[2]) * 3600 + Number(digits[3] ?? 0) * 60 : 0;
    const offsets = digits
      ? [digits[1] === "-" ? -size : size]
      : this.#names.flatMap((set) =>
        [...set.byOffset].filter((entry) => entry[1] === name).map((entry) => entry[0])
      );
    const used = offsets.find((offset) => this.lookup(unix - BigInt(offset)).name === name);
    // A number says its offset, but only a zone that uses it takes it for a name.
    return used ?? (digits ? undefined : offsets[0]);
  }
}

const zones = new Map<string, Location>();

/** A zone of the tz database under its own name or as `Local`. */
function namedZone(zone: string, name: string): Location {
  const names = namesOf(zone);
  const unknown = () => new FunctionError(`unknown time zone ${zone}`);
  if (names === undefined) throw unknown();
  const key = `${name} ${zone}`;
  let location = zones.get(key);
  if (!location) {
    try {
      location = new NamedZone(name, zone, names);
    } catch {
      // The runtime's database is older than the table.
      throw unknown();
    }
    zones.set(key, location);
  }
  return location;
}

/**
 * Go's `time.Local` on a machine that stands in the given zone. UTC for no name, or one that nothing
 * is known of, as Go does.
 */
export function localZone(zone = "UTC"): Location {
  if (zone !== "UTC" && zone !== "" && namesOf(zone) !== undefined) return namedZone(zone, "Local");
  return LOCAL;
}

/** `time.Local` where nothing else is said. */
export const LOCAL: Location = { ...fixedZone("UTC", 0), name: "Local" };

/** Go's `time.LoadLocation`; `Local` is what the caller says it is. */
export function loadLocation(name: string, local: Location = LOCAL): Location {
  if (name === "" || name === "UTC") return UTC;
  if (name === "Local") return local;
  if (name.includes("..") || /^[/\\]/.test(name)) {
    throw new FunctionError("time: invalid location name");
  }
  return namedZone(name, name);
}
