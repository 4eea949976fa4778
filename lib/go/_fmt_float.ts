/**
 * Formats and parses floating-point numbers as Go's `strconv.FormatFloat` and `ParseFloat` do.
 *
 * The shortest digits come from the runtime, which finds the same ones. A given precision is
 * rounded half to even from the exact decimal expansion, because `toFixed` rounds half up.
 */

/** The number `0.d₁d₂d₃… × 10^point`, without trailing zeros. Zero has no digits. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

export type FloatFormat = "b" | "e" | "E" | "f" | "F" | "g" | "G" | "x" | "X";

const scratch = new DataView(new ArrayBuffer(8));

/** Splits a number so that `|value| = mantissa × 2^exponent`. */
function split(value: number, bits: number): { mantissa: bigint; exponent: number } {
  if (bits === 32) {
    scratch.setFloat32(0, value);
    const word = scratch.getUint32(0);
    const biased = word >>> 23 & 0xff;
    const fraction = BigInt(word & 0x7fffff);
    return biased === 0
      ? { mantissa: fraction, exponent: -149 }
      : { mantissa: fraction | 1n << 23n, exponent: biased - 150 };
  }
  scratch.setFloat64(0, value);
  const word = scratch.getBigUint64(0);
  const biased = Number(word >> 52n & 0x7ffn);
  const fraction = word & (1n << 52n) - 1n;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 1n << 52n, exponent: biased - 1075 };
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

function fromExponential(text: string): Decimal {
  const at = text.indexOf("e");
  const digits = trimZeros(text.slice(0, at).replace(".", ""));
  return { digits, point: digits === "" ? 0 : Number(text.slice(at + 1)) + 1 };
}

/** Returns the exact decimal expansion of a float, which has fewer than 770 digits. */
function exact(value: number): Decimal {
  const { mantissa, exponent } = split(value, 64);
  if (mantissa === 0n) return { digits: "", point: 0 };
  const text = exponent >= 0
    ? (mantissa << BigInt(exponent)).toString()
    : (mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits: trimZeros(text), point: text.length + Math.min(exponent, 0) };
}

/** Rounds to `count` digits. With none, the result is zero or one unit of the place before. */
function round(decimal: Decimal, count: number): Decimal {
  const { digits, point } = decimal;
  if (count >= digits.length) return decimal;
  if (count < 0) return { digits: "", point: 0 };
  const next = digits.charCodeAt(count) - 48;
  const tie = next === 5 && digits.length === count + 1;
  const odd = count > 0 && (digits.charCodeAt(count - 1) & 1) === 1;
  if (!(tie ? odd : next >= 5)) {
    const kept = trimZeros(digits.slice(0, count));
    return { digits: kept, point: kept === "" ? 0 : point };
  }
  if (count === 0) return { digits: "1", point: point + 1 };
  const up = (BigInt(digits.slice(0, count)) + 1n).toString();
  return { digits: trimZeros(up), point: point + up.length - count };
}

function shortest(value: number, bits: number): Decimal {
  if (bits === 64) return fromExponential(value.toExponential());
  // Nine significant digits are enough for any float32.
  const all = exact(value);
  for (let n = 1; n < 9; n++) {
    const { digits, point } = round(all, n);
    if (Math.fround(Number(`0.${digits}e${point}`)) === value) return { digits, point };
  }
  return round(all, 9);
}

function writeExponent(exponent: number): string {
  const size = Math.abs(exponent);
  return (exponent < 0 ? "-" : "+") + (size < 10 ? "0" : "") + size;
}

function writeE({ digits, point }: Decimal, precision: number, letter: string): string {
  const fraction = precision > 0 ? "." + digits.slice(1, precision + 1).padEnd(precision, "0") : "";
  const exponent = digits === "" ? 0 : point - 1;
  return (digits[0] ?? "0") + fraction + letter + writeExponent(exponent);
}

function writeF({ digits, point }: Decimal, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  if (precision <= 0) return whole;
  const rest = point > 0 ? digits.slice(point) : "0".repeat(Math.min(-point, precision)) + digits;
  return whole + "." + rest.slice(0, precision).padEnd(precision, "0");
}

function writeHex(value: number, precision: number, upper: boolean): string {
  let { mantissa, exponent } = split(value, 64);
  if (mantissa === 0n) exponent = 0;
  else {
    // One bit before the point and 60 after it, which are 15 hexadecimal digits.
    const shift = 61 - mantissa.toString(2).length;
    mantissa <<= BigInt(shift);
    exponent += 60 - shift;
  }
  if (precision >= 0 && precision < 15) {
    const drop = BigInt(60 - 4 * precision);
    const kept = mantissa >> drop;
    const rest = mantissa - (kept << drop);
    const half = 1n << drop - 1n;
    const up = rest > half || rest === half && (kept & 1n) === 1n;
    mantissa = kept + (up ? 1n : 0n) << drop;
    if (mantissa >> 61n) {
      mantissa >>= 1n;
      exponent++;
    }
  }
  const digits = (mantissa & (1n << 60n) - 1n).toString(16).padStart(15, "0");
  const fraction = precision < 0 ? trimZeros(digits) : digits.slice(0, precision);
  const body = fraction.padEnd(Math.max(precision, 0), "0");
  const text = `0x${mantissa >> 60n}${body && "."}${body}p${writeExponent(exponent)}`;
  return upper ? text.toUpperCase() : text;
}

