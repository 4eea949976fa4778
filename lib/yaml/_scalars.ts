/**
 * Resolves plain YAML 1.1 scalars as Kubernetes does.
 *
 * Takes a text and returns a JSON value, or the same text if it is a string. The reader resolves values
 * with it; the writer checks which strings need quotes. Quotes, folding and tags are handled elsewhere.
 */

/** Words with a meaning, in the exact case forms that count: `oN` is a string. */
const WORDS = new Map<string, boolean | null | number>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((word) =>
    [word, true] as const
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((word) =>
    [word, false] as const
  ),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Infinity] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, -Infinity] as const),
]);

/** The length of the longest word, so that longer texts skip the lookup. */
const LONGEST_WORD = 5;

const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/** Integers with fewer than 16 decimal digits are below 2^53 and exact as a number. */
const SAFE_DIGITS = 15;

const DECIMAL_FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

// Go's ParseFloat parses a float that starts with its dot, and allows `_` only between digits.
const DOT_FLOAT = /^\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?$/;

const INTEGER =
  /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]*)|([1-9][0-9]*))$/;

// Go's fallback for `0b` parses the rest as a signed number, so `0b-101` is minus five.
const SIGNED_BINARY = /^0b([-+])([01]+)$/;

/** A resolved scalar. Integers above 2^53 stay exact; the caller converts them. */
export type PlainValue = string | number | bigint | boolean | null;

/** Resolves a plain scalar; a string is returned unchanged. */
export function resolvePlain(text: string): PlainValue {
  if (text.length === 0) return null;
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39 || first === 0x2b || first === 0x2d) {
    return resolveNumberLike(text);
  }
  // Only these letters, `~` and `.` start a word with a meaning.
  switch (first) {
    case 0x2e: // .
      if (DOT_FLOAT.test(text)) {
        const value = Number(text.replaceAll("_", ""));
        return Number.isFinite(value) ? value : text;
      }
      return lookUp(text);
    case 0x4e: // N
    case 0x6e:
    case 0x4f: // O
    case 0x6f:
    case 0x46: // F
    case 0x66:
    case 0x54: // T
    case 0x74:
    case 0x59: // Y
    case 0x79:
    case 0x7e: // ~
      return lookUp(text);
    default:
      return text;
  }
}

function lookUp(text: string): PlainValue {
  if (text.length > LONGEST_WORD) return text;
  const value = WORDS.get(text);
  return value === undefined ? text : value;
}

function resolveNumberLike(text: string): PlainValue {
  if (text.length <= SAFE_DIGITS && isPlainDecimal(text)) return Number(text);
  const word = lookUp(text);
  if (word !== text) return word;
  const plain = text.includes("_") ? text.replaceAll("_", "") : text;
  const integer = parseGoInteger(plain);
  if (integer !== undefined) {
    return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  }
  if (DECIMAL_FLOAT.test(plain)) {
    const value = Number(plain);
    // Go treats a number out of range as a string.
    if (Number.isFinite(value)) return value;
  }
  return text;
}

/** Reports whether a text is only digits without a leading zero, like most numbers. */
function isPlainDecimal(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first === 0x30) return text.length === 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/**
 * Parses an integer like Go's `ParseInt(s, 0, 64)` followed by `ParseUint`; `_` is already removed. Returns
 * `undefined` if the text is not a 64-bit integer.
 */
function parseGoInteger(plain: string): bigint | undefined {
  const match = INTEGER.exec(plain);
  if (match === null) {
    const binary = SIGNED_BINARY.exec(plain);
    if (binary === null) return undefined;
    const size = BigInt(`0b${binary[2]}`);
    if (binary[1] === "+") return size <= INT64_MAX ? size : undefined;
    return size <= INT64_MAX + 1n ? -size : undefined;
  }
  const [, sign, hex, octal, binary, oldOctal, decimal] = match;
  // Too long for 64 bits in any base. Spares BigInt the work on a hostile megabyte.
  if (plain.length > 70) {
    const digits = (hex ?? octal ?? binary ?? oldOctal ?? decimal ?? "").replace(/^0+/, "");
    if (digits.length > 64) return undefined;
  }
  const size = hex !== undefined
    ? BigInt(`0x${hex}`)
    : octal !== undefined
    ? BigInt(`0o${octal}`)
    : binary !== undefined
    ? BigInt(`0b${binary}`)
    : oldOctal !== undefined
    ? BigInt(oldOctal === "" ? 0 : `0o${oldOctal}`)
    : BigInt(decimal!);
  if (sign === "-") return size <= INT64_MAX + 1n ? -size : undefined;
  if (size <= INT64_MAX) return size;
  // Go does not parse an unsigned number with a plus sign.
  return sign === "" && size <= UINT64_MAX ? size : undefined;
}

/** Reports whether Go keeps a number as an integer, which affects how it is written as a key. */
export function isGoInteger(text: string): boolean {
  return parseGoInteger(text.replaceAll("_", "")) !== undefined;
}

/** Reports whether a value fits Go's `int64`; larger keys are rejected. */
export function fitsInt64(value: bigint): boolean {
  return value <= INT64_MAX;
}

const TIMESTAMP =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:([tT]| +)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(Z|[-+]([0-9]{2}):([0-9]{2}))?)?$/;

/**
 * Reports whether a text has one of go-yaml's four date forms. Dates stay strings, but the writer must
 * quote them, and `!!timestamp` accepts nothing else.
 */
export function isTimestamp(text: string): boolean {
  const first = text.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39) || text.charCodeAt(4) !== 0x2d) return false;
  const match = TIMESTAMP.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(month, year)) return false;
  const separator = match[4];
  if (separator === undefined) return true;
  if (Number(match[5]) > 23 || Number(match[6]) > 59 || Number(match[7]) > 59) return false;
  const zone = match[8];
  // Only the form with a T has a zone, and it is required there.
  if (separator === "T" || separator === "t") {
    if (zone === undefined) return false;
    // Go accepts offsets of 24 hours and of 60 minutes.
    return zone === "Z" || Number(match[9]) <= 24 && Number(match[10]) <= 60;
  }
  return zone === undefined;
}

function daysIn(month: number, year: number): number {
  if (month === 2) {
    return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  }
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
