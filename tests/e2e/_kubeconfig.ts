/** Kubeconfigs of one context, `e2e`, for the programs that tests run. */

import { writeFileSync } from "node:fs";
import type { ClusterInfo } from "./_cluster.ts";
import type { KeyPair } from "./_certificates.ts";

export function certificateUser({ certificate, key }: KeyPair): object {
  return { "client-certificate-data": btoa(certificate), "client-key-data": btoa(key) };
}

/** Gives the path. */
export function writeKubeconfig(
  path: string,
  { info, user, namespace }: {
    readonly info: ClusterInfo;
    readonly user: object;
    readonly namespace?: string;
  },
): string {
  const context = { cluster: "e2e", user: "e2e", ...(namespace ? { namespace } : {}) };
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "e2e",
      contexts: [{ name: "e2e", context }],
      clusters: [{
        name: "e2e",
        cluster: { server: info.server, "certificate-authority-data": btoa(info.ca) },
      }],
      users: [{ name: "e2e", user }],
    }),
    { mode: 0o600 },
  );
  return path;
}
