/** Stands between the API server and an injector, and writes down which versions of reviews pass by. */

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority } from "./_certificates.ts";

export interface Relay extends AsyncDisposable {
  /** PEM, for the caBundle. */
  readonly ca: string;
  readonly url: string;
  /** As in `admission.k8s.io/v1`, one for each review so far. */
  versions(): readonly string[];
}

export async function startRelay(
  to: { readonly url: string; readonly ca: string },
): Promise<Relay> {
  const authority = await createAuthority("relay");
  const pair = await authority.issue({ subject: "CN=relay", addresses: ["127.0.0.1"] });
  const versions: string[] = [];
  const server = createServer(
    { cert: pair.certificate, key: pair.key },
    async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      versions.push(JSON.parse(body).apiVersion);
      const query = new URL(request.url ?? "/", to.url).search;
      const answer = await fetch(to.url + query, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        tls: { ca: to.ca },
      });
      response.writeHead(answer.status, { "content-type": "application/json" })
        .end(await answer.text());
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ca: authority.certificate,
    url: `https://127.0.0.1:${port}/inject`,
    versions: () => versions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
