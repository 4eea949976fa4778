/**
 * What is known about an installation, of a cluster or of a directory of manifests. Whoever collects it
 * leaves out what it could not see; checks say nothing about what is not known.
 */

import { PRODUCT, PRODUCT_LABEL } from "../webhook/configuration.ts";
import type { ConfigurationLike, EntryLike } from "../webhook/match.ts";

/** An object as the API server gives it, or as a manifest has it; anyone may have written it. */
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
  /** Name of the Secret. */
  readonly name: string;
  /** Why it cannot be used at all. */
  readonly problem?: string;
  /** Milliseconds since 1970. */
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly names: readonly string[];
  /** Whether callers who trust these authorities (PEM) trust it. */
  readonly isTrustedBy: (bundle: string) => boolean;
}

/** What somebody may do; `undefined` where nobody would say. */
export interface AccessFact {
  readonly need: AccessNeed;
  readonly allowed: boolean | undefined;
}

export interface AccessNeed {
  /** Service account, as in `outrigger-system/outrigger`. */
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Absent for the whole cluster. */
  readonly namespace?: string;
  /** One object's. */
  readonly name?: string;
  /** What does not work without. */
  readonly why: string;
  /** Whether the injector works without, only less well. */
  readonly isOptional: boolean;
}

export interface ConfigFact {
  /** Where it is from. */
  readonly origin: string;
  /** Why it cannot be injected with. */
  readonly error?: string;
  readonly warnings: readonly string[];
  /** A command to look closer with. */
  readonly fix: string;
}

/** A workload, with the labels of its pod template. */
export interface WorkloadFact {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

/** The form in which somebody wrote an object: of a file, or of what was last applied. */
export interface SourceFact {
  /** The object, as in `Deployment shop/web`. */
  readonly about: string;
  readonly kind: string;
  readonly apiVersion: string;
}

export interface DoctorFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Of the program that looks. */
  readonly version: string;
  /** Whether it is a cluster: manifests say nothing of what becomes of them. */
  readonly isLive: boolean;
  readonly webhooks: readonly (ConfigurationLike & ObjectLike)[];
  readonly namespaces: readonly { readonly name: string; readonly labels: Labels }[];
  readonly workloads: readonly WorkloadFact[];
  readonly sources: readonly SourceFact[];
  readonly services: readonly ObjectLike[];
  /** EndpointSlices; absent where they cannot be seen. */
  readonly slices?: readonly ObjectLike[];
  readonly deployments: readonly ObjectLike[];
  readonly certificates: readonly CertificateFact[];
  readonly access: readonly AccessFact[];
  readonly configs: readonly ConfigFact[];
  /** Of the API server, as in `v1.35.4`. */
  readonly apiServer?: string;
  readonly kubelets: readonly string[];
  /** What could not be looked at. */
  readonly unseen: readonly string[];
}

/** Where an entry sends reviews within the cluster. */
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

/** Entries of injectors, by the end of their names. */
export function injectorEntries(
  { webhooks = [] }: ConfigurationLike,
): readonly EntryLike[] {
  return webhooks.filter(({ name }) => name?.endsWith("sidecar-injector.istio.io"));
}

/** The Services that the entries of injectors call, each once. */
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

/** The Deployments that a Service sends its requests to. */
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

/** Whether a Deployment runs this program, by its label, its image, or a flag that no other injector has. */
export function runsOutrigger(deployment: ObjectLike): boolean {
  if (deployment.metadata.labels?.[PRODUCT_LABEL] === PRODUCT) return true;
  const { containers = [] } = templateOf(deployment).spec ?? {};
  return argumentOf(deployment, "tls-secret") !== undefined ||
    containers.some(({ image = "" }) => /(?:^|\/)outrigger(?:[:@]|$)/.test(image));
}

/** The value of `--name=value` or `--name value` among a Deployment's arguments. */
export function argumentOf(deployment: ObjectLike, name: string): string | undefined {
  const args = templateOf(deployment).spec?.containers?.flatMap(({ args = [] }) => args) ?? [];
  const index = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (index < 0) return undefined;
  const [, value] = args[index].split(/=(.*)/s);
  return value ?? args[index + 1] ?? "";
}

/** Of `v1.35.4`, 35. */
export function minorOf(version: string): number | undefined {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

export function nameOf({ metadata: { namespace, name } }: ObjectLike): string {
  return namespace ? `${namespace}/${name}` : name ?? "";
}
