/**
 * Builds the webhook's patch in the shape and order of old versions: remove the containers and volumes of
 * an earlier injection by name, then add the rendered ones item by item. The original's patch failed to
 * apply in some cases because it counted containers before the removal; this one counts them afterwards.
 */
import { compareStrings } from "../../data/bytes.ts";
import type { Operation } from "../../patch/mod.ts";
import type { MeshConfig } from "../../config/mod.ts";
import { PROXY_CONTAINER, STATUS, VALIDATION_CONTAINER } from "../names.ts";
import { type Container, containersOf, type EnvVar, type Pod, type StringMap } from "../pod.ts";
import type { LegacyBehaviours } from "./compat.ts";
import type { Injection } from "./injection.ts";
import { labelsFor, scrapingOf } from "./metadata.ts";
import { agentPort, probersVariable, rewritesProbes, rewrittenProbes } from "./probes.ts";
import { type InjectedNames, injectedNames } from "./status.ts";

export interface PatchOptions {
  readonly injection: Injection;
  /** The text of the status annotation. */
  readonly status: string;
  /** The config's `injectedAnnotations`. */
  readonly injectedAnnotations: StringMap;
  readonly workloadName: string;
  readonly revision: string;
  /** The mesh's own config, without the pod's annotation. */
  readonly meshConfig: MeshConfig;
  /** Whether the application waits for the sidecar. */
  readonly hold: boolean;
  readonly behaviours: LegacyBehaviours;
  /** Whether the pod as sent has these maps, even empty. */
  readonly has: { readonly annotations: boolean; readonly labels: boolean };
}

/** A list of the pod's spec that injection changes. */
type ListName = keyof InjectedNames;

export function createLegacyPatch(pod: Pod, options: PatchOptions): Operation[] {
  const { injection, behaviours, hold, meshConfig } = options;
  const { annotations } = pod.metadata;
  const previous = injectedNames(pod);
  const rewrites = rewritesProbes(annotations, options);
  const scraping = behaviours.istiod ? scrapingOf(annotations, meshConfig) : undefined;

  const added = withVariables(injection.containers, [
    rewrites ? probersVariable(containersOf(pod, "containers"), behaviours) : undefined,
    scraping?.variable,
  ]);
  const inFront = ({ name }: { readonly name?: string }) =>
    behaviours.validationFirst &&
    (name === VALIDATION_CONTAINER || (hold && name === PROXY_CONTAINER));
  const containers = (list: "initContainers" | "containers", items: readonly Container[]) =>
    additions(pod, list, {
      items: behaviours.tokenMount ? withTokenMount(items, containersOf(pod, list)) : items,
      inFront,
    });

  const removals = LISTS.flatMap((list) => removalsOf(pod, list, previous[list]));
  const changes = [
    ...containers("initContainers", injection.initContainers),
    ...containers("containers", added),
    ...additions(pod, "volumes", { items: injection.volumes }),
    ...additions(pod, "imagePullSecrets", { items: injection.imagePullSecrets }),
    ...(injection.dnsConfig === undefined ? [] : [add("/spec/dnsConfig", injection.dnsConfig)]),
    ...(behaviours.podFields && pod.spec.securityContext !== undefined
      ? [add("/spec/securityContext", pod.spec.securityContext)]
      : []),
    ...annotate(pod, {
      [STATUS]: options.status,
      ...(behaviours.injectedAnnotations ? options.injectedAnnotations : {}),
      ...scraping?.annotations,
    }, options.has.annotations),
    ...label(pod, labelsFor(pod.metadata.labels, { ...options, containers: added }), options.has),
  ];
  if (!rewrites) return [...removals, ...changes];
  return behaviours.probesFirst
    ? [...probeChanges(pod, options), ...removals, ...changes]
    : [...removals, ...changes, ...probeChanges(pod, { ...options, removed: previous.containers })];
}

const LISTS: readonly ListName[] = ["initContainers", "containers", "volumes", "imagePullSecrets"];

type Named = { readonly name?: string };

function itemsOf(pod: Pod, list: ListName): readonly Named[] {
  return pod.spec[list] ?? [];
}

/** Returns removals starting from the end, so that indexes stay valid. */
function removalsOf(pod: Pod, list: ListName, names: readonly string[]): Operation[] {
  const gone = new Set(names);
  return itemsOf(pod, list)
    .flatMap(({ name = "" }, i): Operation[] =>
      gone.has(name) ? [{ op: "remove", path: `/spec/${list}/${i}` }] : []
    )
    .reverse();
}

