/**
 * Access to a cluster: through a kubeconfig context, or in a cluster with the pod's service account.
 * Files are read as kubectl reads them. Settings that are not supported are refused, not ignored.
 */

import type { Host, RunProgram } from "../host/mod.ts";
import { type ClusterAccess, KubeconfigError } from "./_access.ts";
import { Fields } from "./_fields.ts";
import { clusterOf } from "./_kubeconfig_cluster.ts";
import { type Kubeconfig, readKubeconfig } from "./_kubeconfig_files.ts";
import { userCredentials } from "./_user_credentials.ts";

export { KubeconfigError, type KubeconfigErrorCode } from "./_access.ts";
export type { ClusterAccess, Credentials } from "./_access.ts";
export { inClusterAccess } from "./_in_cluster.ts";

export interface KubeconfigOptions {
  readonly host: Pick<Host, "env" | "readText" | "now" | "stdin">;
  /** Runs credential plugins. */
  readonly run: RunProgram;
  /** The file to read instead of those in `KUBECONFIG` or `~/.kube/config`. */
  readonly file?: string;
  /** The context to use instead of the current one. */
  readonly context?: string;
}

/**
 * Returns access through a kubeconfig context. Throws a {@link KubeconfigError} for invalid settings.
 * Credentials are not verified here, and no credential plugin runs before the first request.
 */
export async function kubeconfigAccess(options: KubeconfigOptions): Promise<ClusterAccess> {
  const config = await readKubeconfig(options.file, options.host);
  const contextName = options.context ?? config.currentContext;
  const context = contextOf(config, contextName);
  const name = `context ${JSON.stringify(contextName)}`;
  const part = (key: "cluster" | "user", all: ReadonlyMap<string, Fields>) => {
    const wanted = context.text(key);
    const found = all.get(wanted);
    if (found !== undefined) return found;
    // A context without a user is valid: "kubectl proxy" needs no credentials.
    if (key === "user" && wanted === "") return new Fields({}, { file: context.file });
    const reason = wanted === ""
      ? `it names no ${key}`
      : `its ${key} ${JSON.stringify(wanted)} is not in ${config.source}`;
    throw new KubeconfigError("malformed", `Cannot use ${name}: ${reason}`);
  };
  const cluster = clusterOf(part("cluster", config.clusters), { name, host: options.host });
  return {
    name,
    server: cluster.server,
    ...(cluster.serverName === "" ? {} : { serverName: cluster.serverName }),
    insecure: cluster.insecure,
    namespace: context.text("namespace") || "default",
    credentials: userCredentials(part("user", config.users), {
      ...options,
      cluster,
      userName: context.text("user"),
    }),
  };
}

function contextOf(config: Kubeconfig, name: string): Fields {
  const context = config.contexts.get(name);
  if (name !== "" && context !== undefined) return context;
  const names = [...config.contexts.keys()].sort().map((name) => JSON.stringify(name));
  const there = names.length === 0 ? "there are none" : `available: ${names.join(", ")}`;
  throw new KubeconfigError(
    "unknown_context",
    name === ""
      ? `Cannot choose a context from ${config.source}: current-context is not set; ${there}`
      : `Cannot use context ${JSON.stringify(name)}: it is not in ${config.source}; ${there}`,
  );
}
