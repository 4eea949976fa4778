/** The user entry of a kubeconfig: a client certificate, token, password or credential plugin. */

import { encodeBase64 } from "../data/base64.ts";
import { type Host, HostError, type RunProgram } from "../host/mod.ts";
import { bearer, type Credentials, headerText, KubeconfigError } from "./_access.ts";
import { execPlugin } from "./_exec_plugin.ts";
import type { Fields } from "./_fields.ts";
import type { Cluster } from "./_kubeconfig_cluster.ts";

export interface UserOptions {
  readonly host: Pick<Host, "readText" | "now" | "stdin">;
  /** Runs credential plugins. */
  readonly run: RunProgram;
  readonly cluster: Cluster;
  readonly userName: string;
}

export type GetCredentials = (options?: { readonly renew?: boolean }) => Promise<Credentials>;

/** Returns a function that gets the user's credentials. Throws a KubeconfigError for invalid settings. */
export function userCredentials(user: Fields, options: UserOptions): GetCredentials {
  const { cluster, host } = options;
  const whose = `user ${JSON.stringify(options.userName)}`;
  check(user, whose);
  const impersonation = impersonate(user, whose);
  // Like kubectl, send no secrets over an unencrypted connection.
  if (cluster.server.startsWith("http:")) return () => Promise.resolve({ headers: impersonation });

  const certificate = certificateOf(user, host);
  const authorization = authorizationOf(user, { host, whose });
  const plugin = execPlugin(user, { ...options, whose });
  const hasToken = user.text("token") !== "" || user.text("tokenFile") !== "";
  return async ({ renew = false } = {}) => {
    const ca = await cluster.ca();
    const given = hasToken ? undefined : await plugin?.({ renew });
    const value = given?.authorization ?? await authorization();
    return {
      ...(ca === undefined ? {} : { ca }),
      ...await certificate(),
      ...given?.certificate,
      headers: { ...impersonation, ...(value === undefined ? {} : { Authorization: value }) },
    };
  };
}

function check(user: Fields, whose: string): void {
  const refuse = (code: "malformed" | "unsupported", reason: string) => {
    throw new KubeconfigError(code, `Cannot use ${whose}: ${reason}`);
  };
  const has = (key: string) => user.text(key) !== "";
  const provider = user.map("auth-provider");
  if (provider !== undefined) {
    const name = JSON.stringify(provider.text("name"));
    refuse("unsupported", `its auth-provider ${name} is not supported; use a credential plugin`);
  }
  if (has("token") && (has("username") || has("password"))) {
    refuse("malformed", "it has both a token and a password");
  }
  // A key without a certificate is ignored.
  if (!has("client-certificate") && !has("client-certificate-data")) return;
  for (const key of ["client-certificate", "client-key"]) {
    if (has(key) && has(`${key}-data`)) refuse("malformed", `it has both ${key} and ${key}-data`);
  }
  if (!has("client-key") && !has("client-key-data")) {
    refuse("malformed", "it has a client certificate but no client key");
  }
}

/** Returns a function that reads the client certificate and key, anew on each call, as files can change. */
function certificateOf(
  user: Fields,
  host: Pick<Host, "readText">,
): () => Promise<Pick<Credentials, "certificates" | "key">> {
  const read = (key: string) => {
    const data = user.decoded(`${key}-data`);
    const file = user.path(key);
    if (data === "" && file === "") return undefined;
    return async () => data === "" ? await host.readText(file) : data;
  };
  const [certificates, key] = [read("client-certificate"), read("client-key")];
  return async () =>
    certificates === undefined || key === undefined
      ? {}
      : { certificates: await certificates(), key: await key() };
}

function authorizationOf(
  user: Fields,
  { host, whose }: { host: Pick<Host, "readText">; whose: string },
): () => Promise<string | undefined> {
  const token = user.text("token");
  const tokenFile = user.path("tokenFile");
  const [name, password] = [user.text("username"), user.text("password")];
  if (tokenFile !== "") return tokenFrom(tokenFile, { host, whose, first: token });
  const value = token !== ""
    ? bearer(token, whose)
    : name !== "" || password !== ""
    ? `Basic ${encodeBase64(`${name}:${password}`)}`
    : undefined;
  return () => Promise.resolve(value);
}

/** Returns a function that reads a token from a file and falls back to the last token it could read. */
export function tokenFrom(
  file: string,
  { host, whose, first = "" }: {
    readonly host: Pick<Host, "readText">;
    readonly whose: string;
    readonly first?: string;
  },
): () => Promise<string> {
  let last = first;
  return async () => {
    try {
      const token = (await host.readText(file)).trim();
      if (token === "") {
        throw new HostError("failed", `Cannot use ${JSON.stringify(file)}: it is empty`);
      }
      last = token;
    } catch (error) {
      if (last === "") throw error;
    }
    return bearer(last, whose);
  };
}

function impersonate(user: Fields, whose: string): Credentials["headers"] {
  const [as, uid, groups] = [user.text("as"), user.text("as-uid"), user.texts("as-groups")];
  const extra = user.map("as-user-extra");
  const extraKeys = extra?.keys() ?? [];
  if (as === "") {
    if (uid === "" && groups.length === 0 && extraKeys.length === 0) return {};
    throw new KubeconfigError(
      "malformed",
      `Cannot use ${whose}: it has as-uid, as-groups or as-user-extra without as`,
    );
  }
  const value = (text: string) => headerText(text, `the impersonation settings of ${whose}`);
  return Object.fromEntries([
    ["Impersonate-User", value(as)],
    ...(uid === "" ? [] : [["Impersonate-Uid", value(uid)]]),
    ...(groups.length === 0 ? [] : [["Impersonate-Group", groups.map(value)]]),
    ...extraKeys.map((key) => [
      `Impersonate-Extra-${escapedKey(key)}`,
      extra!.texts(key).map(value),
    ]),
  ]);
}

/** Percent-encodes the characters that a header name cannot contain (RFC 9110, 5.6.2). */
function escapedKey(key: string): string {
  const bytes = new TextEncoder().encode(key);
  return Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte);
    return /[\w!#$&'*+.^`|~-]/.test(char)
      ? char
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
