/**
 * Go's `net/url`: parses and formats URLs, with Go's rules on escaping. All text here is in binary
 * strings (see bytes.ts).
 */

import { fromBinary } from "../../data/bytes.ts";
import { parseAddr } from "../netip.ts";
import { quote } from "../strconv.ts";
import { FunctionError, wrapError } from "../value.ts";

/** The parts of a URL. */
interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  readonly user: UserInfo | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

interface UserInfo {
  readonly name: string;
  readonly password: string | undefined;
}

type Mode = "path" | "host" | "zone" | "user" | "fragment";

/** Characters that are never escaped. */
const EVERYWHERE = /[A-Za-z0-9._~-]/;
const HOST_CHARS = "!\"$&'()*+,:;<=>[]";
const PLAIN: Readonly<Record<Mode, ReadonlySet<string>>> = {
  path: plainChars("$&+,/:;=@"),
  host: plainChars(HOST_CHARS),
  zone: plainChars(HOST_CHARS),
  user: plainChars("$&+,;="),
  fragment: plainChars("!$&()*+,/:;=?@"),
};

function plainChars(others: string): ReadonlySet<string> {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  return new Set(ascii.filter((char) => EVERYWHERE.test(char) || others.includes(char)));
}

function isPlain(char: string, mode: Mode): boolean {
  return PLAIN[mode].has(char);
}

function escape(text: string, mode: Mode): string {
  let out = "";
  for (const char of text) {
    if (isPlain(char, mode)) out += char;
    else out += "%" + char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
  }
  return out;
}

/** Quotes a binary string in an error. */
function quoted(binary: string): string {
  return quote(fromBinary(binary));
}

function unescape(text: string, mode: Mode): string {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "%") {
      const escaped = text.slice(i, i + 3);
      const isHex = /^%[0-9a-fA-F]{2}$/.test(escaped);
      const decoded = isHex ? String.fromCharCode(parseInt(escaped.slice(1), 16)) : "";
      if (!isHex || escaped !== "%25" && !mayBeEscaped(decoded, mode)) {
        throw new FunctionError(`invalid URL escape ${quoted(escaped)}`);
      }
      out += decoded;
      i += 2;
    } else {
      if ((mode === "host" || mode === "zone") && char < "\x80" && !isPlain(char, mode)) {
        throw new FunctionError(`invalid character ${quoted(char)} in host name`);
      }
      out += char;
    }
  }
  return out;
}

/** Reports whether a character can be escaped. Hosts and zones have restrictions. */
function mayBeEscaped(decoded: string, mode: Mode): boolean {
  if (mode === "host") return decoded >= "\x80";
  if (mode === "zone") return decoded === " " || isPlain(decoded, "host");
  return true;
}

/** Splits text at the first separator. Without one, the second part is "". */
function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Go's `url.Parse`. Throws a {@link FunctionError} with Go's text. */
export function parseUrl(text: string): GoUrl {
  const [url, fragment] = cut(text, "#");
  const parsed = atUrl(url, () => parseWithoutFragment(url));
  if (fragment === "") return parsed;
  return { ...parsed, fragment: atUrl(text, () => unescape(fragment, "fragment")) };
}

function atUrl<T>(url: string, parse: () => T): T {
  return wrapError(`parse ${quoted(url)}`, parse);
}

const NO_URL: GoUrl = {
  scheme: "",
  opaque: "",
  user: undefined,
  host: "",
  path: "",
  query: "",
  fragment: "",
};

