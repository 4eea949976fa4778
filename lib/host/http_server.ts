/**
 * HTTP/1.1 for other machines: `listenHttp` in the clear, `listenHttps` over TLS with certificates that
 * can change while connections come in. Both hand their sockets to a `node:http` server: that way a
 * change of certificates closes no listener, and so drops no connection.
 */

import { createServer as createTcpServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { Connections } from "./_connections.ts";
import { HostError, hostErrorFrom } from "./host_error.ts";
import type { HttpListener, HttpServerOptions, HttpsListener, SecureMaterial } from "./http.ts";

export async function listenHttp(options: HttpServerOptions): Promise<HttpListener> {
  const connections = new Connections(options);
  const server = createTcpServer((socket) => connections.take(socket));
  const at = await listen(server, options);
  return { ...at, ...connections.control(server) };
}

export async function listenHttps(
  options: HttpServerOptions & { readonly secure: SecureMaterial },
): Promise<HttpsListener> {
  const connections = new Connections(options);
  const wantsClient = options.secure.clientCa !== undefined;
  const server = createTlsServer({
    ...contextOf(options.secure),
    requestCert: wantsClient,
    rejectUnauthorized: wantsClient,
    handshakeTimeout: options.limits.handshakeMs,
    ALPNProtocols: ["http/1.1"],
  }, (socket) => {
    if (wantsClient && !socket.authorized) socket.destroy();
    else connections.take(socket);
  });
  server.on("connection", (socket: Socket) => connections.shake(socket));
  server.on("tlsClientError", (_error: Error, socket: TLSSocket) => {
    options.onCut?.("handshake");
    socket.destroy();
  });
  const at = await listen(server, options);
  return {
    ...at,
    ...connections.control(server),
    setSecure(material) {
      if ((material.clientCa !== undefined) !== wantsClient) {
        throw new HostError(
          "failed",
          "Cannot change whether callers need a certificate while serving",
        );
      }
      server.setSecureContext(contextOf(material));
    },
  };
}

/**
 * Cipher suites of TLS 1.2: those with authenticated encryption and forward secrecy, in Mozilla's order
 * ("intermediate"). All suites of TLS 1.3 are such, and are not named here.
 */
const CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

function contextOf({ certificates, key, clientCa }: SecureMaterial) {
  return {
    cert: certificates,
    key,
    minVersion: "TLSv1.2" as const,
    ciphers: CIPHERS,
    ...(clientCa === undefined ? {} : { ca: clientCa }),
  };
}

type Listening = Pick<
  ReturnType<typeof createTcpServer>,
  "listen" | "address" | "once" | "off" | "on" | "close"
>;

function listen(
  server: Listening,
  { address, port }: HttpServerOptions,
): Promise<{ address: string; port: number }> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      reject(hostErrorFrom(cause, `listen on ${address || "all addresses"}, port ${port}`));
    };
    server.once("error", fail);
    server.listen({ host: address || undefined, port, backlog: BACKLOG }, () => {
      server.off("error", fail);
      // Running out of file descriptors, say: those who connect meanwhile wait in the kernel.
      server.on("error", () => {});
      const bound = server.address();
      if (bound === null || typeof bound === "string") fail(new Error("no address"));
      else resolve({ address: bound.address, port: bound.port });
    });
  });
}

/** Connections that the kernel keeps for us while we are busy; it takes the system's own limit if lower. */
const BACKLOG = 4096;
