/**
 * Formats strings and numbers according to a directive: padding, precision, signs and prefixes.
 *
 * Widths and precisions count characters, and a byte that is not UTF-8 is one. Only `%x` counts
 * bytes.
 */
import { isAscii, toBytes } from "../data/bytes.ts";
import { type FloatFormat, formatFloat } from "./_fmt_float.ts";
import { canBackquote, isPrint, quote, quoteRune, quoteToAscii } from "./_fmt_quote.ts";

/** The flags, width and precision of a verb. `sharpV` and `plusV` mean `%#v` and `%+v`. */
export interface Directive {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  sharpV: boolean;
  plusV: boolean;
  width: number | undefined;
  precision: number | undefined;
}

export function newDirective(): Directive {
  return {
    plus: false,
    minus: false,
    sharp: false,
    space: false,
    zero: false,
    sharpV: false,
    plusV: false,
    width: undefined,
    precision: undefined,
  };
}

function runeCount(text: string): number {
  if (isAscii(text)) return text.length;
  let n = 0;
  for (const _ of text) n++;
  return n;
}

function padding(d: Directive, count: number, zero = d.zero): string {
  // Go pads with zeros only on the left.
  return count > 0 ? (zero && !d.minus ? "0" : " ").repeat(count) : "";
}

/** Pads text to the width, with zeros if `zero` is set. */
export function pad(d: Directive, text: string, zero = d.zero): string {
  if (!d.width) return text;
  const fill = padding(d, d.width - runeCount(text), zero);
  return d.minus ? text + fill : fill + text;
}

function truncate(d: Directive, text: string): string {
  if (d.precision === undefined || text.length <= d.precision) return text;
  if (isAscii(text)) return text.slice(0, d.precision);
  return [...text].slice(0, d.precision).join("");
}

export function layoutString(d: Directive, text: string): string {
  return pad(d, truncate(d, text));
}

export function layoutQuoted(d: Directive, text: string): string {
  const shown = truncate(d, text);
  if (d.sharp && canBackquote(shown)) return pad(d, "`" + shown + "`");
  return pad(d, d.plus ? quoteToAscii(shown) : quote(shown));
}

/** Formats a string or bytes with `%x`. */
export function hexOf(d: Directive, source: string | Uint8Array, upper: boolean): string {
  const all = typeof source === "string" ? toBytes(source) : source;
  const bytes = all.subarray(0, d.precision ?? all.length);
  if (bytes.length === 0) return padding(d, d.width ?? 0);
  const prefix = d.sharp ? (upper ? "0X" : "0x") : "";
  const parts = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  let text = parts.join(d.space ? " " + prefix : "");
  if (upper) text = text.toUpperCase();
  return pad(d, prefix + text);
}

const BASES: Readonly<Record<string, number>> = { d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

export function layoutInteger(
  d: Directive,
  value: bigint,
  verb: "d" | "b" | "o" | "O" | "x" | "X",
): string {
  const negative = value < 0n;
  const sign = negative ? "-" : d.plus ? "+" : d.space ? " " : "";
  let minDigits = 0;
  if (d.precision !== undefined) {
    // Go prints no digits for zero with precision zero.
    if (d.precision === 0 && value === 0n) return padding(d, d.width ?? 0, false);
    minDigits = d.precision;
  } else if (d.zero && !d.minus && d.width !== undefined) {
    minDigits = d.width - sign.length;
  }
  let digits = (negative ? -value : value).toString(BASES[verb]).padStart(minDigits, "0");
  if (verb === "X") digits = digits.toUpperCase();
  if (d.sharp) {
    if (verb === "b") digits = "0b" + digits;
    else if (verb === "x" || verb === "X") digits = "0" + verb + digits;
    else if (verb !== "d" && digits[0] !== "0") digits = "0" + digits;
  }
  if (verb === "O") digits = "0o" + digits;
  return pad(d, sign + digits, false);
}

/** Returns an integer as a code point; U+FFFD if it is not one. */
function codePointOf(value: bigint): number {
  const valid = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
  return valid ? Number(value) : 0xfffd;
}

export function layoutCharacter(d: Directive, value: bigint): string {
  return pad(d, String.fromCodePoint(codePointOf(value)));
}

export function layoutQuotedCharacter(d: Directive, value: bigint): string {
  return pad(d, quoteRune(codePointOf(value), d.plus));
}

export function layoutUnicode(d: Directive, value: bigint): string {
  const hex = BigInt.asUintN(64, value).toString(16).toUpperCase();
  let text = "U+" + hex.padStart(Math.max(d.precision ?? 0, 4), "0");
  if (d.sharp && value >= 0n && value <= 0x10ffffn && isPrint(Number(value))) {
    text += ` '${String.fromCodePoint(Number(value))}'`;
  }
  return pad(d, text, false);
}

/** Applies the `#` flag, which keeps the point and, for `%g`, the trailing zeros. */
function keepZeros(text: string, format: FloatFormat, precision: number): string {
  const hex = format === "x" || format === "X";
  const at = text.search(hex ? /[pP]/ : /[eE]/);
  const tail = at < 0 ? "" : text.slice(at);
  let number = at < 0 ? text : text.slice(0, at);
  let missing = 0;
  if (format === "g" || format === "G" || format === "x") {
    missing = (precision < 0 ? 6 : precision) - number.replace(".", "").replace(/^0+/, "").length;
  }
  if (!number.includes(".")) {
    if (number === "0") missing--;
    number += ".";
  }
  return number + "0".repeat(Math.max(missing, 0)) + tail;
}

export function layoutFloat(
  d: Directive,
  value: number,
  options: { format: FloatFormat; bits: number },
): string {
  const { format, bits } = options;
  const precision = d.precision ?? ("feE".includes(format) ? 6 : -1);
  const text = formatFloat(value, format, precision, bits);
  const signed = text[0] === "-" || text[0] === "+";
  let number = signed ? text.slice(1) : text;
  let sign = text[0] === "-" ? "-" : "+";
  if (d.space && sign === "+" && !d.plus) sign = " ";
  if (value !== value && !d.space && !d.plus) return pad(d, number, false);
  if (!Number.isFinite(value)) return pad(d, sign + number, false);
  if (d.sharp && format !== "b") number = keepZeros(number, format, precision);
  if (sign === "+" && !d.plus) return pad(d, number);
  // Zeros are put between the sign and the number.
  if (d.zero && !d.minus && d.width !== undefined && d.width > number.length + 1) {
    return sign + "0".repeat(d.width - number.length - 1) + number;
  }
  return pad(d, sign + number);
}
