/**
 * A pod as plain JSON, with types for the fields that injection itself reads. Everything else rides
 * along unseen. Values are never changed in place: a stage returns a new pod that shares what it
 * left alone.
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
  /** Null where the document had none: Go always writes the key. */
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

/** The sidecar: in containers, else among the init containers. */
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

/** The pod with the first container of a name replaced by what `change` makes of it. */
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

/** The pod's name, or what it will start with. */
export function potentialPodName({ name, generateName }: ObjectMeta): string {
  if (name) return name;
  return generateName ? `${generateName}***** (actual name not yet known)` : "";
}

/** A value of a string map under an own key. */
export function lookup(map: StringMap | undefined, key: string): string | undefined {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}
