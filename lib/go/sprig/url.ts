/** Sprig's URL functions: `urlParse` returns a dict, `urlJoin` takes one. */

import { fromBinary, toBinary } from "../../data/bytes.ts";
import {
  bare,
  FunctionError,
  type FunctionMap,
  goFunction,
  kindOf,
  NIL_DEREFERENCE,
  wrapError,
} from "../value.ts";
import { formatUrl, formatUser, hostName, parseUrl } from "./_url.ts";

export const urlFunctions: FunctionMap = {
  urlParse: goFunction("string", urlParse),
  urlJoin: goFunction("map[string]any", urlJoin),
};

function urlParse(text: string): Record<string, unknown> {
  const url = wrapError("unable to parse url", () => parseUrl(toBinary(text)));
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
  // Sprig parses the user info as part of a URL, so it ends at a slash.
  const user = userInfo === "" ? undefined : wrapError(
    "unable to parse userinfo in dict",
    () => parseUrl(`proto://${userInfo}@host`),
  ).user;
  return fromBinary(formatUrl({ scheme, opaque, user, host, path, query, fragment }));
}

function part(dict: Record<string, unknown> | null, key: string): string {
  if (dict === null || !Object.hasOwn(dict, key)) return "";
  const value = dict[key];
  if (kindOf(value) === "string") return toBinary(bare(value) as string);
  if (value === null || value === undefined) throw new FunctionError(NIL_DEREFERENCE);
  throw new FunctionError(
    `unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`,
  );
}
