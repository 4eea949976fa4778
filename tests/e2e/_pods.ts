/** Namespaces and pods to try injection on. */

import type { KubeClient, KubeObject } from "../../lib/kube/client.ts";
import { NAMESPACES, PODS, SERVICE_ACCOUNTS } from "./_resources.ts";

export type Labels = Readonly<Record<string, string>>;

/** With the service account that a cluster's controllers would make. */
export async function createNamespace(
  client: KubeClient,
  name: string,
  labels: Labels = {},
): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name, labels } });
  await createServiceAccount(client, name);
}

/** No pod can be created in a namespace without; one that is there already will do. */
export async function createServiceAccount(client: KubeClient, namespace: string): Promise<void> {
  const options = { fieldManager: "e2e" };
  await client.apply(SERVICE_ACCOUNTS, { metadata: { name: "default", namespace } }, options);
}

export interface PodOptions {
  readonly name?: string;
  readonly namespace: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
}

export function pod({ name = "app", namespace, labels, annotations }: PodOptions): KubeObject {
  return {
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { containers: [{ name: "app", image: "app" }] },
  };
}

/** Goes all the way through admission and leaves nothing behind. */
export function tryPod(client: KubeClient, options: PodOptions): Promise<KubeObject> {
  return client.create(PODS, pod(options), { dryRun: true });
}

interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** The sidecar, wherever it is; `undefined` in a pod without. */
export function sidecarOf({ spec }: KubeObject): Container | undefined {
  const { containers = [], initContainers = [] } = spec as Record<string, Container[] | undefined>;
  return [...initContainers, ...containers].find(({ name }) => name === "istio-proxy");
}

/** What the path of the webhook that was called said, as in `/inject/net/NAME`. */
export function calledBy(pod: KubeObject): string | undefined {
  return sidecarOf(pod)?.env?.find(({ name }) => name === "ISTIO_META_NETWORK")?.value;
}
