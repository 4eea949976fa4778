/** Collects facts for `doctor -f` from manifests. */

import {
  type DoctorFacts,
  injectorsOf,
  mayByManifests,
  nameOf,
  type ObjectLike,
} from "../doctor/mod.ts";
import type { Host } from "../host/mod.ts";
import { VERSION } from "./_build.ts";
import { accessNeeds, argumentsFact, configPlaces } from "./_doctor_access.ts";
import { certificateFact, configFact, workloadFact, WORKLOADS } from "./_doctor_objects.ts";
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
  const map = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
    maps.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const needs = accessNeeds(found, {
    hasProxyConfigs: of("ProxyConfig").length > 0,
    secrets: new Set(of("Secret").map(nameOf)),
  });
  return {
    now: host.now(),
    version: VERSION,
    isLive: false,
    ...found,
    namespaces: [...new Set([...written.keys(), ...named])].map((name) => ({
      name,
      labels: written.get(name) ?? {},
    })),
    workloads: WORKLOADS.flatMap((kind) => of(kind).map((object) => workloadFact(object, kind))),
    sources: objects.map((object) => ({
      about: `${object.kind} ${nameOf(object)}`,
      kind: object.kind ?? "",
      apiVersion: object.apiVersion ?? "",
    })),
    certificates: of("Secret").flatMap((secret) => certificateFact(secret) ?? []),
    access: needs.map((need) => ({ need, allowed: mayByManifests(need, objects) })),
    configs: injectorsOf(found).flatMap((deployment) => {
      const { compat, ...places } = configPlaces(deployment);
      const inject = map(places.inject);
      return [
        ...(inject === undefined
          ? []
          : [configFact({ inject, mesh: map(places.mesh), compat }, host)]),
        ...[argumentsFact(deployment)].filter((fact) => fact !== undefined),
      ];
    }),
    kubelets: [],
    unseen: [],
  };
}
