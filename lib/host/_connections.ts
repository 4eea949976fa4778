/**
 * Tracks the connections of a listener. Each connection is in a phase (new, reading headers,
 * reading the body, waiting for the answer, sending it, or idle) with a deadline. The runtime does
 * not enforce its own timeouts on sockets passed to an HTTP server, so this module does. A single
 * timer checks all connections: ten thousand idle ones cost a few comparisons a second, and no
 * timers.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { readBody } from "./_http_body.ts";
import {
  BodyError,
  type CutReason,
  type HttpAnswer,
  type HttpListener,
  type HttpRequest,
  type HttpServerOptions,
} from "./http.ts";

/**
 * `fresh` has had no request yet, `idle` has had one, `ending` only waits for the client to close.
 */
type Phase = "fresh" | "headers" | "body" | "working" | "answering" | "idle" | "ending";

interface Connection {
  readonly socket: Socket;
  phase: Phase;
  /** On the monotonic clock. */
  deadline: number;
  /** The number of requests without a complete answer; more than one if the client pipelines. */
  pending: number;
  /** Aborts reading the current body. */
  failBody?: (error: BodyError) => void;
}

/** How long a client may take to read the final message. */
const LAST_WORD_MS = 1_000;
/** How long a stopping listener waits for the first request of a new connection. */
const FRESH_MS = 1_000;
const KEEP_ALIVE_PROBE_MS = 30_000;

