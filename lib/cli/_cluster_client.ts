/** Opens a client for the cluster that the flags select. */

import type { Host } from "../host/mod.ts";
import type { KubeClient } from "../kube/client.ts";
import { openClient } from "./_inject_cluster.ts";
import type { StringFlag } from "./command.ts";

export const CLUSTER_FLAGS = [
  {
    name: "context",
    type: "string",
    value: "NAME",
    description: "context of the cluster; if not set, the current context",
  },
  {
    name: "kubeconfig",
    short: "c",
    type: "string",
    value: "FILE",
    description: "path to the kubeconfig file; if not set, $KUBECONFIG or ~/.kube/config",
  },
] as const satisfies readonly StringFlag[];

export interface ClusterChoice {
  readonly context: string | undefined;
  readonly kubeconfig: string | undefined;
}

/** Calls `work` with a client, and closes the client afterwards. */
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
