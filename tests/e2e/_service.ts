/**
 * A Service that leads to programs on loopback, without a cluster network: of type ExternalName, which
 * the API server follows, to a port where connections are handed to one program after the other. TLS
 * goes through untouched, by the Service's own name.
 */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { KubeClient } from "../../lib/kube/client.ts";
import { SERVICES } from "../../lib/kube/resources.ts";

export interface LoopbackService extends AsyncDisposable {
  readonly port: number;
  /** Who gets connections from now on. */
  leadTo(ports: readonly number[]): void;
}

export async function createService(
  client: KubeClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<LoopbackService> {
  let endpoints: readonly number[] = [];
  let turn = 0;
  const open = new Set<Socket>();
  const server = createServer((from) => {
    const port = endpoints[turn++ % Math.max(endpoints.length, 1)];
    if (port === undefined) return void from.destroy();
    const to = connect({ port, host: "127.0.0.1" });
    for (const [one, other] of [[from, to], [to, from]]) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        // What it said last must still arrive.
        other.end();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await client.create(SERVICES, {
    metadata: { name, namespace },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
  });
  return {
    port,
    leadTo(ports) {
      endpoints = ports;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await client.delete(SERVICES, { name, namespace });
    },
  };
}
