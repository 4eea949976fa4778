/**
 * What HTTP is to the rest of the program: requests, answers, how long a connection may take, and what
 * can be done with a listener. No runtime is named here.
 */

export interface HttpRequest {
  readonly method: string;
  /** As sent: path and query, nothing decoded. */
  readonly target: string;
  readonly remoteAddress: string;
  header(name: string): string | undefined;
  /** All of the body; throws a {@link BodyError}. */
  body(limit: number): Promise<Uint8Array>;
  /** Whether nobody waits for the answer any more. */
  isGone(): boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What it throws is told to `onError` and answered with 500; other requests never notice. */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;

export class BodyError extends Error {
  override readonly name = "BodyError";
  /** `too_slow` has been answered already, to `gone` there is nobody to answer. */
  readonly code: "too_large" | "too_slow" | "gone";

  constructor(code: BodyError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Milliseconds, unless named otherwise. */
export interface ConnectionLimits {
  /** From the first byte of TCP to the end of the TLS handshake. */
  readonly handshakeMs: number;
  /** From a request's first byte to the end of its headers. */
  readonly headersMs: number;
  /** From a request's first byte to the end of its body. */
  readonly requestMs: number;
  /** From the first byte of an answer to the last one taken. */
  readonly answerMs: number;
  /** Without any request. */
  readonly idleMs: number;
  readonly maxHeaderBytes: number;
  readonly maxConnections: number;
}

export interface HttpServerOptions {
  /** Empty for all, of IPv4 and IPv6. */
  readonly address: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly limits: ConnectionLimits;
  readonly handler: HttpHandler;
  /** What a handler threw. */
  readonly onError: (error: unknown) => void;
  /** A connection that ended otherwise than by an answer. */
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
  /** From now on each answer closes the connection it goes out on. */
  closeAfterAnswers(): void;
  /**
   * Takes no more connections, closes those without a request, waits for the others so long, then
   * cuts them.
   */
  stop(graceMs: number): Promise<void>;
}

export interface SecureMaterial {
  /** PEM, the server's own certificate first. */
  readonly certificates: string;
  readonly key: string;
  /** PEM; where given, only callers with a certificate of these authorities get through. */
  readonly clientCa?: string;
}

export interface HttpsListener extends HttpListener {
  /** For connections that begin from now on; those that stand are not touched. */
  setSecure(material: SecureMaterial): void;
}