/**
 * Go's `strconv.FormatFloat`. A negative precision means the fewest digits that parse back to the
 * same number of `bits` (32 or 64).
 */
export function formatFloat(
  value: number,
  format: FloatFormat,
  precision: number,
  bits = 64,
): string {
  if (value !== value) return "NaN";
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = Math.abs(value);
  if (format === "b") {
    const { mantissa, exponent } = split(size, bits);
    return `${sign}${mantissa}p${exponent < 0 ? "" : "+"}${exponent}`;
  }
  if (format === "x" || format === "X") return sign + writeHex(size, precision, format === "X");
  const auto = precision < 0;
  switch (format) {
    case "e":
    case "E": {
      const decimal = auto ? shortest(size, bits) : round(exact(size), precision + 1);
      const after = auto ? Math.max(decimal.digits.length - 1, 0) : precision;
      return sign + writeE(decimal, after, format);
    }
    case "f":
    case "F": {
      let decimal = auto ? shortest(size, bits) : exact(size);
      if (!auto) decimal = round(decimal, decimal.point + precision);
      return sign + writeF(decimal, auto ? decimal.digits.length - decimal.point : precision);
    }
    default: {
      const count = Math.max(precision, 1);
      const decimal = auto ? shortest(size, bits) : round(exact(size), count);
      const { digits, point } = decimal;
      // Go switches to %e at 1e6 for the shortest digits, otherwise where the precision ends.
      let limit = auto ? 6 : count;
      if (!auto && limit > digits.length && digits.length >= point) limit = digits.length;
      const exponent = point - 1;
      if (exponent < -4 || exponent >= limit) {
        return sign + writeE(decimal, Math.max(digits.length - 1, 0), format === "g" ? "e" : "E");
      }
      return sign + writeF(decimal, Math.max(digits.length - point, 0));
    }
  }
}

/** Returns what `%v` prints for a float64: `FormatFloat(value, 'g', -1, 64)`. */
export function formatFloatShortest(value: number): string {
  const size = Math.abs(value);
  // In this range JavaScript prints the same text.
  if (size >= 1e-4 && size < 1e6) return String(value);
  return formatFloat(value, "g", -1);
}

// Both match in linear time, because no text matches in two ways.
const DECIMAL = /^[+-]?[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9][0-9_]*)?$/;
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F_]*)(?:\.([0-9a-fA-F_]*))?[pP]([+-]?[0-9][0-9_]*)$/;

/** Reports whether every underscore is between digits or between a base prefix and a digit. */
export function underscoresFit(text: string): boolean {
  const hex = /^[+-]?0[xX]/.test(text);
  const digits = text.replace(/^([+-]?)0[bBoOxX]/, "$10");
  return hex
    ? !/(?:^|[^0-9a-fA-F])_|_(?:[^0-9a-fA-F]|$)/.test(digits)
    : !/(?:^|[^0-9])_|_(?:[^0-9]|$)/.test(digits);
}

function fromHex(whole: string, fraction: string, exponent: number): number {
  let mantissa = BigInt("0x0" + whole + fraction);
  let power = exponent - 4 * fraction.length;
  if (mantissa === 0n) return 0;
  // Keep the 53 bits that fit (fewer for subnormal numbers) and round by the others.
  const length = mantissa.toString(2).length;
  if (length + power > 1025) return Infinity;
  const drop = Math.max(length - 53, -1074 - power);
  if (drop > length + 1) return 0;
  if (drop > 0) {
    const low = BigInt(drop);
    const kept = mantissa >> low;
    const rest = mantissa - (kept << low);
    const half = 1n << low - 1n;
    mantissa = kept + (rest > half || rest === half && (kept & 1n) === 1n ? 1n : 0n);
    power += drop;
  }
  // In two steps, because the power of two alone may be out of range.
  const first = Math.trunc(power / 2);
  return Number(mantissa) * 2 ** first * 2 ** (power - first);
}

/** Parses a number by the grammar of `strconv.ParseFloat`; `undefined` if the syntax is invalid. */
export function readFloat(text: string): number | undefined {
  const special = /^(?:(nan)|([+-]?)inf(?:inity)?)$/i.exec(text);
  if (special) return special[1] ? NaN : special[2] === "-" ? -Infinity : Infinity;
  if (text.includes("_") && !underscoresFit(text)) return undefined;
  const hex = HEXADECIMAL.exec(text);
  const bare = text.replaceAll("_", "");
  if (hex) {
    const [whole, fraction, exponent] = hex.slice(2).map((part) =>
      (part ?? "").replaceAll("_", "")
    );
    if (whole === "" && fraction === "") return undefined;
    const size = fromHex(whole, fraction, Math.max(-1e5, Math.min(1e5, Number(exponent))));
    return hex[1] === "-" ? -size : size;
  }
  if (!DECIMAL.test(text) || !/^[+-]?\.?[0-9]/.test(bare)) return undefined;
  return Number(bare);
}
