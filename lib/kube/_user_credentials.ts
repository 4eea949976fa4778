/** What a kubeconfig's user shows to the server: certificate, token, password, or what a plugin gives. */

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

/** Throws a KubeconfigError for a user that cannot be one, before anything is sent. */
export function userCredentials(user: Fields, options: UserOptions): GetCredentials {
  const { cluster, host } = options;
  const whose = `user ${JSON.stringify(options.userName)}`;
  check(user, whose);
  const impersonation = impersonate(user, whose);
  // As kubectl has it: nothing secret goes over a connection that anyone can read.
  if (cluster.server.startsWith("http:")) return () => Promise.resolve({ headers: impersonation });

  const certificate = certificateOf(user, host);
  const authorization = authorizationOf(user, { host, whose });
  const plugin = execPlugin(user, { ...options, whose });
  const hasToken = user.text("token") !== "" || user.text("tokenFile") !== "";
  return async ({ renew = false } = {}) => {
    const ca = await cluster.authorities();
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
    refuse("unsupported", `its auth-provider ${name} is not supported; credential plugins are`);
  }
  if (has("token") && (has("username") || has("password"))) {
    refuse("malformed", "it has both a token and a password");
  }
  // A key alone is of no use to anybody, and of no harm.
  if (!has("client-certificate") && !has("client-certificate-data")) return;
  for (const key of ["client-certificate", "client-key"]) {
    if (has(key) && has(`${key}-data`)) refuse("malformed", `it has both ${key} and ${key}-data`);
  }
  if (!has("client-key") && !has("client-key-data")) {
    refuse("malformed", "it has a client certificate and no client key");
  }
}

/** Read every time, so that a file which is renewed is heard. */
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
    ? `Basic ${base64(`${name}:${password}`)}`
    : undefined;
  return () => Promise.resolve(value);
}

/** A token that somebody else renews in a file: the last one that could be read counts. */
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
  const value = (text: string) => headerText(text, `what ${whose} acts as`);
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

/** The name of a header takes few characters (RFC 9110, 5.6.2); the server reads the others as escapes. */
function escapedKey(key: string): string {
  const bytes = new TextEncoder().encode(key);
  return Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte);
    return /[\w!#$&'*+.^`|~-]/.test(char)
      ? char
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
