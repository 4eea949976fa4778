/** What `drift` looks at: pods, what owns them and what guards them, of a cluster or of files. */

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

/** Where objects come from; each kind is asked for once it is needed. */
export interface DriftObjects {
  /** Of all kinds but pods, none and a warning where they may not be seen. */
  list(resource: Resource): Promise<readonly KubeObject[]>;
}

export interface ClusterObjectsOptions {
  /** `*` for all. */
  readonly namespace: string;
  readonly warn: (message: string) => void;
}

export function clusterObjects(
  client: KubeClient,
  { namespace, warn }: ClusterObjectsOptions,
): DriftObjects {
  return {
    async list(resource) {
      // Istio's resources in its root namespace are for all others.
      const all = resource === PROXY_CONFIGS ? "*" : namespace;
      try {
        return (await client.list(resource, { namespace: all })).items;
      } catch (error) {
        if (!(error instanceof ApiError) || resource === PODS) throw error;
        // Kinds that a cluster does not have, or a user may not see, leave the rest to be told.
        if (error.code !== "not_found" && error.code !== "forbidden") throw error;
        if (error.code === "forbidden") warn(`${error.message}; the answer goes without them`);
        return [];
      }
    },
  };
}

/** From manifests, as `kubectl get pods,replicasets,deployments,pdb -A -o yaml` prints them. */
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

/** Objects between pods and workloads. */
export const BETWEEN: readonly Resource[] = [REPLICA_SETS, JOBS];
/** Workloads whose strategy matters to a restart. */
export const WORKLOADS: readonly Resource[] = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS];

export async function listBudgets(objects: DriftObjects): Promise<readonly Budget[]> {
  return await objects.list(POD_DISRUPTION_BUDGETS) as readonly Budget[];
}

/**
 * The path by which the API server calls the injector of a revision: it may ask for variables in the
 * sidecar. `/inject` where there is no telling.
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
