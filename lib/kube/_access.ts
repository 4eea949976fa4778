/** Where a cluster is and how to be let in: what `kubeconfig.ts` gives and `client.ts` takes. */

/** What may change while a program runs, so it is asked for anew with every request. */
export interface Credentials {
  /** PEM of the authorities that the server's certificate may come from; absent for the machine's own. */
  readonly ca?: string;
  /** PEM of our own certificate, with `key`. */
  readonly certificates?: string;
  readonly key?: string;
  /** Who asks, and for whom: `Authorization`, `Impersonate-User`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export interface ClusterAccess {
  /** For people: `context "kind-kind"`. */
  readonly name: string;
  /** URL, without a slash at its end. */
  readonly server: string;
  /** The name that the server's certificate must have, where it is not the one in the URL. */
  readonly serverName?: string;
  /** Takes any certificate. */
  readonly insecure: boolean;
  /** Where the user works: the context's namespace, or that of the pod this runs in. */
  readonly namespace: string;
  /** The current ones; with `renew`, others than those that the server just refused, if there are any. */
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

/** A token as a header, or an error that does not show it. */
export function bearer(token: string, whose: string): string {
  return `Bearer ${headerText(token, `the token of ${whose}`)}`;
}

/** What a header can carry; anything else would be cut, or read as another header. */
export function headerText(text: string, what: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  throw new KubeconfigError(
    "bad_credentials",
    `Cannot use ${what}: it has characters that do not fit in a header`,
  );
}
