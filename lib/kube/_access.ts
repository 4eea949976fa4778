/** How to reach a cluster and authenticate to it. `kubeconfig.ts` produces it, `client.ts` consumes it. */

/** Credentials for one request. They can change while a program runs, so each request asks for them. */
export interface Credentials {
  /** PEM of the CAs that may have signed the server's certificate; absent for the system's CAs. */
  readonly ca?: string;
  /** PEM of the client certificate that belongs to `key`. */
  readonly certificates?: string;
  readonly key?: string;
  /** Authentication and impersonation headers: `Authorization`, `Impersonate-User`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export interface ClusterAccess {
  /** The name shown to people: `context "kind-kind"`. */
  readonly name: string;
  /** The URL of the API server, without a trailing slash. */
  readonly server: string;
  /** The name to verify the server's certificate against, if it differs from the host in the URL. */
  readonly serverName?: string;
  /** Accepts any server certificate. */
  readonly insecure: boolean;
  /** The default namespace: the context's, or that of the pod this program runs in. */
  readonly namespace: string;
  /** Returns the current credentials. `renew` asks for new ones, because the server refused the last. */
  credentials(options?: { readonly renew?: boolean }): Promise<Credentials>;
}

export type KubeconfigErrorCode =
  | "not_found"
  | "malformed"
  | "unknown_context"
  | "unsupported"
  | "bad_credentials"
  | "plugin_failed";

export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  readonly code: KubeconfigErrorCode;

  constructor(code: KubeconfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Returns a bearer token as a header value. The error for an unusable token does not contain it. */
export function bearer(token: string, whose: string): string {
  return `Bearer ${headerText(token, `the token of ${whose}`)}`;
}

/** Returns the text if a header can carry it. Other characters could cut the value or start a new header. */
export function headerText(text: string, what: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  throw new KubeconfigError(
    "bad_credentials",
    `Cannot use ${what}: contains characters that are not allowed in a header`,
  );
}
