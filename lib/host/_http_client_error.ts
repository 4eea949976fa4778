/** Why a request got no answer. Runtimes word the same failure differently; past this file nobody sees that. */

export type HttpClientErrorCode =
  /** No connection came about, so nothing was sent. */
  | "unreachable"
  /** The server's certificate is not one we take, so nothing was sent. */
  | "untrusted"
  /** The connection ended before the answer did; what was asked may have been done. */
  | "cut"
  | "timeout"
  | "too_large"
  | "aborted"
  /** It cannot be sent as it is. */
  | "bad_request";

export class HttpClientError extends Error {
  override readonly name = "HttpClientError";
  readonly code: HttpClientErrorCode;
  /** The message without its beginning. */
  readonly reason: string;

  constructor(code: HttpClientErrorCode, origin: string, reason: string, options?: ErrorOptions) {
    super(`Cannot ask ${origin}: ${reason}`, options);
    this.code = code;
    this.reason = reason;
  }
}

const UNREACHABLE: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ENOTFOUND", "no such host"],
  ["EAI_AGAIN", "its name cannot be looked up now"],
  ["EHOSTUNREACH", "no route to host"],
  ["ENETUNREACH", "network is unreachable"],
  ["EADDRNOTAVAIL", "address not available"],
]);

/** OpenSSL's names for what may be wrong with a chain, and the one for a name that is not in it. */
const UNTRUSTED =
  /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+|\w+_CERT|\w+_CERT_\w+|\w+_LEAF_SIGNATURE|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/;

export function httpClientErrorFrom(cause: unknown, origin: string): HttpClientError {
  if (cause instanceof HttpClientError) return cause;
  const code = codeOf(cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  const known = UNREACHABLE.get(code);
  if (known !== undefined) return new HttpClientError("unreachable", origin, known, { cause });
  if (code === "ETIMEDOUT") {
    return new HttpClientError("timeout", origin, "the connection timed out", { cause });
  }
  if (UNTRUSTED.test(code)) {
    return new HttpClientError("untrusted", origin, `its certificate: ${reason}`, { cause });
  }
  if (code === "ECONNRESET" || code === "EPIPE") {
    return new HttpClientError("cut", origin, "it closed the connection", { cause });
  }
  return new HttpClientError("cut", origin, reason, { cause });
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
