/** Reads the Kubernetes API scalars that JSON carries as strings: times and quantities. */
import { type GoTime, parseTime, RFC3339, UTC, ZERO_TIME } from "../go/time.ts";

/** Parses an RFC 3339 time; any other value is Go's zero time. */
export function instantOf(bare: unknown): GoTime {
  if (typeof bare !== "string") return ZERO_TIME;
  try {
    return parseTime(RFC3339, bare, UTC);
  } catch {
    return ZERO_TIME;
  }
}

/** Returns a quantity's canonical text; `{}` is the zero value. */
export function quantityText(bare: unknown): string {
  return typeof bare === "string" ? bare : typeof bare === "number" ? String(bare) : "0";
}

/** The decimal suffixes in steps of a thousand, from nano. */
const DECIMAL = "num kMGTPE";
const QUANTITY = /^([+-]?)(\d*)\.?(\d*)(?:([KMGTPE])i|([numkMGTPE])|[eE]([+-]?\d{1,3}))?$/;

/** Returns a quantity as a fraction, or 0 if the text is not a quantity. */
export function quantityValue(text: string): { numerator: bigint; denominator: bigint } {
  const match = QUANTITY.exec(text);
  if (match === null) return { numerator: 0n, denominator: 1n };
  const [, sign, whole, fraction, binary, decimal, exponent] = match;
  let numerator = BigInt(`${whole}${fraction}` || "0");
  let tens = -fraction.length + Number(exponent ?? 0);
  if (decimal !== undefined) tens += (DECIMAL.indexOf(decimal) - 3) * 3;
  if (binary !== undefined) numerator <<= BigInt(("KMGTPE".indexOf(binary) + 1) * 10);
  if (tens > 0) numerator *= 10n ** BigInt(tens);
  if (sign === "-") numerator = -numerator;
  return { numerator, denominator: tens < 0 ? 10n ** BigInt(-tens) : 1n };
}

/** Scales a quantity and rounds away from zero, as Go does. */
export function roundedQuantity(text: string, scale: bigint): bigint {
  const { numerator, denominator } = quantityValue(text);
  const scaled = numerator * scale;
  const away = scaled % denominator === 0n ? 0n : scaled > 0n ? 1n : -1n;
  return scaled / denominator + away;
}
