/**
 * Validates network names in Istio's config: ports, domains and `host:port` addresses. Each check returns
 * Istio's error text, or `undefined` if the value is valid.
 */
import { byteLength } from "../data/bytes.ts";
import { AddressError, parseAddr, splitHostPort } from "../go/netip.ts";
import { atoi, NumberError, quote } from "../go/strconv.ts";

const LABEL = "[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?";
const DNS_LABEL = new RegExp(`^${LABEL}$`);
/** Matches `*`, or a label prefixed with `*` or `*-`. */
const WILDCARD_LABEL = new RegExp(`^(?:\\*|(?:\\*-?)?${LABEL})$`);
const MAX_LABEL = 63;
const MAX_DOMAIN = 255;

export function checkPort(port: number | bigint): string | undefined {
  if (port >= 1 && port <= 65535) return undefined;
  return `port number ${port} must be in the range 1..65535`;
}

/** Checks a `host:port` address, whose host is a domain or an IP address. */
export function checkProxyAddress(address: string): string | undefined {
  let host: string;
  let port: string;
  try {
    ({ host, port } = splitHostPort(address));
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return `unable to split ${quote(address)}: ${error.message}`;
  }
  const number = integerOf(port);
  if (number instanceof NumberError) return `port (${port}) is not a number: ${number.message}`;
  const problem = checkPort(number);
  if (problem !== undefined) return problem;
  const isHost = (checkDomainLength(host) ?? checkLabels(host)) === undefined;
  if (isHost || isAddress(host)) return undefined;
  return `${quote(host)} is not a valid hostname or an IP address`;
}

/** Checks a domain whose first label may be a wildcard. */
export function checkWildcardDomain(domain: string): string | undefined {
  const problem = checkDomainLength(domain);
  if (problem !== undefined) return problem;
  const dot = domain.indexOf(".");
  const first = dot < 0 ? domain : domain.slice(0, dot);
  if (byteLength(first) > MAX_LABEL || !WILDCARD_LABEL.test(first)) {
    return badLabel(domain, first);
  }
  return dot < 0 ? undefined : checkLabels(domain.slice(dot + 1));
}

export function checkTrustDomain(domain: string): string | undefined {
  if (domain === "") return "empty domain name not allowed";
  const labels = withoutRoot(domain.split("."));
  if (labels.every(isLabel)) return undefined;
  return `trust domain name ${quote(domain)} invalid`;
}

function checkDomainLength(domain: string): string | undefined {
  if (byteLength(domain) > MAX_DOMAIN) return `domain name ${quote(domain)} too long (max 255)`;
  return domain === "" ? "empty domain name not allowed" : undefined;
}

function checkLabels(domain: string): string | undefined {
  const labels = domain.split(".");
  const top = labels[labels.length - 1];
  if (!(integerOf(top) instanceof NumberError)) {
    return `domain name ${quote(domain)} invalid (top level domain ${
      quote(top)
    } cannot be all-numeric)`;
  }
  const bad = withoutRoot(labels).find((label) => !isLabel(label));
  return bad === undefined ? undefined : badLabel(domain, bad);
}

/** Drops the empty root label of a name such as `example.com.`. */
function withoutRoot(labels: string[]): string[] {
  return labels[labels.length - 1] === "" ? labels.slice(0, -1) : labels;
}

function badLabel(domain: string, label: string): string {
  return `domain name ${quote(domain)} invalid (label ${quote(label)} invalid)`;
}

function isLabel(text: string): boolean {
  return text.length <= MAX_LABEL && DNS_LABEL.test(text);
}

function isAddress(text: string): boolean {
  try {
    parseAddr(text);
    return true;
  } catch (error) {
    if (error instanceof AddressError) return false;
    throw error;
  }
}

function integerOf(text: string): bigint | NumberError<bigint> {
  try {
    return atoi(text);
  } catch (error) {
    if (error instanceof NumberError) return error;
    throw error;
  }
}