export class Connections {
  readonly #options: HttpServerOptions;
  readonly #all = new Map<Socket, Connection>();
  /** Sockets in the TLS handshake; the runtime enforces that deadline. */
  readonly #shaking = new Set<Socket>();
  readonly #http;
  readonly #sweep: ReturnType<typeof setInterval>;
  #closing = false;
  #onEmpty = () => {};

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { headersMs, requestMs, answerMs, idleMs, maxHeaderBytes } = options.limits;
    this.#http = createServer({
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: 0,
      headersTimeout: 0,
      requestTimeout: 0,
    });
    this.#http.on("request", (request, response) => void this.#serve(request, response));
    this.#http.on("clientError", (error: Error & { code?: string }, socket) => {
      const status = error.code === "HPE_HEADER_OVERFLOW"
        ? "431 Request Header Fields Too Large"
        : "400 Bad Request";
      this.#refuse(socket as Socket, status, "bad_request");
    });
    const shortest = Math.min(headersMs, requestMs, answerMs, idleMs);
    this.#sweep = setInterval(() => this.#cutLate(), Math.max(20, Math.min(500, shortest / 4)));
    this.#sweep.unref();
  }

  /** Adds a TCP connection that starts a TLS handshake. */
  shake(socket: Socket): void {
    if (this.#isFull(socket)) return;
    this.#shaking.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#shaking.delete(socket);
      this.#tellIfEmpty();
    });
  }

  /** Adds a connection that is ready for requests. */
  take(socket: Socket): void {
    this.#shaking.delete(socket);
    if (this.#isFull(socket)) return;
    const connection: Connection = { socket, phase: "fresh", deadline: 0, pending: 0 };
    this.#all.set(socket, connection);
    const { idleMs, headersMs } = this.#options.limits;
    // Go's HTTP client may connect early, so the first request may take a while.
    this.#enter(connection, "fresh", idleMs);
    // Clients may reset connections; without a listener, the error would end the process.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#all.delete(socket);
      connection.failBody?.(new BodyError("gone", "the connection was closed"));
      this.#tellIfEmpty();
    });
    socket.on("data", () => {
      const { phase } = connection;
      if (phase === "fresh" || phase === "idle") this.#enter(connection, "headers", headersMs);
    });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
    this.#http.emit("connection", socket);
  }

  control(
    server: { close(): unknown },
  ): Pick<HttpListener, "connectionCount" | "closeAfterAnswers" | "stop"> {
    return {
      connectionCount: () => this.#all.size + this.#shaking.size,
      closeAfterAnswers: () => {
        this.#closing = true;
      },
      stop: async (graceMs) => {
        this.#closing = true;
        server.close();
        for (const connection of this.#all.values()) {
          if (connection.phase === "idle") this.#lastWord(connection.socket, "");
          if (connection.phase === "fresh") this.#enter(connection, "fresh", FRESH_MS);
        }
        await this.#empty(graceMs);
        for (const socket of [...this.#all.keys(), ...this.#shaking]) socket.destroy();
        clearInterval(this.#sweep);
      },
    };
  }

  #isFull(socket: Socket): boolean {
    if (this.#all.size + this.#shaking.size < this.#options.limits.maxConnections) return false;
    this.#cut(socket, "too_many");
    return true;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.#all.get(incoming.socket);
    if (connection === undefined) return;
    const { limits, handler, onError } = this.#options;
    // The time limit starts at the request's first byte, which follows from the headers' deadline.
    const since = connection.phase === "headers"
      ? connection.deadline - limits.headersMs
      : performance.now();
    this.#enter(connection, "body", since + limits.requestMs - performance.now());
    connection.pending++;
    incoming.on("end", () => {
      if (connection.phase === "body") this.#enter(connection, "working", Infinity);
    });
    response.on("finish", () => {
      connection.pending--;
      if (connection.phase !== "answering") return;
      if (connection.pending > 0) this.#enter(connection, "working", Infinity);
      else this.#enter(connection, "idle", limits.idleMs);
    });
    let answer: HttpAnswer;
    try {
      answer = await handler(this.#request(incoming, connection));
    } catch (error) {
      // The client is gone or already has an answer.
      if (error instanceof BodyError && error.code !== "too_large") return;
      onError(error);
      const headers = { "content-type": "text/plain; charset=utf-8" };
      answer = { status: 500, headers, body: "internal error\n" };
    }
    if (incoming.socket.destroyed || connection.phase === "ending") return;
    this.#enter(connection, "answering", limits.answerMs);
    this.#send(incoming, response, answer);
  }

  #request(incoming: IncomingMessage, connection: Connection): HttpRequest {
    const { socket } = incoming;
    return {
      method: incoming.method ?? "",
      target: incoming.url ?? "",
      remoteAddress: `${socket.remoteAddress}:${socket.remotePort}`,
      header(name) {
        const value = incoming.headers[name];
        return Array.isArray(value) ? value.join(", ") : value;
      },
      async body(limit) {
        try {
          return await readBody(incoming, limit, (fail) => {
            connection.failBody = fail;
          });
        } finally {
          // The closure would keep the body in memory while the connection lives.
          connection.failBody = undefined;
        }
      },
      isGone: () => socket.destroyed,
    };
  }

  #send(incoming: IncomingMessage, response: ServerResponse, answer: HttpAnswer): void {
    const body = typeof answer.body === "string"
      ? new TextEncoder().encode(answer.body)
      : answer.body ?? new Uint8Array();
    // The unread rest of a body would be parsed as the next request.
    const close = this.#closing || !incoming.complete;
    try {
      response.writeHead(answer.status, {
        ...answer.headers,
        "content-length": String(body.length),
        ...(close ? { connection: "close" } : {}),
      });
      response.end(incoming.method === "HEAD" ? undefined : body);
      incoming.resume();
    } catch (error) {
      // For example, an invalid header: close the connection and report it.
      this.#options.onError(error);
      incoming.socket.destroy();
    }
  }

  #enter(connection: Connection, phase: Phase, milliseconds: number): void {
    connection.phase = phase;
    connection.deadline = performance.now() + milliseconds;
  }

  #cutLate(): void {
    const now = performance.now();
    for (const connection of this.#all.values()) {
      if (connection.deadline > now) continue;
      const { socket, phase } = connection;
      if (phase === "fresh" || phase === "idle") {
        this.#lastWord(socket, "");
      } else if (phase === "headers") {
        this.#refuse(socket, "408 Request Timeout", "slow_headers");
      } else if (phase === "body") {
        this.#refuse(socket, "408 Request Timeout", "slow_body");
        connection.failBody?.(new BodyError("too_slow", "the body took too long"));
      } else if (phase === "ending") {
        socket.destroy();
      } else {
        this.#cut(socket, "slow_reader");
      }
    }
  }

  /** Answers an invalid or incomplete request, and closes the connection. */
  #refuse(socket: Socket, status: string, reason: CutReason): void {
    const connection = this.#all.get(socket);
    if (socket.destroyed || connection?.phase === "ending") return;
    if (connection?.phase === "answering") return this.#cut(socket, reason);
    this.#options.onCut?.(reason);
    this.#lastWord(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }

  #lastWord(socket: Socket, text: string): void {
    const connection = this.#all.get(socket);
    if (connection !== undefined) this.#enter(connection, "ending", LAST_WORD_MS);
    if (text === "") socket.end();
    else socket.end(text);
  }

  #cut(socket: Socket, reason: CutReason): void {
    this.#options.onCut?.(reason);
    socket.destroy();
  }

  #tellIfEmpty(): void {
    if (this.#all.size + this.#shaking.size === 0) this.#onEmpty();
  }

  #empty(graceMs: number): Promise<void> {
    if (this.#all.size + this.#shaking.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
