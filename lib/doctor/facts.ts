/**
 * The facts about an installation, in a cluster or in a directory of manifests, and functions to look
 * things up in them. Facts that could not be collected are absent, and checks do not report on them.
 */

import { injectorEntries, PRODUCT, PRODUCT_LABEL } from "../webhook/configuration.ts";
import type { ConfigurationLike, EntryLike } from "../webhook/match.ts";

/** An object from the API server or from a manifest. Its content is not trusted. */
export interface ObjectLike {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly [field: string]: unknown;
}

export type Labels = Readonly<Record<string, string>>;

export interface CertificateFact {
  readonly namespace: string;
  /** The name of the Secret. */
  readonly name: string;
  /** Why the certificate is unusable. */
  readonly problem?: string;
  /** Milliseconds since 1970. */
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly names: readonly string[];
  /** Reports whether a client that trusts these CAs (PEM) trusts the certificate. */
  readonly isTrustedBy: (bundle: string) => boolean;
}

export interface AccessFact {
  readonly need: AccessNeed;
  /** Undefined if it could not be determined. */
  readonly allowed: boolean | undefined;
}

/** A permission that the injector needs. */
export interface AccessNeed {
  /** The service account: `outrigger-system/outrigger`. */
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Absent for a cluster-wide permission. */
  readonly namespace?: string;
  /** The name of the object, if the permission is for one object. */
  readonly name?: string;
  /** What does not work without the permission. */
  readonly why: string;
  /** Whether the injector works without the permission, with less function. */
  readonly isOptional: boolean;
}

export interface ConfigFact {
  /** The source of the config. */
  readonly origin: string;
  /** Why the config cannot be used. */
  readonly error?: string;
  readonly warnings: readonly string[];
  /** A command to investigate with. */
  readonly fix: string;
}

/** A workload, with the labels of its pod template. */
export interface WorkloadFact {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

/** The version in which an object was written, in a file or in its last-applied annotation. */
export interface SourceFact {
  /** The object: `Deployment shop/web`. */
  readonly about: string;
  readonly kind: string;
  readonly apiVersion: string;
}

export interface DoctorFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The version of the program that runs the checks. */
  readonly version: string;
  /** Whether the facts come from a cluster, rather than from manifests. */
  readonly isLive: boolean;
  readonly webhooks: readonly (ConfigurationLike & ObjectLike)[];
  readonly namespaces: readonly { readonly name: string; readonly labels: Labels }[];
  readonly workloads: readonly WorkloadFact[];
  readonly sources: readonly SourceFact[];
  readonly services: readonly ObjectLike[];
  /** EndpointSlices; absent if they could not be listed. */
  readonly slices?: readonly ObjectLike[];
  readonly deployments: readonly ObjectLike[];
  readonly certificates: readonly CertificateFact[];
  readonly access: readonly AccessFact[];
  readonly configs: readonly ConfigFact[];
  /** The version of the API server: `v1.35.4`. */
  readonly apiServer?: string;
  readonly kubelets: readonly string[];
  /** What could not be collected. */
  readonly unseen: readonly string[];
}

/** The Service and port that a webhook calls. */
export interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export function targetOf({ clientConfig }: EntryLike): Target | undefined {
  const { service } = (clientConfig ?? {}) as {
    service?: { name?: string; namespace?: string; port?: number } | null;
  };
  if (!service?.name) return undefined;
  const { name, namespace = "default", port = 443 } = service;
  return { namespace, name, port };
}

/** Returns the Services that injectors' webhooks call, each once. */
export function targetsOf({ webhooks }: Pick<DoctorFacts, "webhooks">): Target[] {
  const found = new Map<string, Target>();
  for (const entry of webhooks.flatMap(injectorEntries)) {
    const target = targetOf(entry);
    if (target) found.set(`${target.namespace}/${target.name}:${target.port}`, target);
  }
  return [...found.values()];
}

interface PodTemplate {
  readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
  readonly spec?: {
    readonly serviceAccountName?: string;
    readonly containers?: readonly {
      readonly name?: string;
      readonly image?: string;
      readonly args?: readonly string[];
      readonly env?: readonly {
        readonly name: string;
        readonly value?: string;
        readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath?: string } };
      }[];
      readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
    }[];
  };
}

export function templateOf({ spec }: ObjectLike): PodTemplate {
  return ((spec ?? {}) as { template?: PodTemplate }).template ?? {};
}

export function replicasOf({ spec }: ObjectLike): number {
  return ((spec ?? {}) as { replicas?: number }).replicas ?? 1;
}

/** Returns the Service of a target. */
export function serviceOf(
  target: Target | undefined,
  { services }: Pick<DoctorFacts, "services">,
): ObjectLike | undefined {
  return services.find(({ metadata }) =>
    metadata.namespace === target?.namespace && metadata.name === target?.name
  );
}

/** Returns the Deployments behind a target's Service. */
export function deploymentsOf(
  target: Target | undefined,
  facts: Pick<DoctorFacts, "services" | "deployments">,
): ObjectLike[] {
  const service = serviceOf(target, facts);
  return service === undefined ? [] : servedBy(service, facts.deployments);
}

/** Returns the Deployments behind the Services that injectors' webhooks call. */
export function injectorsOf(
  facts: Pick<DoctorFacts, "webhooks" | "services" | "deployments">,
): ObjectLike[] {
  return [...new Set(targetsOf(facts).flatMap((target) => deploymentsOf(target, facts)))];
}

/** Returns the Deployments whose pods a Service selects. */
export function servedBy(
  { metadata, spec }: ObjectLike,
  deployments: readonly ObjectLike[],
): ObjectLike[] {
  const { selector } = (spec ?? {}) as { selector?: Labels | null };
  const wanted = Object.entries(selector ?? {});
  return deployments.filter((deployment) => {
    if (deployment.metadata.namespace !== metadata.namespace) return false;
    const labels = templateOf(deployment).metadata?.labels ?? {};
    return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
  });
}

/** Reports whether a Deployment runs Outrigger, by its label, its image, or a flag that only it has. */
export function runsOutrigger(deployment: ObjectLike): boolean {
  if (deployment.metadata.labels?.[PRODUCT_LABEL] === PRODUCT) return true;
  const { containers = [] } = templateOf(deployment).spec ?? {};
  return argumentOf(deployment, "tls-secret") !== undefined ||
    containers.some(({ image = "" }) => /(?:^|\/)outrigger(?:[:@]|$)/.test(image));
}

/** Returns the value of `--name=value` or `--name value` in a Deployment's arguments. */
export function argumentOf(deployment: ObjectLike, name: string): string | undefined {
  const args = templateOf(deployment).spec?.containers?.flatMap(({ args = [] }) => args) ?? [];
  const index = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (index < 0) return undefined;
  const [, value] = args[index].split(/=(.*)/s);
  return value ?? args[index + 1] ?? "";
}

/** Returns the minor version: 35 for `v1.35.4`. */
export function minorOf(version: string): number | undefined {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

export function nameOf({ metadata: { namespace, name } }: ObjectLike): string {
  return namespace ? `${namespace}/${name}` : name ?? "";
}
