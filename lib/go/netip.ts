/**
 * Go's `net/netip`, the reading half: whether a text is an IP address or a CIDR prefix, and if not, why
 * not in Go's words. Also `net.SplitHostPort`. Nothing is kept of an address but its family and zone.
 */
import { quote } from "./strconv.ts";
import { FunctionError } from "./value.ts";

/** Thrown for a text that is no address, prefix or host and port; the message is Go's. */
export class AddressError extends FunctionError {
  override name = "AddressError";
}

export interface Address {
  readonly family: 4 | 6;
  /** What follows a `%`; "" for none. */
  readonly zone: string;
}

/** Go's `netip.ParseAddr`. */
export function parseAddr(text: string): Address {
  // The first of these three decides what the text is meant to be.
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".":
      checkIpv4(text, text);
      return { family: 4, zone: "" };
    case ":":
      return parseIpv6(text);
    case "%":
      throw addressError(text, "missing IPv6 address");
    default:
      throw addressError(text, "unable to parse IP");
  }
}

/** Go's `netip.ParsePrefix`; gives the number of bits. */
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
  // A single digit may be zero; past 64 bits Go's Atoi fails, before the range is looked at.
  if (!/^(?:\d|[1-9]\d+)$/.test(bits) || BigInt(bits) >= 1n << 63n) {
    throw prefixError(text, `bad bits after slash: ${quote(bits)}`);
  }
  if (Number(bits) > (address.family === 4 ? 32 : 128)) {
    throw prefixError(text, "prefix length out of range");
  }
  return { address, bits: Number(bits) };
}

/** Go's `net.SplitHostPort`: `host:port`, `[host]:port`; neither part is looked at. */
export function splitHostPort(text: string): { host: string; port: string } {
  const fail = (why: string) => new AddressError(text === "" ? why : `address ${text}: ${why}`);
  const colon = text.lastIndexOf(":");
  if (colon < 0) throw fail("missing port in address");
  let host = text.slice(0, colon);
  // Where brackets may not stand any more.
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

/** `at`: the part not yet read, which Go shows. */
function addressError(text: string, message: string, at = ""): AddressError {
  const place = at === "" ? "" : ` (at ${quote(at)})`;
  return new AddressError(`ParseAddr(${quote(text)}): ${message}${place}`);
}

function prefixError(text: string, message: string): AddressError {
  return new AddressError(`netip.ParsePrefix(${quote(text)}): ${message}`);
}

/** Checks the dotted part of a text, which may be all of it. */
function checkIpv4(text: string, dotted: string): void {
  let fields = 0;
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
      if (fields === 3) throw addressError(text, "IPv4 address too long");
      fields++;
      digits = "";
    } else {
      throw addressError(text, "unexpected character", dotted.slice(i));
    }
  }
  if (fields < 3) throw addressError(text, "IPv4 address too short");
}

/** Bytes of an IPv6 address; a group fills two. */
const IPV6_BYTES = 16;

function parseIpv6(text: string): Address {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") throw addressError(text, "zone must be a non-empty string");
  let rest = percent < 0 ? text : text.slice(0, percent);
  let elided = rest.startsWith("::");
  if (elided) {
    rest = rest.slice(2);
    if (rest === "") return { family: 6, zone };
  }
  let filled = 0;
  while (filled < IPV6_BYTES) {
    const group = /^[0-9a-fA-F]*/.exec(rest)![0];
    if (group.length > 4) throw addressError(text, "each group must have 4 or less digits", rest);
    if (group === "") {
      const message = "each colon-separated field must have at least one digit";
      throw addressError(text, message, rest);
    }
    if (rest[group.length] === ".") {
      if (!elided && filled !== IPV6_BYTES - 4) {
        const message = "embedded IPv4 address must replace the final 2 fields of the address";
        throw addressError(text, message, rest);
      }
      if (filled + 4 > IPV6_BYTES) {
        const message = "too many hex fields to fit an embedded IPv4 at the end of the address";
        throw addressError(text, message, rest);
      }
      checkIpv4(text, rest);
      rest = "";
      filled += 4;
      break;
    }
    filled += 2;
    rest = rest.slice(group.length);
    if (rest === "") break;
    if (rest[0] !== ":") throw addressError(text, "unexpected character, want colon", rest);
    if (rest === ":") throw addressError(text, "colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest[0] === ":") {
      if (elided) throw addressError(text, "multiple :: in address", rest);
      elided = true;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  if (rest !== "") throw addressError(text, "trailing garbage after address", rest);
  if (filled < IPV6_BYTES && !elided) throw addressError(text, "address string too short");
  if (filled === IPV6_BYTES && elided) {
    throw addressError(text, "the :: must expand to at least one field of zeros");
  }
  return { family: 6, zone };
}
