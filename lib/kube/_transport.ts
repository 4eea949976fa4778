/**
 * Requests to an API server with the credentials of the moment, and again where that can do no harm.
 * What an answer means is the caller's.
 *
 * Again, that is:
 * - with other credentials, where the server refused those that were sent (401), once;
 * - after a pause, where the server says itself that it did nothing and when to come back;
 * - for reading and applying, also where an answer was cut short or a gateway gave it.
 */

import {
  CertificateError,
  type ClientAnswer,
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
  /** For errors, as in `get Pod "a/b" of context "c"`. */
  readonly action: string;
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** With the query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Whether doing it twice is doing it once. */
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal;
}

export interface Transport {
  /**
   * Gives what `take` makes of the answer, which is one of success; throws an ApiError otherwise. An
   * answer that breaks while it is taken counts as none. A watch takes the answer itself, and reads on.
   */
  send<T>(request: KubeRequest, take: (answer: ClientAnswer) => Promise<T>): Promise<T>;
  /** What broke while an answer was read on, as an ApiError. */
  describe(error: unknown, request: KubeRequest): unknown;
  close(): void;
}

export interface TransportOptions {
  readonly clock: Pick<Clock, "after">;
  readonly createClient?: (options: HttpsClientOptions) => HttpsClient;
}

/** The API server ends ordinary requests itself after a minute (--request-timeout). */
export const ANSWER_MS = 60_000;

const MAX_ATTEMPTS = 4;

/** The pause before the second attempt; it doubles. */
const FIRST_PAUSE_MS = 200;

/** Whoever is told to wait longer than this is better off with the error. */
const MAX_PAUSE_MS = 10_000;

/** Refusals have a few hundred bytes; invalid objects have more to be said of them. */
const REFUSAL_LIMITS = { bytes: 1024 * 1024, ms: 10_000 };

export function createTransport(access: ClusterAccess, options: TransportOptions): Transport {
  const clients = keptClient(access, options.createClient ?? createHttpsClient);
  const attempt = async <T>(request: KubeRequest, { renew, take }: Attempt<T>): Promise<T> => {
    const credentials = await access.credentials({ renew });
    const answer = await clients.get(credentials).send({
      method: request.method,
      url: `${access.server}${request.path}`,
      headers: headersOf(request, credentials),
      answerMs: ANSWER_MS,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    if (answer.status >= 200 && answer.status < 300) return await take(answer);
    throw new Refused(answer, await answer.body(REFUSAL_LIMITS));
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
  readonly take: (answer: ClientAnswer) => Promise<T>;
}

/** An answer that is none of success. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;

  constructor(answer: ClientAnswer, body: Uint8Array) {
    super(`status ${answer.status}`);
    this.status = answer.status;
    this.retryAfter = answer.header("retry-after");
    this.body = new TextDecoder().decode(body);
  }
}

/** Milliseconds before the next attempt; `undefined` where there is to be none. */
function pauseAfter(
  error: unknown,
  { request, count }: { readonly request: KubeRequest; readonly count: number },
): number | undefined {
  const pause = FIRST_PAUSE_MS * 2 ** (count - 1);
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

/** One client for as long as trust and certificate stay what they are. */
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

/** Some runtimes pass over what they cannot read; the server would only see a caller without a name. */
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
