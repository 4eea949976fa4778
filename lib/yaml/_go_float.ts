/**
 * Number texts as Go's `strconv.FormatFloat(x, 'g', -1, bits)` writes them: the shortest digits that
 * read back the same, with an exponent from 1e+06 up and from 1e-05 down (two digits at least).
 * @module
 */

/** Writes a finite double. */
export function formatFloat64(value: number): string {
  return layOut(value.toExponential(), value);
}

/**
 * Writes the nearest single-precision number, which is how a float becomes a key: 123456789.1 turns
 * into `1.2345679e+08`. What does not fit is `.inf`, `-.inf` or `.nan`.
 */
export function formatFloat32(value: number): string {
  const single = Math.fround(value);
  if (Number.isNaN(single)) return ".nan";
  if (!Number.isFinite(single)) return single > 0 ? ".inf" : "-.inf";
  // Nine significant digits always tell two singles apart.
  for (let digits = 1; digits < 9; digits++) {
    const text = single.toExponential(digits - 1);
    if (Math.fround(Number(text)) === single) return layOut(text, single);
  }
  return layOut(single.toExponential(8), single);
}

/** Lays out `d.ddde±x` by the rules of 'g'. */
function layOut(exponential: string, value: number): string {
  const split = exponential.indexOf("e");
  const exponent = Number(exponential.slice(split + 1));
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative ? "-" : "";
  const digits = exponential.slice(exponential[0] === "-" ? 1 : 0, split).replace(".", "");
  if (exponent < -4 || exponent >= 6) return withExponent(sign, digits, exponent);
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) {
    return sign + digits + "0".repeat(exponent + 1 - digits.length);
  }
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

function withExponent(sign: string, digits: string, exponent: number): string {
  const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
}
