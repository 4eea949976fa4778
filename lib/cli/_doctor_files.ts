/** What `doctor -f` looks at: a directory of manifests, as they would be applied. */

import { accessNeeds } from "../doctor/access_checks.ts";
import type { DoctorFacts, ObjectLike } from "../doctor/facts.ts";
import { mayByManifests } from "../doctor/rbac.ts";
import type { Host } from "../host/mod.ts";
import { VERSION } from "./_build.ts";
import { certificateFact, configFact, injectorsOf, mapNamesOf } from "./_doctor_objects.ts";
import { readDocuments } from "./_explain_inputs.ts";

export async function factsOfFiles(path: string, host: Host): Promise<DoctorFacts> {
  const objects = (await readDocuments(path, host)).filter((document): document is ObjectLike =>
    typeof document.metadata === "object" && document.metadata !== null
  );
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  const found = {
    webhooks: of("MutatingWebhookConfiguration"),
    services: of("Service"),
    deployments: of("Deployment"),
  };
  const named = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  const written = new Map(
    of("Namespace").map(({ metadata: { name = "", labels = {} } }) => [name, labels] as const),
  );
  const maps = of("ConfigMap");
  const map = (namespace: string | undefined, name: string) =>
    maps.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  return {
    now: host.now(),
    version: VERSION,
    isLive: false,
    ...found,
    namespaces: [...new Set([...written.keys(), ...named])].map((name) => ({
      name,
      labels: written.get(name) ?? {},
    })),
    certificates: of("Secret").flatMap((secret) => certificateFact(secret) ?? []),
    access: accessNeeds(found).map((need) => ({ need, allowed: mayByManifests(need, objects) })),
    configs: injectorsOf(found).flatMap((deployment) => {
      const { namespace } = deployment.metadata;
      const names = mapNamesOf(deployment);
      const inject = map(namespace, names.inject);
      return inject === undefined
        ? []
        : [configFact({ inject, mesh: map(namespace, names.mesh) }, host)];
    }),
    kubelets: [],
    unseen: [],
  };
}
