/**
 * Reads the config maps of an Istio installation, by the names that `istioctl kube-inject` uses, and the
 * nodes from a cluster. Contacts no cluster unless a flag selects one.
 */

import { createClock, type Host, runProgram } from "../host/mod.ts";
import type { Node } from "../inject/mod.ts";
import { ApiError } from "../kube/api_error.ts";
import { createKubeClient, type KubeClient, type KubeObject } from "../kube/client.ts";
import { CONFIG_MAPS, NODES } from "../kube/resources.ts";
import { type ClusterAccess, kubeconfigAccess } from "../kube/kubeconfig.ts";
import {
  INJECT_MAP,
  ISTIO_NAMESPACE,
  mapName,
  MESH_MAP,
  nodeOf,
  textOf,
} from "../kube/installation.ts";
import { UsageError } from "./command.ts";

export interface ClusterFlags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly istioNamespace: string | undefined;
  readonly injectConfigMapName: string | undefined;
  readonly meshConfigMapName: string | undefined;
}

/** A text from a config map, and its origin, such as `of ConfigMap "istio-system/istio"`. */
export interface ClusterText {
  readonly text: string;
  readonly origin: string;
}

export interface InjectCluster {
  /** Returns a text from `istio-sidecar-injector`; throws if it is absent. */
  injection(key: "config" | "values"): Promise<ClusterText>;
  mesh(): Promise<ClusterText>;
  /** Lists nodes; warns and returns undefined if the user may not list them. */
  nodes(warn: (message: string) => void): Promise<readonly Node[] | undefined>;
  close(): void;
}

/** Opens the cluster that the flags select; returns undefined if they select none. */
export async function openCluster(
  flags: ClusterFlags,
  { host, revision, isWanted = namesCluster(flags) }: {
    host: Host;
    revision: string;
    isWanted?: boolean;
  },
): Promise<InjectCluster | undefined> {
  if (!isWanted) {
    refuseStray(flags);
    return undefined;
  }
  const { client, access } = await openClient(flags, host);
  const namespace = flags.istioNamespace || ISTIO_NAMESPACE;
  const injectMap = once(() =>
    readMap(client, {
      namespace,
      name: mapName(flags.injectConfigMapName, { usual: INJECT_MAP, revision }),
      where: access.name,
      hint: "--injectConfigMapName",
    })
  );
  return {
    injection: async (key) =>
      (await injectMap()).text(key, `missing ConfigMap ${key} key "${key}"`),
    async mesh() {
      const map = await readMap(client, {
        namespace,
        name: mapName(flags.meshConfigMapName, { usual: MESH_MAP, revision }),
        where: access.name,
        hint: "--meshConfigMapName",
      });
      return map.text("mesh", 'missing configuration map key "mesh"');
    },
    nodes: (warn) => listNodes(client, warn),
    close: () => client.close(),
  };
}

export function namesCluster(
  { kubeconfig, context }: Pick<ClusterFlags, "kubeconfig" | "context">,
): boolean {
  return Boolean(kubeconfig || context);
}

/** Opens a client for the cluster that the flags select, or else for the current context. */
export async function openClient(
  { kubeconfig, context }: Pick<ClusterFlags, "kubeconfig" | "context">,
  host: Host,
): Promise<{ client: KubeClient; access: ClusterAccess }> {
  const access = await kubeconfigAccess({
    host,
    run: runProgram,
    ...(kubeconfig ? { file: kubeconfig } : {}),
    ...(context ? { context } : {}),
  });
  return { client: createKubeClient(access, { clock: createClock() }), access };
}

/** Rejects flags that would be silently ignored without a cluster. */
function refuseStray(flags: ClusterFlags): void {
  for (const name of ["istioNamespace", "injectConfigMapName", "meshConfigMapName"] as const) {
    if (flags[name] === undefined) continue;
    throw new UsageError(
      `Flag "--${name}" requires --context or --kubeconfig. ` +
        'Run "outrigger help inject"',
    );
  }
}

async function readMap(
  client: KubeClient,
  { namespace, name, where, hint }: {
    readonly namespace: string;
    readonly name: string;
    readonly where: string;
    readonly hint: string;
  },
) {
  const origin = `ConfigMap ${JSON.stringify(`${namespace}/${name}`)}`;
  const cannot = (reason: string, cause?: unknown) =>
    new Error(`Cannot use ${origin} of ${where}: ${reason}`, { cause });
  let map: KubeObject;
  try {
    map = await client.get(CONFIG_MAPS, { namespace, name });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
    const flags = `${hint}, --istioNamespace and --revision`;
    throw cannot(`not found; check ${flags}`, error);
  }
  return {
    text(key: string, missing: string): ClusterText {
      const text = textOf(map, key);
      if (text === undefined) throw cannot(missing);
      return { text, origin: `of ${origin}` };
    },
  };
}

async function listNodes(
  client: KubeClient,
  warn: (message: string) => void,
): Promise<readonly Node[] | undefined> {
  try {
    return (await client.list(NODES)).items.map(nodeOf);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "forbidden")) throw error;
    warn(`${error.message}; sidecars are native only with --native-sidecars true`);
    return undefined;
  }
}

/** Memoizes a promise. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => result ??= work();
}
