/**
 * An HTTP client for one server, with or without TLS, with a custom CA and client certificate. It uses
 * `node:https`, which supports both on every runtime. The caller sets all timeouts.
 *
 * It does not follow redirects, keep cookies, use proxies or retry.
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
  /** PEM of the trusted CAs, instead of the system's. */
  readonly ca?: string;
  /** PEM of the client certificate chain, leaf first; requires `key`. */
  readonly certificates?: string;
  readonly key?: string;
  /** The name to verify the server's certificate against, if it differs from the host in the URL. */
  readonly serverName?: string;
  /** Accepts any server certificate. */
  readonly insecure?: boolean;
}

export interface ClientRequest {
  readonly method: string;
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** Limits the time until the response begins, including the connection. */
  readonly responseMs: number;
  readonly signal?: AbortSignal;
}

/** A response, which must be read to its end or closed. */
export interface ClientResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** Reads the body, up to a size and within a time. */
  body(limits: { readonly bytes: number; readonly ms: number }): Promise<Uint8Array>;
  /** Yields the body as it arrives; fails if nothing arrives for `silenceMs`. */
  chunks(limits: { readonly silenceMs: number }): AsyncIterable<Uint8Array>;
  close(): void;
}

export interface HttpsClient {
  /** Throws a {@link HttpClientError} if there is no response; a status is never an error. */
  send(request: ClientRequest): Promise<ClientResponse>;
  /** Closes idle connections now, and those in use when they become idle. */
  close(): void;
}

/** The number of idle connections to keep; watches use one each while they last. */
const MAX_KEPT = 4;

export function createHttpsClient(options: HttpsClientOptions = {}): HttpsClient {
  const { ca, certificates, key, serverName, insecure = false } = options;
  const keep = { keepAlive: true, maxFreeSockets: MAX_KEPT };
  const clear = new HttpAgent(keep);
  const secure = new HttpsAgent({
    ...keep,
    minVersion: "TLSv1.2",
    ...(insecure ? { rejectUnauthorized: false } : { ca: ca ?? systemCas() }),
    ...(certificates === undefined ? {} : { cert: certificates, key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  });
  return {
    send: (request) => send(request, { clear, secure }),
    close: () => [clear, secure].forEach(closeIdle),
  };
}

/** Closes only idle connections; `Agent.destroy()` would also close those in use. */
function closeIdle(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

/** Returns the runtime's CAs and those installed on this machine, if the runtime can list them. */
function systemCas(): string[] {
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
    // Some runtimes do not end a request without a response unless its socket is destroyed.
    request.socket?.destroy();
    request.destroy();
  };
  const timer = setTimeout(() => {
    stop(new HttpClientError("timeout", origin, `no response within ${responseMs / 1000} s`));
  }, responseMs);
  const abort = () => stop(new HttpClientError("aborted", origin, "aborted"));
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
    // Some runtimes validate headers and certificates here.
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HttpClientError("bad_request", origin, reason, { cause });
  }
}

/** Adds Content-Length, so that the body is not sent in chunks. */
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
  // An error while the body is not being read must not end the process.
  message.on("error", () => {});
  const abort = () => stop(new HttpClientError("aborted", origin, "aborted"));
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
    // Some runtimes treat a closed connection as the end of the body.
    if (!message.complete) throw new HttpClientError("cut", origin, "the response is incomplete");
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
        stop(new HttpClientError("timeout", origin, `no complete response within ${ms / 1000} s`));
      }, ms);
      const chunks: Uint8Array[] = [];
      let length = 0;
      try {
        for await (const chunk of read()) {
          length += chunk.length;
          if (length > bytes) {
            throw new HttpClientError("too_large", origin, `the response exceeds ${bytes} bytes`);
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
        stop(new HttpClientError("timeout", origin, `no data for ${silenceMs / 1000} s`));
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
