/**
 * Types for a pod as plain JSON, limited to the fields that injection reads; others pass through. Values
 * are never modified in place: a stage returns a new pod that shares unchanged parts.
 */

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly [field: string]: unknown;
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: string;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly ports?: readonly ContainerPort[];
  readonly securityContext?: { readonly runAsUser?: number; readonly runAsGroup?: number };
  readonly [field: string]: unknown;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly controller?: boolean;
}

export type StringMap = Readonly<Record<string, string>>;

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly [field: string]: unknown;
}

export interface PodSpec {
  /** Null if the document had none: Go always writes the key. */
  readonly containers: readonly Container[] | null;
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly hostNetwork?: boolean;
  readonly nodeName?: string;
  readonly dnsPolicy?: string;
  readonly [field: string]: unknown;
}

/** A normalised pod: see lib/kube/normalise.ts. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly [field: string]: unknown;
}

/** The two lists that hold containers. */
export type ContainerList = "containers" | "initContainers";

export function containersOf(pod: Pod, list: ContainerList): readonly Container[] {
  return pod.spec[list] ?? [];
}

export function findContainer(pod: Pod, list: ContainerList, name: string): Container | undefined {
  return containersOf(pod, list).find((container) => container.name === name);
}

/** Returns the sidecar from the containers, or else from the init containers. */
export function findSidecar(
  pod: Pod,
  name: string,
): { list: ContainerList; container: Container } | undefined {
  for (const list of ["containers", "initContainers"] as const) {
    const container = findContainer(pod, list, name);
    if (container) return { list, container };
  }
  return undefined;
}

export function withSpec(pod: Pod, spec: Partial<PodSpec>): Pod {
  return { ...pod, spec: { ...pod.spec, ...spec } };
}

export function withMeta(pod: Pod, metadata: Partial<ObjectMeta>): Pod {
  return { ...pod, metadata: { ...pod.metadata, ...metadata } };
}

/** Returns the pod with `change` applied to the first container of a name. */
export function withContainer(
  pod: Pod,
  { list, name }: { list: ContainerList; name: string },
  change: (container: Container) => Container,
): Pod {
  const containers = containersOf(pod, list);
  const index = containers.findIndex((container) => container.name === name);
  if (index < 0) return pod;
  return withSpec(pod, { [list]: containers.with(index, change(containers[index])) });
}

/** Returns the pod's name, or its generateName. */
export function potentialPodName({ name, generateName }: ObjectMeta): string {
  if (name) return name;
  return generateName ? `${generateName}***** (actual name not yet known)` : "";
}

/** Returns the value of an own key of a string map. */
export function lookup(map: StringMap | undefined, key: string): string | undefined {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}
