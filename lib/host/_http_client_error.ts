/** Errors of HTTP requests without a complete response, with the same wording on every runtime. */

import { errorCode } from "./host_error.ts";

export type HttpClientErrorCode =
  /** No connection was established, so nothing was sent. */
  | "unreachable"
  /** The server's certificate is not trusted, so nothing was sent. */
  | "untrusted"
  /** The connection ended before the response did; the request may have been processed. */
  | "cut"
  | "timeout"
  | "too_large"
  | "aborted"
  /** The request is invalid and was not sent. */
  | "bad_request";

export class HttpClientError extends Error {
  override readonly name = "HttpClientError";
  readonly code: HttpClientErrorCode;
  /** The message without its prefix. */
  readonly reason: string;

  constructor(code: HttpClientErrorCode, origin: string, reason: string, options?: ErrorOptions) {
    super(`Cannot send a request to ${origin}: ${reason}`, options);
    this.code = code;
    this.reason = reason;
  }
}

const UNREACHABLE: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ENOTFOUND", "no such host"],
  ["EAI_AGAIN", "temporary failure in name resolution"],
  ["EHOSTUNREACH", "no route to host"],
  ["ENETUNREACH", "network is unreachable"],
  ["EADDRNOTAVAIL", "address not available"],
]);

/** OpenSSL's error codes for an invalid chain, and Node's for a name that does not match. */
const UNTRUSTED =
  /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+|\w+_CERT|\w+_CERT_\w+|\w+_LEAF_SIGNATURE|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/;

export function httpClientErrorFrom(cause: unknown, origin: string): HttpClientError {
  if (cause instanceof HttpClientError) return cause;
  const code = errorCode(cause) ?? "";
  const reason = cause instanceof Error ? cause.message : String(cause);
  const known = UNREACHABLE.get(code);
  if (known !== undefined) return new HttpClientError("unreachable", origin, known, { cause });
  if (code === "ETIMEDOUT") {
    return new HttpClientError("timeout", origin, "the connection timed out", { cause });
  }
  if (UNTRUSTED.test(code)) {
    return new HttpClientError("untrusted", origin, `bad certificate: ${reason}`, { cause });
  }
  if (code === "ECONNRESET" || code === "EPIPE") {
    return new HttpClientError("cut", origin, "the server closed the connection", { cause });
  }
  return new HttpClientError("cut", origin, reason, { cause });
}
