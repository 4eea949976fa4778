/**
 * Lets the test files, which run in a process of their own, stop and start the API server that `run.ts`
 * owns: `POST /stop` and `POST /start` on loopback, one at a time, answered once it is done.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Orders {
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface Control {
  readonly url: string;
  close(): void;
}

export async function openControl(orders: Orders): Promise<Control> {
  // A name that nobody else on this machine knows: whoever can ask may end the tests' server.
  const name = crypto.randomUUID();
  let before: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    const run = new Map([[`/${name}/stop`, orders.stop], [`/${name}/start`, orders.start]])
      .get(request.url ?? "");
    if (request.method !== "POST" || run === undefined) {
      response.writeHead(404).end();
      return;
    }
    before = before.then(run).then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${name}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