function parseWithoutFragment(text: string): GoUrl {
  // deno-lint-ignore no-control-regex -- Go refuses control characters
  if (/[\x00-\x1f\x7f]/.test(text)) {
    throw new FunctionError("net/url: invalid control character in URL");
  }
  if (text === "*") return { ...NO_URL, path: "*" };
  const written = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*)?:)?/.exec(text)!;
  if (written[0] === ":") throw new FunctionError("missing protocol scheme");
  const scheme = (written[1] ?? "").toLowerCase();
  let [rest, query] = cut(text.slice(written[0].length), "?");
  if (!rest.startsWith("/")) {
    if (scheme) return { ...NO_URL, scheme, query, opaque: rest };
    if (cut(rest, "/")[0].includes(":")) {
      throw new FunctionError("first path segment in URL cannot contain colon");
    }
  }
  let authority: Pick<GoUrl, "user" | "host"> = NO_URL;
  if (rest.startsWith("//") && (scheme || !rest.startsWith("///"))) {
    const slash = rest.indexOf("/", 2);
    const end = slash < 0 ? rest.length : slash;
    authority = parseAuthority(rest.slice(2, end), scheme);
    rest = rest.slice(end);
  }
  const { user, host } = authority;
  return { ...NO_URL, scheme, query, user, host, path: unescape(rest, "path") };
}

const USER_INFO = /^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/;

function parseAuthority(authority: string, scheme: string): Pick<GoUrl, "user" | "host"> {
  const at = authority.lastIndexOf("@");
  const host = parseHost(authority.slice(at + 1), scheme);
  if (at < 0) return { user: undefined, host };
  const info = authority.slice(0, at);
  if (!USER_INFO.test(info)) throw new FunctionError("net/url: invalid userinfo");
  const [name, password] = cut(info, ":");
  return {
    host,
    user: {
      name: unescape(name, "user"),
      password: info.includes(":") ? unescape(password, "user") : undefined,
    },
  };
}

const OPTIONAL_PORT = /^(?::[0-9]*)?$/;

function checkPort(port: string) {
  if (OPTIONAL_PORT.test(port)) return;
  throw new FunctionError(`invalid port ${quoted(port)} after host`);
}

function parseHost(host: string, scheme: string): string {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) throw new FunctionError("invalid IP-literal");
  if (bracket === 0) return parseLiteral(host);
  const colon = host.indexOf(":");
  if (colon >= 0) {
    // Database URLs often list several hosts with ports, so only http and https are strict.
    const strict = scheme === "http" || scheme === "https";
    checkPort(host.slice(strict ? colon : host.lastIndexOf(":")));
  }
  return unescape(host, "host");
}

/** Parses an IPv6 literal with an optional port, such as `[fe80::1%25en0]:80`. */
function parseLiteral(host: string): string {
  const end = host.lastIndexOf("]");
  if (end < 0) throw new FunctionError("missing ']' in host");
  const port = host.slice(end + 1);
  checkPort(port);
  const inside = host.slice(1, end);
  const zone = inside.indexOf("%25");
  const address = zone < 0
    ? unescape(inside, "host")
    : unescape(inside.slice(0, zone), "host") + unescape(inside.slice(zone), "zone");
  const { bytes } = wrapError("invalid host", () => parseAddr(fromBinary(address)));
  if (bytes.length === 4) throw new FunctionError("invalid IP-literal");
  return `[${address}]${port}`;
}

/** Go's `URL.Hostname`: returns the host without port and brackets. */
export function hostName(host: string): string {
  const colon = host.lastIndexOf(":");
  const name = colon >= 0 && OPTIONAL_PORT.test(host.slice(colon)) ? host.slice(0, colon) : host;
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
}

/** Go's `Userinfo.String`: returns `user:password`, escaped. */
export function formatUser({ name, password }: UserInfo): string {
  const end = password === undefined ? "" : `:${escape(password, "user")}`;
  return escape(name, "user") + end;
}

/** Go's `URL.String`. */
export function formatUrl(url: GoUrl): string {
  const { scheme, opaque, user, host, query, fragment } = url;
  let out = scheme && `${scheme}:`;
  if (opaque) out += opaque;
  else {
    if (host || user || scheme && url.path) out += "//";
    if (user) out += `${formatUser(user)}@`;
    out += escape(host, "host");
    const path = url.path === "*" ? "*" : escape(url.path, "path");
    if (path && !path.startsWith("/") && host) out += "/";
    // A colon before the first slash would make the first segment a scheme.
    if (out === "" && cut(path, "/")[0].includes(":")) out += "./";
    out += path;
  }
  if (query) out += `?${query}`;
  if (fragment) out += `#${escape(fragment, "fragment")}`;
  return out;
}
