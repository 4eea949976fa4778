/**
 * The cluster that `serve` runs in: the pod's own, or that of `--kubeconfig`. There need not be one: who
 * needs it says what for, and gets a client or an error that says why there is none.
 */

import { type Clock, type Host, runProgram } from "../host/mod.ts";
import { createKubeClient, type KubeClient } from "../kube/client.ts";
import { type ClusterAccess, inClusterAccess, kubeconfigAccess } from "../kube/kubeconfig.ts";
import type { ServeSettings } from "./_settings.ts";

export interface ServeCluster {
  /** `undefined` where there is no cluster. */
  readonly client: KubeClient | undefined;
  /** Throws where there is none; `what` is what cannot be done then, as in `watch config maps`. */
  need(what: string): KubeClient;
  close(): void;
}

export interface ServeClusterContext {
  readonly settings: Pick<ServeSettings, "kubeconfig" | "context" | "isDev">;
  readonly host: Host;
  readonly clock: Clock;
}

/** A kubeconfig that was asked for by name and cannot be used is an error; anything else means none. */
export async function openServeCluster(
  { settings: { kubeconfig, context, isDev }, host, clock }: ServeClusterContext,
): Promise<ServeCluster> {
  let reason: unknown = "--kubeconfig names none";
  let access: ClusterAccess | undefined;
  if (kubeconfig !== "" || context !== "") {
    access = await kubeconfigAccess({
      host,
      run: runProgram,
      ...(kubeconfig === "" ? {} : { file: kubeconfig }),
      ...(context === "" ? {} : { context }),
    });
  } else if (!isDev) {
    // Whoever tries it out in a pod does not mean the cluster that the pod is in.
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
