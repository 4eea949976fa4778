/** In-cluster access with the service account of the pod, from the files that the kubelet mounts. */

import type { Host } from "../host/mod.ts";
import { type ClusterAccess, KubeconfigError } from "./_access.ts";
import { tokenFrom } from "./_user_credentials.ts";

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Returns access with the pod's service account. Throws a KubeconfigError outside a cluster. The token
 * and CA are read for every request, because the kubelet renews them. While a file cannot be read, the
 * last value is used.
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
      "Cannot use the service account: not running in a pod, " +
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
