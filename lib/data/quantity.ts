/**
 * Resource quantities (`500m`, `1.5Gi`, `1e3`): reads a text as its exact value, and returns the text that
 * Kubernetes would write for it, as `resource.Quantity` does.
 *
 * Values are exact: an integer and a power of ten. No powers are worked out before they are needed, so
 * that `1e999999999` costs no more than `1`.
 * @module
 */

/** The notation of a quantity, which decides how it is formatted. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** A parsed quantity: `digits` times ten to the power `exponent`. */
export interface Quantity {
  readonly digits: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** The original text, if Kubernetes considers it canonical and keeps it. */
  readonly typed?: string;
}

/** Why a text is not a quantity. */
export type QuantityErrorCode = "format" | "numeric" | "suffix";

const MESSAGES: Record<QuantityErrorCode, string> = {
  format:
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  numeric: "unable to parse numeric part of quantity",
  suffix: "unable to parse quantity's suffix",
};

/** The error for a text that is not a quantity, with Kubernetes' own message. */
export class QuantityError extends Error {
  readonly code: QuantityErrorCode;

  constructor(code: QuantityErrorCode) {
    super(MESSAGES[code]);
    this.name = "QuantityError";
    this.code = code;
  }
}

/**
 * The maximum length: more than any 64-bit number with an exponent needs. It bounds the big-integer
 * work.
 */
const MAX_LENGTH = 256;

/**
 * 18 digits always fit into 64 bits; up to this length, Kubernetes keeps texts that look canonical.
 */
const FAST_DIGITS = 18;

const NANO = -9;
const INT64_MAX = 2n ** 63n - 1n;

