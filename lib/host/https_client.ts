/**
 * Requests to one server, over TLS with a trust and a certificate of our own, or in the clear. Over
 * `node:https`, which keeps to both in every runtime. Every wait has an end: the caller says which.
 *
 * It follows no redirect, keeps no cookie, asks no proxy and tries nothing twice.
 */

import {
  Agent as HttpAgent,
  type ClientRequest as Outgoing,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as httpRequest,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import tls from "node:tls";
import { HttpClientError, httpClientErrorFrom } from "./_http_client_error.ts";
import { joinBytes } from "./join_bytes.ts";

export { HttpClientError, type HttpClientErrorCode } from "./_http_client_error.ts";

export interface HttpsClientOptions {
  /** PEM of the authorities that are trusted, instead of those this machine trusts. */
  readonly ca?: string;
  /** PEM, our own certificate first; goes with `key`. */
  readonly certificates?: string;
  readonly key?: string;
  /** The name that the server's certificate must have, where it is not the one in the address. */
  readonly serverName?: string;
  /** Takes any certificate. */
  readonly insecure?: boolean;
}

export interface ClientRequest {
  readonly method: string;
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** From the start, connecting included, until the answer begins. */
  readonly responseMs: number;
  readonly signal?: AbortSignal;
}

/** Whoever has one reads it to its end or closes it. */
export interface ClientResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** All of the body, within so many bytes and milliseconds. */
  body(limits: { readonly bytes: number; readonly ms: number }): Promise<Uint8Array>;
  /** The body as it comes; `silenceMs` is how long nothing may come. */
  chunks(limits: { readonly silenceMs: number }): AsyncIterable<Uint8Array>;
  close(): void;
}

export interface HttpsClient {
  /** Throws a {@link HttpClientError}; an answer of any status is none. */
  send(request: ClientRequest): Promise<ClientResponse>;
  /** Closes the connections that are kept for later, and those in use once they are free. */
  close(): void;
}

/** Connections kept for the next request; watches take one each for as long as they last. */
const MAX_KEPT = 4;

export function createHttpsClient(options: HttpsClientOptions = {}): HttpsClient {
  const { ca, certificates, key, serverName, insecure = false } = options;
  const keep = { keepAlive: true, maxFreeSockets: MAX_KEPT };
  const clear = new HttpAgent(keep);
  const secure = new HttpsAgent({
    ...keep,
    minVersion: "TLSv1.2",
    ...(insecure ? { rejectUnauthorized: false } : { ca: ca ?? machineAuthorities() }),
    ...(certificates === undefined ? {} : { cert: certificates, key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  });
  return {
    send: (request) => send(request, { clear, secure }),
    close: () => [clear, secure].forEach(closeIdle),
  };
}

/** `Agent.destroy()` would cut requests that are under way. */
function closeIdle(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

/** The runtime's own, and those that were installed on this machine. */
function machineAuthorities(): string[] {
  // Not every runtime can tell the latter.
  return [...tls.rootCertificates, ...tls.getCACertificates?.("system") ?? []];
}

async function send(
  { method, url, headers, body, responseMs, signal }: ClientRequest,
  agents: Agents,
): Promise<ClientResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientResponse>();
  const { origin } = new URL(url);
  const request = open({ method, url, headers: withLength(headers, body) }, agents);
  const stop = (error: HttpClientError) => {
    reject(error);
    // Not every runtime ends a request that has had no answer; without its socket it has to.
    request.socket?.destroy();
    request.destroy();
  };
  const timer = setTimeout(() => {
    stop(new HttpClientError("timeout", origin, `no answer within ${responseMs / 1000} s`));
  }, responseMs);
  const abort = () => stop(new HttpClientError("aborted", origin, "it was called off"));
  signal?.addEventListener("abort", abort);
  request.on("error", (error) => reject(httpClientErrorFrom(error, origin)));
  request.on("response", (message) => resolve(responseOf(message, { origin, signal })));
  if (signal?.aborted) abort();
  else request.end(body);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

type Agents = { readonly clear: HttpAgent; readonly secure: HttpsAgent };

function open(
  { url, ...settings }: { url: string; method: string; headers: OutgoingHttpHeaders },
  { clear, secure }: Agents,
): Outgoing {
  const { origin, protocol } = new URL(url);
  try {
    return protocol === "https:"
      ? httpsRequest(url, { ...settings, agent: secure })
      : httpRequest(url, { ...settings, agent: clear });
  } catch (cause) {
    // Headers and certificates are looked at here by some runtimes.
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HttpClientError("bad_request", origin, reason, { cause });
  }
}

/** Told beforehand, so that the body is not sent in chunks. */
function withLength(
  headers: ClientRequest["headers"] = {},
  body: string | undefined,
): OutgoingHttpHeaders {
  const all = Object.entries(headers).map(([name, value]) =>
    [name, typeof value === "string" ? value : [...value]] as const
  );
  const length = body === undefined ? undefined : new TextEncoder().encode(body).length;
  return {
    ...Object.fromEntries(all),
    ...(length === undefined ? {} : { "content-length": String(length) }),
  };
}

function responseOf(
  message: IncomingMessage,
  { origin, signal }: { readonly origin: string; readonly signal: AbortSignal | undefined },
): ClientResponse {
  let stopped: HttpClientError | undefined;
  const stop = (error: HttpClientError) => {
    stopped ??= error;
    message.destroy(error);
  };
  // A body that fails while nobody reads it must not end the process.
  message.on("error", () => {});
  const abort = () => stop(new HttpClientError("aborted", origin, "it was called off"));
  signal?.addEventListener("abort", abort);
  message.on("close", () => signal?.removeEventListener("abort", abort));

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of message) yield chunk as Uint8Array;
    } catch (error) {
      throw stopped ?? httpClientErrorFrom(error, origin);
    } finally {
      message.destroy();
    }
    if (stopped !== undefined) throw stopped;
    // To some runtimes a connection that was cut is the end of a body.
    if (!message.complete) throw new HttpClientError("cut", origin, "the answer breaks off");
  }

  return {
    status: message.statusCode ?? 0,
    header(name) {
      const { headers } = message;
      const key = name.toLowerCase();
      const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
      return typeof value === "string" ? value : value?.join(", ");
    },
    async body({ bytes, ms }) {
      const timer = setTimeout(() => {
        stop(new HttpClientError("timeout", origin, `no whole answer within ${ms / 1000} s`));
      }, ms);
      const chunks: Uint8Array[] = [];
      let length = 0;
      try {
        for await (const chunk of read()) {
          length += chunk.length;
          if (length > bytes) {
            throw new HttpClientError("too_large", origin, `its answer is over ${bytes} bytes`);
          }
          chunks.push(chunk);
        }
      } finally {
        clearTimeout(timer);
      }
      return joinBytes(chunks);
    },
    async *chunks({ silenceMs }) {
      const silent = () => {
        stop(new HttpClientError("timeout", origin, `nothing came for ${silenceMs / 1000} s`));
      };
      let timer = setTimeout(silent, silenceMs);
      try {
        for await (const chunk of read()) {
          clearTimeout(timer);
          yield chunk;
          timer = setTimeout(silent, silenceMs);
        }
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => void message.destroy(),
  };
}
