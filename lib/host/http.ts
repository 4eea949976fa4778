/**
 * The program's HTTP interface: requests, responses, connection limits and listeners, independent
 * of the runtime.
 */

export interface HttpRequest {
  readonly method: string;
  /** The request target as sent: path and query, not decoded. */
  readonly target: string;
  readonly remoteAddress: string;
  header(name: string): string | undefined;
  /** Reads the whole body; throws a {@link BodyError}. */
  body(limit: number): Promise<Uint8Array>;
  /** Reports whether the client has disconnected. */
  isGone(): boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Handles a request. Errors are passed to `onError` and answered with 500; other requests are not
 * affected.
 */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;

export class BodyError extends Error {
  override readonly name = "BodyError";
  /** `too_slow` is already answered; after `gone`, nobody reads an answer. */
  readonly code: "too_large" | "too_slow" | "gone";

  constructor(code: BodyError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Time limits in milliseconds and other limits of a connection. */
export interface ConnectionLimits {
  /** From the TCP connection to the end of the TLS handshake. */
  readonly handshakeMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestMs: number;
  /** From the first byte of an answer until the client has read all of it. */
  readonly answerMs: number;
  /** For a connection without a request. */
  readonly idleMs: number;
  readonly maxHeaderBytes: number;
  readonly maxConnections: number;
}

export interface HttpServerOptions {
  /** Empty for all IPv4 and IPv6 addresses. */
  readonly address: string;
  /** 0 picks any free port. */
  readonly port: number;
  readonly limits: ConnectionLimits;
  readonly handler: HttpHandler;
  /** Receives errors thrown by the handler. */
  readonly onError: (error: unknown) => void;
  /** Called when a connection is closed without an answer. */
  readonly onCut?: (reason: CutReason) => void;
}

export type CutReason =
  | "handshake"
  | "slow_headers"
  | "slow_body"
  | "slow_reader"
  | "bad_request"
  | "too_many";

export interface HttpListener {
  readonly address: string;
  readonly port: number;
  connectionCount(): number;
  /** Closes each connection after its next answer. */
  closeAfterAnswers(): void;
  /**
   * Stops accepting connections, closes idle ones, waits this long for the others and then closes
   * them.
   */
  stop(graceMs: number): Promise<void>;
}

export interface SecureMaterial {
  /** PEM, with the server's own certificate first. */
  readonly certificates: string;
  readonly key: string;
  /** PEM; if given, clients need a certificate of one of these CAs. */
  readonly clientCa?: string;
}

export interface HttpsListener extends HttpListener {
  /** Replaces the certificate for new connections; existing ones are not affected. */
  setSecure(material: SecureMaterial): void;
}
