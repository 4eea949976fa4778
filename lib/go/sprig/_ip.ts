/** IP addresses as Go's `netip.ParseAddr` reads them, and its words for what it does not read. */

import { quote } from "../strconv.ts";
import { FunctionError } from "../value.ts";

/** An address: four or sixteen bytes, and the zone of an IPv6 address. */
export interface Address {
  readonly bytes: Uint8Array;
  readonly zone: string;
}

/** Reads an address; throws {@link FunctionError} with Go's text. */
export function parseAddress(text: string): Address {
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".":
      return { bytes: Uint8Array.from(parseIPv4(text, text)), zone: "" };
    case ":":
      return parseIPv6(text);
    case "%":
      throw addressError(text, "missing IPv6 address");
    default:
      throw addressError(text, "unable to parse IP");
  }
}

function addressError(text: string, message: string, at = ""): FunctionError {
  const place = at && ` (at ${quote(at)})`;
  return new FunctionError(`ParseAddr(${quote(text)}): ${message}${place}`);
}

/** The four fields of `part`, which is an IPv4 address inside of `whole`. */
function parseIPv4(part: string, whole: string): number[] {
  const fields: number[] = [];
  let digits = "";
  for (let i = 0; i < part.length; i++) {
    const c = part[i];
    if (c >= "0" && c <= "9") {
      if (digits === "0") throw addressError(whole, "IPv4 field has octet with leading zero");
      digits += c;
      if (Number(digits) > 255) throw addressError(whole, "IPv4 field has value >255");
    } else if (c !== ".") {
      throw addressError(whole, "unexpected character", part.slice(i));
    } else {
      if (digits === "" || i === part.length - 1) {
        throw addressError(whole, "IPv4 field must have at least one digit", part.slice(i));
      }
      if (fields.length === 3) throw addressError(whole, "IPv4 address too long");
      fields.push(Number(digits));
      digits = "";
    }
  }
  if (fields.length < 3) throw addressError(whole, "IPv4 address too short");
  return [...fields, Number(digits)];
}

function parseIPv6(whole: string): Address {
  const percent = whole.indexOf("%");
  const zone = percent < 0 ? "" : whole.slice(percent + 1);
  if (percent >= 0 && zone === "") throw addressError(whole, "zone must be a non-empty string");
  let rest = percent < 0 ? whole : whole.slice(0, percent);
  const bytes: number[] = [];
  /** Where `::` stands among the bytes, or -1. */
  let ellipsis = -1;
  if (rest.startsWith("::")) {
    ellipsis = 0;
    rest = rest.slice(2);
  }
  while (bytes.length < 16 && !(rest === "" && ellipsis === 0 && bytes.length === 0)) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)![0];
    if (digits.length > 4) {
      throw addressError(whole, "each group must have 4 or less digits", rest);
    }
    if (digits === "") {
      const message = "each colon-separated field must have at least one digit";
      throw addressError(whole, message, rest);
    }
    if (rest[digits.length] === ".") {
      if (ellipsis < 0 && bytes.length !== 12) {
        const message = "embedded IPv4 address must replace the final 2 fields of the address";
        throw addressError(whole, message, rest);
      }
      if (bytes.length > 12) {
        const message = "too many hex fields to fit an embedded IPv4 at the end of the address";
        throw addressError(whole, message, rest);
      }
      bytes.push(...parseIPv4(rest, whole));
      rest = "";
      break;
    }
    const value = parseInt(digits, 16);
    bytes.push(value >> 8, value & 0xff);
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (rest[0] !== ":") throw addressError(whole, "unexpected character, want colon", rest);
    if (rest.length === 1) {
      throw addressError(whole, "colon must be followed by more characters", rest);
    }
    rest = rest.slice(1);
    if (rest[0] === ":") {
      if (ellipsis >= 0) throw addressError(whole, "multiple :: in address", rest);
      ellipsis = bytes.length;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  if (rest !== "") throw addressError(whole, "trailing garbage after address", rest);
  if (bytes.length < 16) {
    if (ellipsis < 0) throw addressError(whole, "address string too short");
    bytes.splice(ellipsis, 0, ...new Array<number>(16 - bytes.length).fill(0));
  } else if (ellipsis >= 0) {
    throw addressError(whole, "the :: must expand to at least one field of zeros");
  }
  return { bytes: Uint8Array.from(bytes), zone };
}
