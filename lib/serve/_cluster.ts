/**
 * The cluster that `serve` watches: the one that the pod runs in, or the one of `--kubeconfig`. A cluster is
 * optional. Code that needs one calls `need`, which returns a client or explains why there is none.
 */

import { type Clock, type Host, runProgram } from "../host/mod.ts";
import { createKubeClient, type KubeClient } from "../kube/client.ts";
import { type ClusterAccess, inClusterAccess, kubeconfigAccess } from "../kube/kubeconfig.ts";
import type { ServeSettings } from "./_settings.ts";

export interface ServeCluster {
  /** The client; `undefined` without a cluster. */
  readonly client: KubeClient | undefined;
  /** Returns the client or throws; `what` completes "Cannot … without a cluster". */
  need(what: string): KubeClient;
  close(): void;
}

export interface ServeClusterContext {
  readonly settings: Pick<ServeSettings, "kubeconfig" | "context" | "isDev">;
  readonly host: Host;
  readonly clock: Clock;
}

/** Opens the cluster. Throws if an explicit kubeconfig cannot be used; otherwise a cluster is optional. */
export async function openServeCluster(
  { settings: { kubeconfig, context, isDev }, host, clock }: ServeClusterContext,
): Promise<ServeCluster> {
  let reason: unknown = "--kubeconfig is not set";
  let access: ClusterAccess | undefined;
  if (kubeconfig !== "" || context !== "") {
    access = await kubeconfigAccess({
      host,
      run: runProgram,
      ...(kubeconfig === "" ? {} : { file: kubeconfig }),
      ...(context === "" ? {} : { context }),
    });
  } else if (!isDev) {
    // In development mode in a pod, do not use the cluster of the pod.
    access = await inClusterAccess(host).catch((error) => void (reason = error));
  }
  const client = access === undefined ? undefined : createKubeClient(access, { clock });
  return {
    client,
    need(what) {
      if (client !== undefined) return client;
      const why = reason instanceof Error ? reason.message : String(reason);
      throw new Error(`Cannot ${what} without a cluster: ${why}`, { cause: reason });
    },
    close: () => client?.close(),
  };
}
