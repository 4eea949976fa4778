/** `kubectl apply -f` and `kubectl delete -f` by the API, since kubectl is not everywhere. */

import { ApiError } from "../../lib/kube/api_error.ts";
import type { KubeClient, KubeObject } from "../../lib/kube/client.ts";
import type { Resource } from "../../lib/kube/resources.ts";
import type { ManifestObject } from "../manifests/_objects.ts";

/** Where the API has an object; what lives in a namespace says which. */
export function resourceOf({ apiVersion, kind, metadata }: ManifestObject): Resource {
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, "ies");
  return { apiVersion, kind, plural, namespaced: metadata.namespace !== undefined };
}

export async function apply(
  client: KubeClient,
  objects: readonly ManifestObject[],
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<KubeObject[]> {
  const written: KubeObject[] = [];
  for (const object of objects) {
    const options = { fieldManager: "kubectl", force: true, dryRun };
    written.push(await client.apply(resourceOf(object), object, options));
  }
  return written;
}

/** As `kubectl delete --ignore-not-found` does. */
export async function remove(
  client: KubeClient,
  objects: readonly ManifestObject[],
): Promise<void> {
  for (const object of objects) {
    const { name, namespace } = object.metadata;
    try {
      await client.delete(resourceOf(object), { name, ...(namespace ? { namespace } : {}) });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "not_found")) throw error;
    }
  }
}