// Laxer than the expression in the message, as in Kubernetes: `+`, `.` and `Mi` are all zero.
const SHAPE = /^([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;

const DECIMAL_EXPONENTS = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const DECIMAL_SUFFIXES = new Map(
  Array.from(DECIMAL_EXPONENTS, ([suffix, power]) => [power, suffix]),
);
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/**
 * Parses a quantity.
 *
 * @example
 * ```ts
 * import { compareQuantities, parseQuantity } from "./quantity.ts";
 *
 * compareQuantities(parseQuantity("1024Mi"), parseQuantity("1Gi")); // 0
 * ```
 */
export function parseQuantity(text: string): Quantity {
  if (text === "") throw new QuantityError("format");
  const match = SHAPE.exec(text);
  if (match === null) throw new QuantityError("format");
  if (text.length > MAX_LENGTH) throw new QuantityError("numeric");
  const [, sign, zeros, significant, fraction = "", suffix] = match;
  const { format, power } = readSuffix(suffix);
  const whole = significant === "" ? "0" : significant;
  const parts = { negative: sign === "-", whole, fraction, power };
  const fast = format === "BinarySI" ? fastBinary(text, parts) : fastDecimal(text, parts, format);
  if (fast !== undefined) return fast;
  if (zeros + significant + fraction === "") throw new QuantityError("numeric");
  return parseExactly(parts, format);
}

/** The parts of a quantity: its digits, and the power that its suffix stands for. */
interface Parts {
  negative: boolean;
  whole: string;
  fraction: string;
  power: number;
}

function readSuffix(suffix: string): { format: QuantityFormat; power: number } {
  const decimal = DECIMAL_EXPONENTS.get(suffix);
  if (decimal !== undefined) return { format: "DecimalSI", power: decimal };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { format: "BinarySI", power: 10 * binary };
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) throw new QuantityError("suffix");
  const power = BigInt(suffix.replace(/^[eE]\+?/, ""));
  if (power > INT64_MAX || power < -INT64_MAX - 1n) throw new QuantityError("suffix");
  // Go truncates the exponent to 32 bits without a check.
  return { format: "DecimalExponent", power: Number(BigInt.asIntN(32, power)) };
}

/** Parses numbers of up to 18 digits and no finer than nano, which may keep their original text. */
function fastDecimal(text: string, parts: Parts, format: QuantityFormat): Quantity | undefined {
  const numerals = parts.whole + parts.fraction;
  const exponent = parts.power - parts.fraction.length;
  if (numerals.length > FAST_DIGITS || exponent < NANO) return undefined;
  const digits = signed(BigInt(numerals), parts.negative);
  const isCanonical = exponent % 3 === 0 && !numerals.endsWith("000") && numerals[0] !== "0";
  return isCanonical ? { digits, exponent, format, typed: text } : { digits, exponent, format };
}

function fastBinary(text: string, parts: Parts): Quantity | undefined {
  if (parts.fraction !== "") return undefined;
  // A power of 2^10 takes about three of the fifteen digits that are certainly exact.
  if (parts.whole.length + Math.trunc(parts.power * 3 / 10) > 14) return undefined;
  const count = BigInt(parts.whole);
  const digits = signed(count << BigInt(parts.power), parts.negative);
  // Kubernetes assumes that only multiples of 8 can be multiples of 1024 and need a larger suffix.
  const isCanonical = (count & 7n) !== 0n;
  const quantity = { digits, exponent: 0, format: "BinarySI" } as const;
  return isCanonical ? { ...quantity, typed: text } : quantity;
}

/** Parses any other number: rounded up to a whole nano and, if binary, capped at 2^63 - 1. */
function parseExactly(parts: Parts, format: QuantityFormat): Quantity {
  let digits = BigInt(parts.whole + parts.fraction);
  let exponent = -parts.fraction.length;
  if (format === "BinarySI") digits <<= BigInt(parts.power);
  else exponent += parts.power;
  if (exponent < NANO) {
    digits = shiftRight(digits, NANO - exponent);
    exponent = NANO;
  }
  if (format === "BinarySI") {
    // A binary exponent is at least -9 here, so these powers are small.
    const one = 10n ** BigInt(-exponent);
    if (digits > INT64_MAX * one) {
      return { digits: signed(INT64_MAX, parts.negative), exponent: 0, format };
    }
    if (digits > 0n && digits < one) format = "DecimalSI";
  }
  return { digits: signed(digits, parts.negative), exponent, format };
}

function signed(size: bigint, negative: boolean): bigint {
  return negative ? -size : size;
}

/** Divides by a power of ten, rounding away from zero. */
function shiftRight(digits: bigint, places: number): bigint {
  if (places === 0 || digits === 0n) return digits;
  const away = digits < 0n ? -1n : 1n;
  // All digits are rounded away: only whether there were any matters.
  if (places > String(digits).length) return away;
  const divisor = 10n ** BigInt(places);
  const whole = digits / divisor;
  return digits % divisor === 0n ? whole : whole + away;
}

/** The place of the first digit. */
function magnitude(quantity: Quantity): number {
  const { digits } = quantity;
  return String(digits < 0n ? -digits : digits).length + quantity.exponent;
}

/**
 * Returns the text of a quantity after Kubernetes has decoded and encoded it: `0.5` becomes `500m`
 * and `1024Mi` becomes `1Gi`, while `01` and `+5` stay unchanged.
 *
 * @example
 * ```ts
 * import { canonicalQuantity } from "./quantity.ts";
 *
 * canonicalQuantity("1.5Gi"); // "1536Mi"
 * ```
 */
export function canonicalQuantity(text: string | number): string {
  const given = String(text).trim();
  const known = canonicals.get(given);
  if (known !== undefined) return known;
  const quantity = parseQuantity(given);
  const canonical = quantity.typed ?? formatQuantity(quantity);
  if (canonicals.size >= MAX_KNOWN) canonicals.clear();
  if (given.length <= MAX_KNOWN_LENGTH) canonicals.set(given, canonical);
  return canonical;
}

/**
 * The cache size. The pods of a cluster share a few dozen quantities; these entries are at most 40
 * KB.
 */
const MAX_KNOWN = 512;
const MAX_KNOWN_LENGTH = 20;
const canonicals = new Map<string, string>();

/**
 * Formats a quantity as a whole number, with the largest suffix of its format that keeps it exact.
 */
export function formatQuantity(quantity: Quantity): string {
  const { digits, format } = quantity;
  if (digits === 0n) return "0";
  const isBinary = format === "BinarySI" && isWhole(quantity) && magnitudeAtLeast1024(quantity);
  if (isBinary) return formatBinary(digits / 10n ** BigInt(-quantity.exponent));
  let number = digits;
  let exponent = quantity.exponent;
  while (number % 10n === 0n) {
    number /= 10n;
    exponent++;
  }
  for (; exponent % 3 !== 0; exponent--) number *= 10n;
  if (format === "DecimalExponent") return exponent === 0 ? `${number}` : `${number}e${exponent}`;
  // There is no suffix above `E`; Kubernetes omits it.
  return `${number}${DECIMAL_SUFFIXES.get(exponent) ?? ""}`;
}

function formatBinary(value: bigint): string {
  let number = value;
  let times = 0;
  while (number % 1024n === 0n) {
    number /= 1024n;
    times++;
  }
  return `${number}${BINARY_SUFFIXES[times] ?? ""}`;
}

/** Reports whether no fraction is lost; binary quantities never have a positive exponent. */
function isWhole({ digits, exponent }: Quantity): boolean {
  return exponent === 0 || exponent < 0 && digits % 10n ** BigInt(-exponent) === 0n;
}

function magnitudeAtLeast1024(quantity: Quantity): boolean {
  const size = quantity.digits < 0n ? -quantity.digits : quantity.digits;
  return size >= 1024n * 10n ** BigInt(-quantity.exponent);
}

/**
 * Returns the value in whole units, rounded away from zero, like `Quantity.Value()`. Values beyond
 * 64 bits are capped, where Kubernetes overflows.
 */
export function quantityValue(quantity: Quantity): bigint {
  const { digits, exponent } = quantity;
  if (exponent <= 0) return clamp(shiftRight(digits, -exponent));
  if (digits === 0n) return 0n;
  return magnitude(quantity) > 20
    ? clamp(digits * 10n ** 20n)
    : clamp(digits * 10n ** BigInt(exponent));
}

function clamp(value: bigint): bigint {
  if (value > INT64_MAX) return INT64_MAX;
  return value < -INT64_MAX - 1n ? -INT64_MAX - 1n : value;
}
