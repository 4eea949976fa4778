/** Reads pods, their owners and their PodDisruptionBudgets for `drift`, from a cluster or from files. */

import type { Budget } from "../compare/mod.ts";
import type { Host } from "../host/mod.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  PROXY_CONFIGS,
  REPLICA_SETS,
  type Resource,
  STATEFUL_SETS,
} from "../kube/resources.ts";
import { readDocuments } from "./_explain_inputs.ts";

/** A source of objects. Each kind is listed on demand. */
export interface DriftObjects {
  /** Lists objects. If access to a kind other than pods is denied, warns and returns none. */
  list(resource: Resource): Promise<readonly KubeObject[]>;
}

export interface ClusterObjectsOptions {
  /** The namespace, or `*` for all. */
  readonly namespace: string;
  readonly warn: (message: string) => void;
}

export function clusterObjects(
  client: KubeClient,
  { namespace, warn }: ClusterObjectsOptions,
): DriftObjects {
  return {
    async list(resource) {
      // ProxyConfigs in Istio's root namespace apply to all namespaces.
      const all = resource === PROXY_CONFIGS ? "*" : namespace;
      try {
        return (await client.list(resource, { namespace: all })).items;
      } catch (error) {
        if (!(error instanceof ApiError) || resource === PODS) throw error;
        // Without kinds that are not installed or not readable, the other results still hold.
        if (error.code !== "not_found" && error.code !== "forbidden") throw error;
        if (error.code === "forbidden") warn(`${error.message}; continuing without them`);
        return [];
      }
    },
  };
}

/** Reads objects from a file, as `kubectl get pods,replicasets,deployments,pdb -A -o yaml` prints them. */
export async function fileObjects(path: string, host: Host): Promise<DriftObjects> {
  const documents = await readDocuments(path, host);
  return {
    list: ({ kind }) =>
      Promise.resolve(documents.filter(hasMetadata).filter((one) => one.kind === kind)),
  };
}

function hasMetadata(document: Readonly<Record<string, unknown>>): document is KubeObject {
  return typeof document.metadata === "object" && document.metadata !== null;
}

/** The kinds that own pods and may themselves be owned by a workload. */
export const BETWEEN: readonly Resource[] = [REPLICA_SETS, JOBS];
/** The workloads whose update strategy affects a restart. */
export const WORKLOADS: readonly Resource[] = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS];

export async function listBudgets(objects: DriftObjects): Promise<readonly Budget[]> {
  return await objects.list(POD_DISRUPTION_BUDGETS) as readonly Budget[];
}

/**
 * Returns the URL path at which the API server calls the injector of a revision, since it can set
 * variables of the sidecar. Returns `/inject` if unknown.
 */
export async function webhookPath(objects: DriftObjects, revision: string): Promise<string> {
  interface Webhook {
    readonly name?: string;
    readonly clientConfig?: {
      readonly url?: string;
      readonly service?: { readonly path?: string } | null;
    };
  }
  for (const { metadata, webhooks } of await objects.list(MUTATING_WEBHOOK_CONFIGURATIONS)) {
    const labels = (metadata.labels ?? {}) as Readonly<Record<string, string>>;
    if ((labels["istio.io/rev"] ?? "default") !== (revision || "default")) continue;
    const entries = Array.isArray(webhooks) ? webhooks as readonly Webhook[] : [];
    const own = entries.find(({ name }) => name?.endsWith("sidecar-injector.istio.io"));
    const { url, service } = own?.clientConfig ?? {};
    if (service?.path) return service.path;
    if (url !== undefined && URL.canParse(url)) return new URL(url).pathname;
  }
  return "/inject";
}
