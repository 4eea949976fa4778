/**
 * Sends requests to an API server with current credentials, and retries when a retry is safe. The caller
 * interprets the response.
 *
 * A request is retried:
 * - once, with new credentials, if the server refused the credentials (401);
 * - after a pause, if the server did not process the request and says when to retry (Retry-After);
 * - for reads and applies, also if the response was cut short or came from a gateway.
 */

import { backoff } from "../data/durations.ts";
import {
  CertificateError,
  type ClientResponse,
  type Clock,
  createHttpsClient,
  HttpClientError,
  type HttpsClient,
  type HttpsClientOptions,
  readCertificates,
  readKeyPair,
} from "../host/mod.ts";
import { type ClusterAccess, type Credentials, KubeconfigError } from "./_access.ts";
import { wait } from "./_wait.ts";
import { ApiError, refusal } from "./api_error.ts";

export interface KubeRequest {
  /** What failed, for error messages: `get Pod "a/b" of context "c"`. */
  readonly action: string;
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Includes the query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Whether the request is idempotent. */
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal;
}

export interface Transport {
  /**
   * Sends a request and returns what `take` makes of a successful response; throws an ApiError otherwise.
   * A response that breaks off inside `take` counts as no response. A watch returns the response from
   * `take` and reads it afterwards.
   */
  send<T>(request: KubeRequest, take: (response: ClientResponse) => Promise<T>): Promise<T>;
  /** Turns an error from reading a response after `send` into an ApiError. */
  describe(error: unknown, request: KubeRequest): unknown;
  close(): void;
}

export interface TransportOptions {
  readonly clock: Pick<Clock, "after">;
  readonly createClient?: (options: HttpsClientOptions) => HttpsClient;
}

/** The API server itself ends ordinary requests after a minute (--request-timeout). */
export const RESPONSE_MS = 60_000;

const MAX_ATTEMPTS = 4;

/** The pause before the second attempt; it doubles with each attempt. */
const FIRST_PAUSE_MS = 200;

/** If the server asks for a longer pause, return the error instead of waiting. */
const MAX_PAUSE_MS = 10_000;

/** Most errors take a few hundred bytes; those for invalid objects can be much longer. */
const REFUSAL_LIMITS = { bytes: 1024 * 1024, ms: 10_000 };

export function createTransport(access: ClusterAccess, options: TransportOptions): Transport {
  const clients = keptClient(access, options.createClient ?? createHttpsClient);
  const attempt = async <T>(request: KubeRequest, { renew, take }: Attempt<T>): Promise<T> => {
    const credentials = await access.credentials({ renew });
    const response = await clients.get(credentials).send({
      method: request.method,
      url: `${access.server}${request.path}`,
      headers: headersOf(request, credentials),
      responseMs: RESPONSE_MS,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    if (response.status >= 200 && response.status < 300) return await take(response);
    throw new Refused(response, await response.body(REFUSAL_LIMITS));
  };

  return {
    async send(request, take) {
      let renew = false;
      for (let count = 1;; count++) {
        try {
          return await attempt(request, { renew, take });
        } catch (error) {
          const isRefused = error instanceof Refused && error.status === 401;
          const pause = isRefused && !renew ? 0 : pauseAfter(error, { request, count });
          if (pause === undefined || count === MAX_ATTEMPTS) throw failure(error, request, access);
          renew = isRefused;
          if (pause > 0) await wait(pause, { clock: options.clock, signal: request.signal });
        }
      }
    },
    describe: (error, request) => failure(error, request, access),
    close: () => clients.close(),
  };
}

interface Attempt<T> {
  readonly renew: boolean;
  readonly take: (response: ClientResponse) => Promise<T>;
}

/** A response with a status other than 2xx. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;

  constructor(response: ClientResponse, body: Uint8Array) {
    super(`status ${response.status}`);
    this.status = response.status;
    this.retryAfter = response.header("retry-after");
    this.body = new TextDecoder().decode(body);
  }
}

/** Returns the milliseconds before the next attempt, or undefined if the request must not be retried. */
function pauseAfter(
  error: unknown,
  { request, count }: { readonly request: KubeRequest; readonly count: number },
): number | undefined {
  const pause = backoff(count, { first: FIRST_PAUSE_MS, most: MAX_PAUSE_MS });
  if (error instanceof HttpClientError) {
    return error.code === "cut" && request.isRepeatable ? pause : undefined;
  }
  if (!(error instanceof Refused)) return undefined;
  const isBusy = error.status === 429 || error.status === 503;
  if (isBusy && error.retryAfter !== undefined && /^\d{1,9}$/.test(error.retryAfter)) {
    const asked = Number(error.retryAfter) * 1000;
    return asked > MAX_PAUSE_MS ? undefined : Math.max(asked, pause);
  }
  const isGateway = isBusy || error.status === 502 || error.status === 504;
  return isGateway && request.isRepeatable ? pause : undefined;
}

function failure(error: unknown, { action }: KubeRequest, { server }: ClusterAccess): unknown {
  if (error instanceof Refused) return refusal(action, error);
  if (error instanceof HttpClientError) {
    const message = `Cannot ${action} at ${server}: ${error.reason}`;
    return new ApiError(error.code, message, { cause: error });
  }
  return error;
}

function headersOf(
  { contentType }: KubeRequest,
  credentials: Credentials,
): Record<string, string | readonly string[]> {
  return {
    Accept: "application/json",
    "User-Agent": "outrigger",
    ...(contentType === undefined ? {} : { "Content-Type": contentType }),
    ...credentials.headers,
  };
}

/** Keeps one client until the CA or the client certificate changes. */
function keptClient(access: ClusterAccess, create: NonNullable<TransportOptions["createClient"]>) {
  let kept: { readonly key: string; readonly client: HttpsClient } | undefined;
  return {
    get({ ca, certificates, key }: Credentials): HttpsClient {
      const identity = JSON.stringify([ca, certificates, key]);
      if (kept?.key === identity) return kept.client;
      checkPems({ ca, certificates, key }, access);
      const client = create({
        insecure: access.insecure,
        ...(access.serverName === undefined ? {} : { serverName: access.serverName }),
        ...(ca === undefined ? {} : { ca }),
        ...(certificates === undefined ? {} : { certificates, key }),
      });
      kept?.client.close();
      kept = { key: identity, client };
      return client;
    },
    close() {
      kept?.client.close();
      kept = undefined;
    },
  };
}

/** Refuses unreadable PEM. Some runtimes ignore it, and the server would see an anonymous client. */
function checkPems(
  { ca, certificates, key }: Pick<Credentials, "ca" | "certificates" | "key">,
  access: ClusterAccess,
): void {
  const check = (what: string, read: () => unknown) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      const message = `Cannot use the ${what} of ${access.name}: ${error.message}`;
      throw new KubeconfigError("bad_credentials", message, { cause: error });
    }
  };
  if (ca !== undefined) check("certificate authority", () => readCertificates(ca));
  if (certificates !== undefined) {
    check("client certificate", () => readKeyPair(certificates, key ?? ""));
  }
}
