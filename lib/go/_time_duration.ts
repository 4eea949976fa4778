/** Go's `time.Duration`: a 64-bit count of nanoseconds, here a bigint. */
import { toBinary } from "../data/bytes.ts";
import { quoteBytes } from "./_time_quote.ts";
import { FunctionError } from "./value.ts";

export const MICROSECOND = 1_000n;
export const MILLISECOND = 1_000_000n;
export const SECOND = 1_000_000_000n;
export const MINUTE = 60n * SECOND;
export const HOUR = 60n * MINUTE;

export const MAX_DURATION = (1n << 63n) - 1n;
export const MIN_DURATION = -(1n << 63n);

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", MICROSECOND],
  ["\u00b5s", MICROSECOND],
  ["\u03bcs", MICROSECOND],
  ["ms", MILLISECOND],
  ["s", SECOND],
  ["m", MINUTE],
  ["h", HOUR],
]);

/** Returns the digits of a fraction as a number and its scale, dropping what exceeds 64 bits. */
function readFraction(digits: string): { value: bigint; scale: number } {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    if (value > MAX_DURATION / 10n) break;
    const next = value * 10n + BigInt(digit);
    if (next > 1n << 63n) break;
    value = next;
    scale *= 10;
  }
  return { value, scale };
}

/** A number with its unit. */
const PART = /([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/y;

/** Go's `time.ParseDuration`. */
export function parseDuration(text: string): bigint {
  const fail = (message: string) =>
    new FunctionError(`time: ${message} ${quoteBytes(toBinary(text))}`);
  const negative = text[0] === "-";
  const start = /^[+-]/.test(text) ? 1 : 0;
  const length = text.length - start;
  if (length === 1 && text[start] === "0") return 0n;
  if (length === 0) throw fail("invalid duration");
  let total = 0n;
  for (let at = start; at < text.length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const [, whole, fraction = "", name] = PART.exec(text)!;
    if (whole === "" && fraction === "") throw fail("invalid duration");
    // No int64 has more digits, and reading a very long number would take time.
    if (whole.length > 19 && whole.replace(/^0+/, "").length > 19) throw fail("invalid duration");
    const count = BigInt(whole);
    if (count > 1n << 63n) throw fail("invalid duration");
    if (name === "") throw fail("missing unit in duration");
    const unit = UNITS.get(name);
    if (unit === undefined) throw fail(`unknown unit ${quoteBytes(toBinary(name))} in duration`);
    if (count > (1n << 63n) / unit) throw fail("invalid duration");
    total += count * unit;
    if (fraction !== "") {
      const { value, scale } = readFraction(fraction);
      // In float64 as in Go, for the same last nanosecond.
      total += BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
    }
    if (total > 1n << 63n) throw fail("invalid duration");
  }
  if (negative) return -total;
  if (total > MAX_DURATION) throw fail("invalid duration");
  return total;
}

function decimal(value: bigint, unit: bigint): string {
  const rest = value % unit;
  if (rest === 0n) return `${value / unit}`;
  const digits = rest.toString().padStart(unit.toString().length - 1, "0");
  return `${value / unit}.${digits.replace(/0+$/, "")}`;
}

/** Go's `Duration.String`: `1h2m3.5s`, `1.5ms`. */
export function formatDuration(duration: bigint): string {
  if (duration === 0n) return "0s";
  const sign = duration < 0n ? "-" : "";
  const size = duration < 0n ? -duration : duration;
  if (size < MICROSECOND) return `${sign}${size}ns`;
  if (size < MILLISECOND) return `${sign}${decimal(size, MICROSECOND)}\u00b5s`;
  if (size < SECOND) return `${sign}${decimal(size, MILLISECOND)}ms`;
  const hours = size / HOUR;
  const minutes = size % HOUR / MINUTE;
  const seconds = `${decimal(size % MINUTE, SECOND)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : sign + seconds;
}

/** Go's `Duration.Seconds`, `Minutes` and `Hours`. */
export function inUnits(duration: bigint, unit: bigint): number {
  return Number(duration / unit) + Number(duration % unit) / Number(unit);
}

/** Go's `Duration.Truncate`. */
export function truncateDuration(duration: bigint, unit: bigint): bigint {
  return unit <= 0n ? duration : duration - duration % unit;
}

/** Go's `Duration.Round`: rounds halves away from zero, and saturates. */
export function roundDuration(duration: bigint, unit: bigint): bigint {
  if (unit <= 0n) return duration;
  const size = duration < 0n ? -duration : duration;
  const rest = size % unit;
  const rounded = rest * 2n < unit ? size - rest : size - rest + unit;
  return clampDuration(duration < 0n ? -rounded : rounded);
}

/** Returns the nearest duration that fits 64 bits. */
export function clampDuration(duration: bigint): bigint {
  if (duration > MAX_DURATION) return MAX_DURATION;
  return duration < MIN_DURATION ? MIN_DURATION : duration;
}
