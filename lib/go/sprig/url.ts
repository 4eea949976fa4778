/** Sprig's URLs: `urlParse` gives a dict, `urlJoin` takes one. */

import { FunctionError, type FunctionMap, goFunction, kindOf, STRING, Typed } from "../value.ts";
import { fromBinary, toBinary } from "./_text.ts";
import { formatUrl, formatUser, hostName, parseUrl } from "./_url.ts";

export const urlFunctions: FunctionMap = {
  urlParse: goFunction("string", urlParse),
  urlJoin: goFunction("map[string]any", urlJoin),
};

function urlParse(text: string): Record<string, unknown> {
  const url = described("unable to parse url", () => parseUrl(toBinary(text)));
  return {
    scheme: url.scheme,
    host: fromBinary(url.host),
    hostname: fromBinary(hostName(url.host)),
    path: fromBinary(url.path),
    query: fromBinary(url.query),
    opaque: fromBinary(url.opaque),
    fragment: fromBinary(url.fragment),
    userinfo: url.user ? formatUser(url.user) : "",
  };
}

function urlJoin(dict: Record<string, unknown> | null): string {
  const scheme = part(dict, "scheme");
  const host = part(dict, "host");
  const path = part(dict, "path");
  const query = part(dict, "query");
  const opaque = part(dict, "opaque");
  const fragment = part(dict, "fragment");
  const userInfo = part(dict, "userinfo");
  // Sprig has the user parsed inside of a URL, so a slash in it ends it.
  const user = userInfo === "" ? undefined : described(
    "unable to parse userinfo in dict",
    () => parseUrl(`proto://${userInfo}@host`),
  ).user;
  return fromBinary(formatUrl({ scheme, opaque, user, host, path, query, fragment }));
}

function part(dict: Record<string, unknown> | null, key: string): string {
  if (dict === null || !Object.hasOwn(dict, key)) return "";
  const value = dict[key];
  if (typeof value === "string") return toBinary(value);
  if (value instanceof Typed && value.type.kind === STRING.kind) {
    return toBinary(value.value as string);
  }
  if (value === null || value === undefined) {
    throw new FunctionError("runtime error: invalid memory address or nil pointer dereference");
  }
  throw new FunctionError(
    `unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`,
  );
}

function described<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(`${what}: ${error.message}`);
  }
}
