/** Access by the service account of the pod this runs in, from what the kubelet puts there. */

import type { Host } from "../host/mod.ts";
import { type ClusterAccess, KubeconfigError } from "./_access.ts";
import { tokenFrom } from "./_user_credentials.ts";

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Throws a KubeconfigError outside of a cluster. Token and authorities are read with every request, since
 * the kubelet renews them; those that were read last count while the files cannot be read.
 */
export async function inClusterAccess(
  host: Pick<Host, "env" | "readText">,
  { folder = FOLDER }: { readonly folder?: string } = {},
): Promise<ClusterAccess> {
  const [address, port] = [
    host.env("KUBERNETES_SERVICE_HOST"),
    host.env("KUBERNETES_SERVICE_PORT"),
  ];
  if (!address || !port) {
    throw new KubeconfigError(
      "not_found",
      "Cannot use the service account: this is no pod of a cluster, " +
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
    );
  }
  const name = "the service account";
  const token = tokenFrom(`${folder}/token`, { host, whose: name });
  let ca = await host.readText(`${folder}/ca.crt`);
  return {
    name,
    server: `https://${address.includes(":") ? `[${address}]` : address}:${port}`,
    insecure: false,
    namespace: (await host.readText(`${folder}/namespace`)).trim(),
    async credentials() {
      ca = await host.readText(`${folder}/ca.crt`).catch(() => ca);
      return { ca, headers: { Authorization: await token() } };
    },
  };
}
