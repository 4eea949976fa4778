/**
 * An HTTP client with no mercy and no magic: one connection, requests written as they are, nothing
 * retried, every failure told. What real clients paper over is what these tests are about.
 */
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

export interface ClientAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** After this long a test has failed; it is no wait. */
const DEADLINE_MS = 20_000;

export class Client {
  readonly socket: Socket;
  /** Resolves with all that was received when the connection is over. */
  readonly closed: Promise<string>;
  #received = "";
  #isClosed = false;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    this.closed = new Promise((resolve) => {
      socket.on("close", () => {
        this.#isClosed = true;
        this.#wake();
        resolve(this.#received);
      });
    });
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      this.#received += chunk.toString("latin1");
      this.#wake();
    });
  }

  static tls(port: number, options: ConnectionOptions = {}): Promise<Client> {
    const socket = connectTls({
      host: "127.0.0.1",
      port,
      servername: "localhost",
      rejectUnauthorized: options.ca !== undefined,
      ...options,
    });
    return opened(new Client(socket), "secureConnect");
  }

  static plain(port: number): Promise<Client> {
    return opened(new Client(connectTcp({ host: "127.0.0.1", port })), "connect");
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(text: string | Uint8Array): void {
    this.socket.write(text);
  }

  /** Sends one request and reads its answer; throws where either fails. */
  async request(path: string, options: RequestOptions = {}): Promise<ClientAnswer> {
    const { method = options.body === undefined ? "GET" : "POST", headers = {} } = options;
    const body = typeof options.body === "string"
      ? new TextEncoder().encode(options.body)
      : options.body ?? new Uint8Array();
    const lines = Object.entries({
      host: "localhost",
      ...(body.length > 0 ? { "content-length": String(body.length) } : {}),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    if (body.length > 0) this.write(body);
    return await this.answer();
  }

  /** Sends a review to the webhook. */
  review(review: unknown, path = "/inject"): Promise<ClientAnswer> {
    const headers = { "content-type": "application/json" };
    return this.request(path, { headers, body: JSON.stringify(review) });
  }

  /** The next answer on this connection. */
  async answer(): Promise<ClientAnswer> {
    const end = await this.#until(() => {
      const at = this.#received.indexOf("\r\n\r\n");
      return at < 0 ? undefined : at;
    });
    const [first, ...lines] = this.#received.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const start = end + 4;
    const length = Number(headers["content-length"] ?? 0);
    await this.#until(() => this.#received.length >= start + length ? true : undefined);
    const body = this.#received.slice(start, start + length);
    this.#received = this.#received.slice(start + length);
    return {
      status: Number(first.split(" ")[1]),
      headers,
      body: new TextDecoder().decode(Uint8Array.from(body, (char) => char.charCodeAt(0))),
    };
  }

  close(): void {
    this.socket.destroy();
  }

  async #until<T>(look: () => T | undefined): Promise<T> {
    const deadline = setTimeout(() => this.socket.destroy(), DEADLINE_MS);
    try {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        if (this.#isClosed) {
          throw new Error(
            `connection closed after ${JSON.stringify(this.#received.slice(0, 200))}`,
          );
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(deadline);
    }
  }
}

function opened(client: Client, event: "secureConnect" | "connect"): Promise<Client> {
  return new Promise((resolve, reject) => {
    client.socket.once(event, () => resolve(client));
    client.socket.once("error", reject);
    client.socket.once("close", () => reject(new Error("connection closed while it was made")));
  });
}
