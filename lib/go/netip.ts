/**
 * Go's `net/netip`: parses IP addresses and CIDR prefixes, with Go's errors. Also
 * `net.SplitHostPort`.
 */
import { quote } from "./strconv.ts";
import { FunctionError } from "./value.ts";

/** Text that is not an address, prefix, or host and port. The message is Go's. */
export class AddressError extends FunctionError {
  override name = "AddressError";
}

/** An IP address: 4 or 16 bytes, and the zone of an IPv6 address or "". */
export interface Address {
  readonly bytes: Uint8Array;
  readonly zone: string;
}

/** Go's `netip.ParseAddr`. */
export function parseAddr(text: string): Address {
  // The first of these characters tells the kind of address.
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".":
      return { bytes: Uint8Array.from(parseIpv4(text, text)), zone: "" };
    case ":":
      return parseIpv6(text);
    case "%":
      throw addressError(text, "missing IPv6 address");
    default:
      throw addressError(text, "unable to parse IP");
  }
}

/** Go's `netip.ParsePrefix`. */
export function parsePrefix(text: string): { address: Address; bits: number } {
  const slash = text.lastIndexOf("/");
  if (slash < 0) throw prefixError(text, "no '/'");
  let address: Address;
  try {
    address = parseAddr(text.slice(0, slash));
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw prefixError(text, error.message);
  }
  if (address.zone !== "") throw prefixError(text, "IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  // Only a single digit may be zero. Beyond 64 bits Go's Atoi fails, before the range check.
  if (!/^(?:\d|[1-9]\d+)$/.test(bits) || BigInt(bits) >= 1n << 63n) {
    throw prefixError(text, `bad bits after slash: ${quote(bits)}`);
  }
  if (Number(bits) > 8 * address.bytes.length) {
    throw prefixError(text, "prefix length out of range");
  }
  return { address, bits: Number(bits) };
}

/** Go's `net.SplitHostPort`: splits `host:port` or `[host]:port` and checks neither part. */
export function splitHostPort(text: string): { host: string; port: string } {
  const fail = (why: string) => new AddressError(text === "" ? why : `address ${text}: ${why}`);
  const colon = text.lastIndexOf(":");
  if (colon < 0) throw fail("missing port in address");
  let host = text.slice(0, colon);
  // Offsets from which brackets are not allowed.
  let [openFrom, closeFrom] = [0, 0];
  if (text.startsWith("[")) {
    const end = text.indexOf("]");
    if (end < 0) throw fail("missing ']' in address");
    if (end + 1 !== colon) {
      const more = text[end + 1] === ":";
      throw fail(more ? "too many colons in address" : "missing port in address");
    }
    host = text.slice(1, end);
    [openFrom, closeFrom] = [1, end + 1];
  } else if (host.includes(":")) {
    throw fail("too many colons in address");
  }
  if (text.includes("[", openFrom)) throw fail("unexpected '[' in address");
  if (text.includes("]", closeFrom)) throw fail("unexpected ']' in address");
  return { host, port: text.slice(colon + 1) };
}

/** Returns Go's error. `rest` is the text that was not parsed. */
function addressError(text: string, message: string, rest = ""): AddressError {
  const place = rest === "" ? "" : ` (at ${quote(rest)})`;
  return new AddressError(`ParseAddr(${quote(text)}): ${message}${place}`);
}

function prefixError(text: string, message: string): AddressError {
  return new AddressError(`netip.ParsePrefix(${quote(text)}): ${message}`);
}

/** Returns the four bytes of `dotted`, which is all of the text or the end of an IPv6 address. */
function parseIpv4(text: string, dotted: string): number[] {
  const bytes: number[] = [];
  let digits = "";
  for (let i = 0; i < dotted.length; i++) {
    const char = dotted[i];
    if (char >= "0" && char <= "9") {
      if (digits === "0") throw addressError(text, "IPv4 field has octet with leading zero");
      digits += char;
      if (Number(digits) > 255) throw addressError(text, "IPv4 field has value >255");
    } else if (char === ".") {
      if (digits === "" || i === dotted.length - 1) {
        throw addressError(text, "IPv4 field must have at least one digit", dotted.slice(i));
      }
      if (bytes.length === 3) throw addressError(text, "IPv4 address too long");
      bytes.push(Number(digits));
      digits = "";
    } else {
      throw addressError(text, "unexpected character", dotted.slice(i));
    }
  }
  if (bytes.length < 3) throw addressError(text, "IPv4 address too short");
  return [...bytes, Number(digits)];
}

const IPV6_BYTES = 16;

function parseIpv6(text: string): Address {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") throw addressError(text, "zone must be a non-empty string");
  let rest = percent < 0 ? text : text.slice(0, percent);
  const bytes: number[] = [];
  /** The index at which `::` stands for zeros, or -1. */
  let ellipsis = -1;
  if (rest.startsWith("::")) {
    ellipsis = 0;
    rest = rest.slice(2);
  }
  while (bytes.length < IPV6_BYTES && !(rest === "" && ellipsis === 0 && bytes.length === 0)) {
    const group = /^[0-9a-fA-F]*/.exec(rest)![0];
    if (group.length > 4) throw addressError(text, "each group must have 4 or less digits", rest);
    if (group === "") {
      const message = "each colon-separated field must have at least one digit";
      throw addressError(text, message, rest);
    }
    if (rest[group.length] === ".") {
      if (ellipsis < 0 && bytes.length !== IPV6_BYTES - 4) {
        const message = "embedded IPv4 address must replace the final 2 fields of the address";
        throw addressError(text, message, rest);
      }
      if (bytes.length + 4 > IPV6_BYTES) {
        const message = "too many hex fields to fit an embedded IPv4 at the end of the address";
        throw addressError(text, message, rest);
      }
      bytes.push(...parseIpv4(text, rest));
      rest = "";
      break;
    }
    const value = parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
    rest = rest.slice(group.length);
    if (rest === "") break;
    if (rest[0] !== ":") throw addressError(text, "unexpected character, want colon", rest);
    if (rest === ":") throw addressError(text, "colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest[0] === ":") {
      if (ellipsis >= 0) throw addressError(text, "multiple :: in address", rest);
      ellipsis = bytes.length;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  if (rest !== "") throw addressError(text, "trailing garbage after address", rest);
  if (bytes.length < IPV6_BYTES) {
    if (ellipsis < 0) throw addressError(text, "address string too short");
    bytes.splice(ellipsis, 0, ...new Array<number>(IPV6_BYTES - bytes.length).fill(0));
  } else if (ellipsis >= 0) {
    throw addressError(text, "the :: must expand to at least one field of zeros");
  }
  return { bytes: Uint8Array.from(bytes), zone };
}
