/**
 * HTTP/1.1 servers: `listenHttp` without TLS, and `listenHttps` with certificates that can be
 * replaced while serving. Both pass their sockets to a `node:http` server, so replacing a
 * certificate closes no listener and drops no connection.
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
          "Cannot change while serving whether clients need a certificate",
        );
      }
      server.setSecureContext(contextOf(material));
    },
  };
}

/**
 * TLS 1.2 cipher suites with authenticated encryption and forward secrecy, in the order of
 * Mozilla's "intermediate" configuration. All TLS 1.3 suites have both, so they are not listed.
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
      // For example, too many open files: new connections wait in the kernel.
      server.on("error", () => {});
      const bound = server.address();
      if (bound === null || typeof bound === "string") fail(new Error("no address"));
      else resolve({ address: bound.address, port: bound.port });
    });
  });
}

/** The length of the kernel's queue of new connections; the system's limit applies if lower. */
const BACKLOG = 4096;