/** Returns one operation per item. The first creates the list if the pod has none. */
function additions(
  pod: Pod,
  list: ListName,
  { items, inFront = () => false }: {
    items: readonly Named[];
    inFront?: (item: Named) => boolean;
  },
): Operation[] {
  const path = `/spec/${list}`;
  const isEmpty = itemsOf(pod, list).length === 0;
  return items.map((item, i) => {
    if (isEmpty && i === 0) return add(path, [item]);
    return add(`${path}/${inFront(item) ? 0 : "-"}`, item);
  });
}

function add(path: string, value: unknown): Operation {
  return { op: "add", path, value };
}

/** Appends variables to the sidecar. */
function withVariables(
  containers: readonly Container[],
  variables: readonly (EnvVar | undefined)[],
): readonly Container[] {
  const env = variables.filter((variable) => variable !== undefined);
  const index = containers.findIndex(({ name }) => name === PROXY_CONTAINER);
  if (index < 0 || env.length === 0) return containers;
  const sidecar = containers[index];
  return containers.with(index, { ...sidecar, env: [...sidecar.env ?? [], ...env] });
}

const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
}

function mountsOf({ volumeMounts }: Container): readonly VolumeMount[] {
  return (volumeMounts ?? []) as readonly VolumeMount[];
}

/** Mounts the application's token in the sidecar too; its agent presents the token to the CA. */
function withTokenMount(
  items: readonly Container[],
  containers: readonly Container[],
): readonly Container[] {
  const mount = containers.flatMap(mountsOf).findLast(({ mountPath }) => mountPath === TOKEN_PATH);
  if (!mount?.name) return items;
  return items.map((item) =>
    item.name === PROXY_CONTAINER ? { ...item, volumeMounts: [...mountsOf(item), mount] } : item
  );
}

function annotate(pod: Pod, added: StringMap, hasAny: boolean): Operation[] {
  const annotations = pod.metadata.annotations ?? {};
  let isMissing = !hasAny;
  return sortedKeys(added).map((key) => {
    if (isMissing) {
      isMissing = false;
      return add("/metadata/annotations", { [key]: added[key] });
    }
    const isThere = Object.hasOwn(annotations, key) && annotations[key] !== "";
    return {
      op: isThere ? "replace" : "add",
      path: `/metadata/annotations/${escapePointer(key)}`,
      value: added[key],
    };
  });
}

/** Adds labels, but keeps a pod's own non-empty label. */
function label(pod: Pod, added: StringMap, has: PatchOptions["has"]): Operation[] {
  const labels = pod.metadata.labels ?? {};
  let isMissing = !has.labels;
  return sortedKeys(added).flatMap((key): Operation[] => {
    if (isMissing) {
      isMissing = false;
      return [add("/metadata/labels", { [key]: added[key] })];
    }
    if (Object.hasOwn(labels, key) && labels[key] !== "") return [];
    return [add(`/metadata/labels/${escapePointer(key)}`, added[key])];
  });
}

function sortedKeys(map: StringMap): string[] {
  return Object.keys(map).sort(compareStrings);
}

function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function probeChanges(
  pod: Pod,
  options: Pick<PatchOptions, "injection" | "behaviours" | "meshConfig"> & {
    /** Names of containers removed before these changes. */
    readonly removed?: readonly string[];
  },
): Operation[] {
  const { injection, behaviours, meshConfig } = options;
  const removed = new Set(options.removed);
  const sidecar = injection.containers.find(({ name }) => name === PROXY_CONTAINER);
  const port = sidecar && agentPort(sidecar, {
    annotations: pod.metadata.annotations,
    statusPort: meshConfig.defaultConfig.statusPort ?? 0,
    behaviours,
  });
  if (port === undefined) return [];
  return containersOf(pod, "containers").filter(({ name }) => !removed.has(name))
    .flatMap((container, i) =>
      rewrittenProbes(container, { port, behaviours }).map(([field, probe]): Operation => {
        const path = `/spec/containers/${i}/${field}`;
        return behaviours.probesWhole
          ? { op: "replace", path, value: probe }
          : { op: "replace", path: `${path}/httpGet`, value: probe.httpGet };
      })
    );
}
