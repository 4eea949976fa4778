/** Collects facts for `doctor` from a cluster. Only reads; skips and reports what it may not read. */

import {
  type AccessFact,
  type AccessNeed,
  type CertificateFact,
  type ConfigFact,
  type DoctorFacts,
  injectorsOf,
  nameOf,
  type ObjectLike,
  type SourceFact,
  targetsOf,
  templateOf,
  type WorkloadFact,
} from "../doctor/mod.ts";
import { createClock, type Host } from "../host/mod.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import type { ClusterAccess } from "../kube/kubeconfig.ts";
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  NODES,
  PROXY_CONFIGS,
  type Resource,
  SECRETS,
  SERVICES,
  STATEFUL_SETS,
  SUBJECT_ACCESS_REVIEWS,
} from "../kube/resources.ts";
import { serverVersion } from "../kube/server_version.ts";
import { VERSION } from "./_build.ts";
import { nodeOf } from "../kube/installation.ts";
import { accessNeeds, argumentsFact, configPlaces } from "./_doctor_access.ts";
import { certificateFact, configFact, tlsSecretsOf, workloadFact } from "./_doctor_objects.ts";

export interface DoctorCluster {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
}

export async function factsOfCluster(
  { client, access }: DoctorCluster,
  host: Host,
): Promise<DoctorFacts> {
  const eyes = new Eyes(client);
  // Everything else depends on these, so failing to list them is an error.
  const { items } = await client.list(MUTATING_WEBHOOK_CONFIGURATIONS);
  const webhooks = items as unknown as DoctorFacts["webhooks"];
  const namespaces = await eyes.list(NAMESPACES) ?? [];
  const nodes = await eyes.list(NODES) ?? [];
  const services: ObjectLike[] = [];
  const deployments: ObjectLike[] = [];
  let slices: ObjectLike[] | undefined = [];
  const targets = targetsOf({ webhooks });
  for (const { namespace, name } of targets) {
    const service = await eyes.get(SERVICES, { namespace, name });
    if (service !== undefined && !services.some((one) => isSame(one, service))) {
      services.push(service);
    }
  }
  for (const namespace of new Set(targets.map((target) => target.namespace))) {
    deployments.push(...await eyes.list(DEPLOYMENTS, namespace) ?? []);
    const found = await eyes.list(ENDPOINT_SLICES, namespace);
    slices = found === undefined || slices === undefined ? undefined : [...slices, ...found];
  }
  const found = { webhooks, services, deployments };
  const injectors = injectorsOf(found);
  const certificates: CertificateFact[] = [];
  const configs: ConfigFact[] = [];
  for (const deployment of injectors) {
    const { namespace = "" } = deployment.metadata;
    for (const name of tlsSecretsOf(deployment)) {
      const secret = await eyes.get(SECRETS, { namespace, name });
      const fact = secret && certificateFact(secret);
      if (fact !== undefined) certificates.push(fact);
    }
    const places = configPlaces(deployment);
    const inject = await eyes.get(CONFIG_MAPS, places.inject);
    const mesh = await eyes.get(CONFIG_MAPS, places.mesh);
    const { compat } = places;
    if (inject !== undefined) configs.push(configFact({ inject, mesh, compat }, host));
    configs.push(...[argumentsFact(deployment)].filter((fact) => fact !== undefined));
  }
  const workloads: WorkloadFact[] = [];
  for (const resource of [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS]) {
    const found = await eyes.list(resource, "*", templateLabels) ?? [];
    workloads.push(...found.map((object) => workloadFact(object, resource.kind)));
  }
  const needs = accessNeeds(found, {
    hasProxyConfigs: (await eyes.list(PROXY_CONFIGS, "*") ?? []).length > 0,
    secrets: new Set(certificates.map(({ namespace, name }) => `${namespace}/${name}`)),
  });
  return {
    now: host.now(),
    version: VERSION,
    isLive: true,
    ...found,
    ...(slices === undefined ? {} : { slices }),
    namespaces: namespaces.map(({ metadata: { name = "", labels = {} } }) => ({ name, labels })),
    workloads,
    sources: [...webhooks, ...services, ...deployments].flatMap((object) =>
      appliedSource(object) ?? []
    ),
    certificates,
    access: await eyes.may(needs),
    configs,
    apiServer: await eyes.try(() => serverVersion(access, { clock: createClock() })),
    kubelets: nodes.map((node) => nodeOf(node).kubeletVersion),
    unseen: eyes.unseen,
  };
}

/** Keeps only the labels of the pod template, since a cluster can have thousands of workloads. */
function templateLabels(object: KubeObject): KubeObject {
  const { name, namespace } = object.metadata;
  const { labels } = templateOf(object as unknown as ObjectLike).metadata ?? {};
  return {
    metadata: { ...(name ? { name } : {}), ...(namespace ? { namespace } : {}) },
    spec: { template: { metadata: { labels } } },
  };
}

/** Returns the kind and apiVersion that an object was applied with, from kubectl's annotation. */
function appliedSource(object: ObjectLike): SourceFact | undefined {
  const text = object.metadata.annotations?.["kubectl.kubernetes.io/last-applied-configuration"];
  const applied = text === undefined ? undefined : parseJson(text) as ObjectLike | undefined;
  const { kind, apiVersion } = applied ?? {};
  if (typeof kind !== "string" || typeof apiVersion !== "string") return undefined;
  return { about: `${kind} ${nameOf(object)}`, kind, apiVersion };
}

/** Parses JSON from an annotation; returns undefined if it is malformed. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

function isSame(one: ObjectLike, other: ObjectLike): boolean {
  return one.metadata.namespace === other.metadata.namespace &&
    one.metadata.name === other.metadata.name;
}

/** Reads from the cluster, and continues if access is denied. */
class Eyes {
  readonly unseen: string[] = [];
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  list(
    resource: Resource,
    namespace?: string,
    project?: (object: KubeObject) => KubeObject,
  ): Promise<ObjectLike[] | undefined> {
    const options = { namespace, ...(project === undefined ? {} : { project }) };
    return this.try(async () =>
      (await this.#client.list(resource, options)).items as unknown as ObjectLike[]
    );
  }

  get(
    resource: Resource,
    name: { readonly namespace: string; readonly name: string },
  ): Promise<ObjectLike | undefined> {
    return this.try(async () => await this.#client.get(resource, name) as unknown as ObjectLike);
  }

  async may(needs: readonly AccessNeed[]): Promise<AccessFact[]> {
    const facts: AccessFact[] = [];
    for (const need of needs) {
      const { account, verb, group, resource, namespace, name } = need;
      const [home, user] = account.split("/");
      const answer = await this.try(() =>
        this.#client.create(SUBJECT_ACCESS_REVIEWS, {
          metadata: {},
          spec: {
            user: `system:serviceaccount:${home}:${user}`,
            groups: ["system:serviceaccounts", `system:serviceaccounts:${home}`],
            resourceAttributes: { verb, group, resource, namespace, name },
          },
        })
      );
      const { allowed } = (answer?.status ?? {}) as { allowed?: boolean };
      facts.push({ need, allowed: answer === undefined ? undefined : allowed === true });
    }
    return facts;
  }

  async try<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "not_found") return undefined;
      // Report denied access. Without a reachable cluster there is no diagnosis.
      if (error.code !== "forbidden") throw error;
      this.unseen.push(error.message);
      return undefined;
    }
  }
}
