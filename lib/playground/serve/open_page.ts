/** Serves the page on its own port, over plain HTTP. */
import { type ConnectionLimits, type HttpListener, listenHttp } from "../../host/mod.ts";
import { createPageHandler, type PageOptions } from "./page_handler.ts";

/** Limits for one user, whose browser opens half a dozen connections. */
const LIMITS: ConnectionLimits = {
  handshakeMs: 10_000,
  headersMs: 10_000,
  requestMs: 10_000,
  answerMs: 30_000,
  idleMs: 60_000,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 256,
};

export interface OpenPageOptions extends Omit<PageOptions, "onlyLocal"> {
  readonly address: string;
  /** 0 picks any free port. */
  readonly port: number;
  readonly onError: (error: unknown) => void;
}

export interface OpenPage extends HttpListener {
  /** The URL of the page. */
  readonly url: string;
}

export async function openPage(options: OpenPageOptions): Promise<OpenPage> {
  const { address, port, onError } = options;
  const onlyLocal = isLoopback(address);
  const handler = createPageHandler({ ...options, onlyLocal });
  const listener = await listenHttp({ address, port, limits: LIMITS, handler, onError });
  const shown = onlyLocal || address === "" || address === "0.0.0.0" || address === "::"
    ? "localhost"
    : address.includes(":")
    ? `[${address}]`
    : address;
  return { ...listener, url: `http://${shown}:${listener.port}/` };
}

function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127(\.\d+){3}$/.test(address);
}
