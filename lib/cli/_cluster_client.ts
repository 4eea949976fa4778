/** A client of the cluster that the user means, and the flags to name it with. */

import type { Host } from "../host/mod.ts";
import type { KubeClient } from "../kube/client.ts";
import { openClient } from "./_inject_cluster.ts";
import type { StringFlag } from "./command.ts";

export const CLUSTER_FLAGS = [
  {
    name: "context",
    type: "string",
    value: "NAME",
    description: "context of the kubeconfig; its current one if not given",
  },
  {
    name: "kubeconfig",
    type: "string",
    value: "FILE",
    description: "kubeconfig file; $KUBECONFIG or ~/.kube/config if not given",
  },
] as const satisfies readonly StringFlag[];

export interface ClusterChoice {
  readonly context: string | undefined;
  readonly kubeconfig: string | undefined;
}

/** Opens a client, lets `work` have it, and closes it. */
export async function withCluster<T>(
  choice: ClusterChoice,
  { host, work }: { readonly host: Host; readonly work: (client: KubeClient) => Promise<T> },
): Promise<T> {
  const { client } = await openClient(choice, host);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
