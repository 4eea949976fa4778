/**
 * Go's `*time.Location`: a named zone that has an offset and an abbreviation at every instant.
 *
 * Offsets come from the tz database of the runtime (Intl), abbreviations from _time_zone_names.ts.
 */
import { FunctionError } from "./value.ts";
import { ZONE_TABLE } from "./_time_zone_names.ts";

/** The offset and abbreviation of a zone at an instant. */
interface ZoneMoment {
  /** The abbreviation. A fixed zone may have none. */
  readonly name: string;
  /** Seconds east of Greenwich. */
  readonly offset: number;
}

/** Go's `*time.Location`. */
export interface Location {
  readonly name: string;
  /** Returns the offset and abbreviation at a Unix time in seconds. */
  lookup(unix: bigint): ZoneMoment;
  /** Reports whether daylight saving time is in effect at a Unix time. */
  isDst(unix: bigint): boolean;
  /** Returns the offset of an abbreviation, preferring the one in use at a Unix time. */
  lookupName(name: string, unix: bigint): number | undefined;
}

/** Go's `time.FixedZone`. */
export function fixedZone(name: string, offset: number): Location {
  const moment = { name, offset };
  return {
    name,
    lookup: () => moment,
    isDst: () => false,
    lookupName: (other) => other === name ? offset : undefined,
  };
}

export const UTC: Location = fixedZone("UTC", 0);

/** Abbreviations by offset, in use from a Unix time on. */
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

/** Returns the table entry of a zone; `undefined` if Go does not know the zone. */
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

/** Returns the numeric abbreviation of an offset, such as `+03` or `-0330`. */
function numericName(offset: number): string {
  const minutes = Math.abs(offset) / 60;
  // An odd offset is local mean time, from before standard time.
  if (minutes % 5 !== 0) return "LMT";
  const hours = String(Math.trunc(minutes / 60)).padStart(2, "0");
  const rest = minutes % 60 ? String(minutes % 60).padStart(2, "0") : "";
  return (offset < 0 ? "-" : "+") + hours + rest;
}

/** The seconds of 400 years, after which dates and weekdays repeat. */
const CYCLE = 12_622_780_800n;

/** The seconds of a mean year. Counted from 1970, years start within a few days of January 1. */
const YEAR = CYCLE / 400n;

/** The largest Unix time, in seconds, that a JavaScript Date can hold. */
const DATE_LIMIT = 8_640_000_000_000n;

/** Zones with negative daylight saving time: their clocks go back in winter, or during Ramadan. */
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

  /** Compares the offset with those in January and July, because Intl does not tell. */
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
    // A numeric abbreviation counts only if the zone uses it at that time.
    return used ?? (digits ? undefined : offsets[0]);
  }
}

const zones = new Map<string, Location>();

/** Returns a zone of the tz database, under its own name or as `Local`. */
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
      // The tz database of the runtime is older than the table.
      throw unknown();
    }
    zones.set(key, location);
  }
  return location;
}

/**
 * Returns Go's `time.Local` on a machine in the given zone. As in Go, an empty or unknown name
 * means UTC.
 */
export function localZone(zone = "UTC"): Location {
  if (zone !== "UTC" && zone !== "" && namesOf(zone) !== undefined) return namedZone(zone, "Local");
  return LOCAL;
}

/** The default `time.Local`, which is UTC. */
export const LOCAL: Location = { ...fixedZone("UTC", 0), name: "Local" };

/** Go's `time.LoadLocation`, where `Local` means the given location. */
export function loadLocation(name: string, local: Location = LOCAL): Location {
  if (name === "" || name === "UTC") return UTC;
  if (name === "Local") return local;
  if (name.includes("..") || /^[/\\]/.test(name)) {
    throw new FunctionError("time: invalid location name");
  }
  return namedZone(name, name);
}
