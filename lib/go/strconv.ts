/**
 * Go's `strconv`: converts numbers, booleans and literals to text and back, with Go's errors.
 *
 * Invalid text throws a {@link NumberError}. It carries the value that Go returns besides the error
 * (zero, or the nearest value in range), for callers that ignore the error.
 */
import { quote } from "./_fmt_quote.ts";
import { readFloat, underscoresFit } from "./_fmt_float.ts";
import { FunctionError } from "./value.ts";

export { canBackquote, isPrint, quote, quoteToAscii, unquote, unquoteChar } from "./_fmt_quote.ts";
export { type FloatFormat, formatFloat, formatFloatShortest } from "./_fmt_float.ts";

/** Go's `*strconv.NumError`. */
export class NumberError<T> extends FunctionError {
  override name = "NumberError";
  /** The value that Go returns besides the error: zero, or the nearest value in range. */
  readonly value: T;
  constructor(func: string, text: string, details: { reason: string; value: T }) {
    super(`strconv.${func}: parsing ${quote(text)}: ${details.reason}`);
    this.value = details.value;
  }
}

const INVALID = "invalid syntax";
const RANGE = "value out of range";

/** Splits a literal into the base that its prefix means and its digits. */
function detectBase(text: string): { base: number; digits: string } {
  const prefix = /^0([bBoOxX])?/.exec(text);
  if (!prefix) return { base: 10, digits: text };
  if (text.length >= 3 && prefix[1]) {
    const letter = prefix[1].toLowerCase();
    return { base: letter === "b" ? 2 : letter === "o" ? 8 : 16, digits: text.slice(2) };
  }
  return { base: 8, digits: text.slice(1) };
}

function digitValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 0x20;
  return lower >= 97 && lower <= 122 ? lower - 87 : 36;
}

interface UnsignedResult {
  readonly value: bigint;
  readonly reason?: string;
}

function readUint(text: string, base: number, bits: number): UnsignedResult {
  if (text === "") return { value: 0n, reason: INVALID };
  const literal = base === 0;
  let digits = text;
  if (literal) ({ base, digits } = detectBase(text));
  else if (base < 2 || base > 36) return { value: 0n, reason: `invalid base ${base}` };
  if (bits < 0 || bits > 64) return { value: 0n, reason: `invalid bit size ${bits}` };
  const max = (1n << BigInt(bits || 64)) - 1n;
  let value = 0n;
  let underscores = false;
  for (let i = 0; i < digits.length; i++) {
    const code = digits.charCodeAt(i);
    if (code === 0x5f && literal) {
      underscores = true;
      continue;
    }
    const digit = digitValue(code);
    if (digit >= base) return { value: 0n, reason: INVALID };
    value = value * BigInt(base) + BigInt(digit);
    // Go stops here and does not look at the rest of the text.
    if (value > max) return { value: max, reason: RANGE };
  }
  if (underscores && !underscoresFit(text)) return { value: 0n, reason: INVALID };
  return { value };
}

function readInt(text: string, base: number, bits: number): UnsignedResult {
  if (text === "") return { value: 0n, reason: INVALID };
  const negative = text[0] === "-";
  const { value, reason } = readUint(/^[+-]/.test(text) ? text.slice(1) : text, base, bits);
  if (reason !== undefined && reason !== RANGE) return { value: 0n, reason };
  const limit = 1n << BigInt((bits || 64) - 1);
  if (negative) return value > limit ? { value: -limit, reason: RANGE } : { value: -value };
  return value >= limit ? { value: limit - 1n, reason: RANGE } : { value };
}

/** Returns the value of a parser, or the value that Go returns besides the error. */
export function ignoringError<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof NumberError) return error.value as T;
    throw error;
  }
}

/** Go's `strconv.ParseInt`. Base 0 accepts the syntax of Go literals; 0 bits mean 64. */
export function parseInt(text: string, base: number, bits: number): bigint {
  const { value, reason } = readInt(text, base, bits);
  if (reason !== undefined) throw new NumberError("ParseInt", text, { reason, value });
  return value;
}

/** Go's `strconv.ParseUint`. */
export function parseUint(text: string, base: number, bits: number): bigint {
  const { value, reason } = readUint(text, base, bits);
  if (reason !== undefined) throw new NumberError("ParseUint", text, { reason, value });
  return value;
}

/** Go's `strconv.Atoi`. */
export function atoi(text: string): bigint {
  const { value, reason } = readInt(text, 10, 64);
  if (reason !== undefined) throw new NumberError("Atoi", text, { reason, value });
  return value;
}

/** Go's `strconv.ParseFloat(text, 64)`. */
export function parseFloat(text: string): number {
  const value = readFloat(text);
  if (value === undefined) {
    throw new NumberError("ParseFloat", text, { reason: INVALID, value: 0 });
  }
  if (!Number.isFinite(value) && /[0-9]/.test(text)) {
    throw new NumberError("ParseFloat", text, { reason: RANGE, value });
  }
  return value;
}

/** Go's `strconv.ParseBool`. */
export function parseBool(text: string): boolean {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(?:0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw new NumberError("ParseBool", text, { reason: INVALID, value: false });
}
