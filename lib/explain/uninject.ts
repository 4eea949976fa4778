/**
 * Reverses injection: removes from manifests what an injection added. The correct result is a pod
 * that, when injected, gives the input. So a candidate is built from the pod's own annotations, the
 * parts that the config would add again are removed, and the candidate is injected to verify it.
 */
import { parseInjectionConfig } from "../config/mod.ts";
import { equalJson } from "../data/json.ts";
import { isMap } from "../data/map.ts";
import { parseYaml, stringifyYaml } from "../yaml/mod.ts";
import {
  createInjector,
  describeWorkload,
  type EngineSources,
  holdsPods,
  InjectionError,
  type Injector,
  type InjectorSettings,
  KubeInjectError,
  type KubeInjectOptions,
  type Pod,
  podOf,
  splitDocuments,
  type StringMap,
  withPod,
  type WorkloadObject,
} from "../inject/mod.ts";
import { DecodeError, normalise } from "../kube/normalise.ts";
import { podNodes, pointerOf } from "./_pod_nodes.ts";
import { stripPod } from "./_uninject_pod.ts";

export interface UninjectedWorkload {
  /** The kind and name, for example `Deployment "shop/cart"`. */
  readonly workload: string;
  /** Whether the workload was injected. */
  readonly wasInjected: boolean;
  /** The object as decoded, and the result. */
  readonly before: WorkloadObject;
  readonly after: WorkloadObject;
  /** Whether injecting the result gives the input; absent if nothing was removed. */
  readonly roundTrips?: boolean;
  /** JSON pointers to the differences. */
  readonly differences: readonly string[];
  /** What could not be restored exactly, one sentence each. */
  readonly notes: readonly string[];
}

export interface UninjectedDocument {
  /** Whole lines, without the document separator. */
  readonly output: string;
  /** Empty if there is no workload; several for a List. */
  readonly results: readonly UninjectedWorkload[];
}

/** Reverses injection for any number of manifests. */
export interface Uninjector {
  /** Yields one document at a time. Throws a YamlError or DecodeError for an invalid document. */
  uninject(text: string, settings?: KubeInjectOptions): Generator<UninjectedDocument>;
}

/**
 * Creates an uninjector with the config that the workloads were injected with. Throws a ConfigError
 * or TemplateError if the config is not valid.
 *
 * @example
 * ```ts
 * const [{ output }] = [...createUninjector(sources, { sprig }).uninject(text)];
 * ```
 */
export function createUninjector(sources: EngineSources, options: InjectorSettings): Uninjector {
  const inverse = new Inverse(sources, options);
  return {
    *uninject(text, settings = {}) {
      for (const document of splitDocuments(text)) {
        const results: UninjectedWorkload[] = [];
        const object = readTyped(parseYaml(document.text, { bigints: true, name: settings.name }));
        const after = object && inverse.object(object, { results, settings });
        const isSame = results.every(({ wasInjected }) => !wasInjected);
        yield { output: isSame ? document.text : stringifyYaml(after), results };
      }
    },
  };
}

/** Decodes an object into its type's normal form; returns `undefined` for kinds without pods. */
function readTyped(value: unknown): WorkloadObject | undefined {
  if (!isMap(value) || typeof value.kind !== "string" || !holdsPods(value.kind)) {
    return undefined;
  }
  return normalise(value.kind, value, { strings: "convert" });
}

interface Run {
  readonly results: UninjectedWorkload[];
  readonly settings: KubeInjectOptions;
}

class Inverse {
  readonly #injector: Injector;
  /** The texts of all templates, to search for names. */
  readonly #texts: string;
  /** The rendered texts of the current injection. */
  #rendered: string[] = [];

  constructor(sources: EngineSources, options: InjectorSettings) {
    const { templates, legacyTemplate = "" } = parseInjectionConfig(sources.config);
    this.#texts = [...Object.values(templates), legacyTemplate].join("\n");
    this.#injector = createInjector(sources, {
      ...options,
      warn: () => {},
      trace: { rendered: (_, text) => void this.#rendered.push(text) },
    });
  }

  object(object: WorkloadObject, run: Run): WorkloadObject {
    if (object.kind !== "List") {
      const result = this.#workload(object, run.settings);
      run.results.push(result);
      return result.after;
    }
    const items = object.items as readonly unknown[] | null;
    return {
      ...object,
      items: items?.map((item) => {
        const typed = readTyped(item);
        return typed === undefined ? item : this.object(typed, run);
      }) ?? null,
    };
  }

  #workload(before: WorkloadObject, settings: KubeInjectOptions): UninjectedWorkload {
    const workload = describeWorkload(before);
    const injected = podIn(before);
    const stripped = injected && stripPod(injected);
    if (injected === undefined || stripped === undefined) {
      return { workload, wasInjected: false, before, after: before, differences: [], notes: [] };
    }
    const inject = (pod: Pod) => this.#inject(withPod(before, normalised(pod)), settings);
    const candidate = normalised(stripped.pod);
    const first = inject(candidate);
    // Render a bare pod as well: templates may set only fields that the pod lacks.
    const rendered = this.#rendered;
    inject(build(candidate, { labels: {}, annotations: {}, spec: candidate.spec }));
    const suspects = suspectsOf(candidate, {
      rendered: [...rendered, ...this.#rendered],
      templates: this.#texts,
    });
    const certain = stripped.knowsAnnotations ? { annotations: new Set<string>() } : {};
    const bare = without(candidate, { ...suspects, ...certain });
    const again = inject(bare);
    // Parts that injection restores were injected; the rest was the user's.
    const guess = again === undefined
      ? knownKept(candidate)
      : putBack(candidate, bare, { injected, again });
    const check = (pod: Pod) => {
      const result = inject(pod);
      return {
        pod,
        result,
        differences: result === undefined ? [] : differencesOf(injected, result),
      };
    };
    const plain = check(guess);
    const unlisted = withoutNetwork(guess);
    const other = unlisted && check(unlisted);
    const isOther = other?.result !== undefined && other.differences.length === 0;
    const { pod: kept, result, differences } = isOther ? other : plain;
    const after = withPod(before, normalised(kept));
    const notes = [...new Set(stripped.notes)];
    if (first === undefined && result === undefined) {
      notes.push("The config does not inject this pod, so the result could not be verified.");
    }
    return {
      workload,
      wasInjected: true,
      before,
      after,
      roundTrips: result !== undefined && differences.length === 0,
      differences,
      notes,
    };
  }

  /** Returns the injected pod; `undefined` if injection skips or refuses it. */
  #inject(object: WorkloadObject, settings: KubeInjectOptions): Pod | undefined {
    this.#rendered = [];
    try {
      const { results: [result] } = this.#injector.kubeInject(
        stringifyYaml(object),
        settings,
      );
      return result?.decision.inject ? podOf(result.after) : undefined;
    } catch (error) {
      if (error instanceof KubeInjectError || error instanceof DecodeError) return undefined;
      throw error;
    }
  }
}

/** Returns `undefined` if the workload contains no pod. */
function podIn(object: WorkloadObject): Pod | undefined {
  try {
    return podOf(object);
  } catch (error) {
    if (error instanceof InjectionError) return undefined;
    throw error;
  }
}

interface Suspects {
  readonly labels: Set<string>;
  readonly annotations: Set<string>;
  /** Keys of the pod's spec. */
  readonly spec: Set<string>;
}

/** Labels that injection itself sets. */
const ISTIO = /^(?:security|service|topology|networking)\.istio\.io\/|^istio\.io\/rev$/;

/** Lists whose injected items the status annotation names. */
const LISTS = ["containers", "initContainers", "volumes", "imagePullSecrets"];

/**
 * Returns the parts that injection may have set: those rendered by templates, those named in
 * templates, and those with Istio's prefixes.
 */
function suspectsOf(
  pod: Pod,
  { rendered, templates }: { rendered: readonly string[]; templates: string },
): Suspects {
  const suspects: Suspects = { labels: new Set(), annotations: new Set(), spec: new Set() };
  for (const text of rendered) {
    const overlay = parsed(text);
    if (!isMap(overlay)) continue;
    const metadata = isMap(overlay.metadata) ? overlay.metadata : {};
    for (const map of ["labels", "annotations"] as const) {
      for (const key of Object.keys(isMap(metadata[map]) ? metadata[map] : {})) {
        suspects[map].add(key);
      }
    }
    const redirect = isMap(overlay.podRedirectAnnot) ? overlay.podRedirectAnnot : {};
    for (const key of Object.keys(redirect)) suspects.annotations.add(key);
    const spec = isMap(overlay.spec) ? overlay.spec : overlay;
    for (const key of Object.keys(spec)) suspects.spec.add(key);
  }
  for (const map of ["labels", "annotations"] as const) {
    for (const key of Object.keys(pod.metadata[map] ?? {})) {
      if (ISTIO.test(key) || templates.includes(`${key}:`)) suspects[map].add(key);
    }
  }
  // Old versions set the pod's fsGroup to the sidecar's group.
  suspects.spec.add("securityContext");
  for (const list of LISTS) suspects.spec.delete(list);
  return suspects;
}

function parsed(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return undefined;
  }
}

function normalised(pod: Pod): Pod {
  return normalise("Pod", pod) as unknown as Pod;
}

function without(pod: Pod, { labels, annotations, spec }: Suspects): Pod {
  return build(pod, {
    labels: omit(pod.metadata.labels, labels),
    annotations: omit(pod.metadata.annotations, annotations),
    spec: omit(pod.spec, spec) as Pod["spec"],
  });
}

function omit<T extends object>(map: T | undefined, keys: ReadonlySet<string>): Partial<T> {
  return Object.fromEntries(
    Object.entries(map ?? {}).filter(([key]) => !keys.has(key)),
  ) as Partial<T>;
}

function build(
  pod: Pod,
  { labels, annotations, spec }: {
    labels: Readonly<Record<string, string | undefined>>;
    annotations: Readonly<Record<string, string | undefined>>;
    spec: Pod["spec"];
  },
): Pod {
  const { labels: _, annotations: __, ...metadata } = pod.metadata;
  const map = (key: string, given: Readonly<Record<string, string | undefined>>) =>
    Object.keys(given).length === 0 ? {} : { [key]: given as StringMap };
  return {
    ...pod,
    metadata: { ...metadata, ...map("labels", labels), ...map("annotations", annotations) },
    spec,
  };
}

/** Adds to the bare pod what injection does not restore, or restores differently. */
function putBack(
  candidate: Pod,
  bare: Pod,
  { injected, again }: { injected: Pod; again: Pod },
): Pod {
  const lost = (map: "labels" | "annotations") => {
    const own = candidate.metadata[map] ?? {};
    const made = again.metadata[map] ?? {};
    const was = injected.metadata[map] ?? {};
    const isMade = (key: string) => Object.hasOwn(made, key) && made[key] === was[key];
    return Object.fromEntries(
      Object.entries(own).filter(([key]) =>
        !isMade(key) || Object.hasOwn(bare.metadata[map] ?? {}, key)
      ),
    );
  };
  const spec: Record<string, unknown> = { ...bare.spec };
  for (const [key, value] of Object.entries(candidate.spec)) {
    if (Object.hasOwn(spec, key)) continue;
    const rest = remaining(value, again.spec[key]);
    if (rest !== undefined) spec[key] = rest;
  }
  return build(candidate, {
    labels: lost("labels"),
    annotations: lost("annotations"),
    spec: spec as unknown as Pod["spec"],
  });
}

/** Returns a value without the parts that another value has too; `undefined` if nothing is left. */
function remaining(value: unknown, made: unknown): unknown {
  if (equalJson(value, made)) return undefined;
  if (!isMap(value) || !isMap(made)) return value;
  const rest = Object.entries(value)
    .map((
      [key, member],
    ) => [key, remaining(member, Object.hasOwn(made, key) ? made[key] : undefined)])
    .filter(([, member]) => member !== undefined);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** Removes what only injectors write, for a pod that the config does not inject. */
function knownKept(candidate: Pod): Pod {
  const isKnown = (key: string) => ISTIO.test(key) || KNOWN_ANNOTATIONS.has(key);
  const keep = (map: StringMap | undefined) =>
    Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !isKnown(key)));
  return build(candidate, {
    labels: keep(candidate.metadata.labels),
    annotations: keep(candidate.metadata.annotations),
    spec: candidate.spec,
  });
}

const NETWORKS = "k8s.v1.cni.cncf.io/networks";

/** Removes the CNI plugin's network, which injection appends to the pod's own networks. */
function withoutNetwork(pod: Pod): Pod | undefined {
  const networks = pod.metadata.annotations?.[NETWORKS];
  if (networks === undefined) return undefined;
  const list = parsed(networks);
  const isCni = (network: unknown) => isMap(network) && network.name === "istio-cni";
  const rest = Array.isArray(list)
    ? JSON.stringify(list.filter((network) => !isCni(network)))
    : networks.replace(/, ?(?:[\w-]+\/)?istio-cni$/, "");
  if (rest === networks) return undefined;
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [NETWORKS]: rest } },
  };
}

const KNOWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  "istio.io/rev",
  "kubectl.kubernetes.io/default-container",
  "kubectl.kubernetes.io/default-logs-container",
]);

/** The maximum number of reported differences. */
const MAX_DIFFERENCES = 20;

function differencesOf(was: Pod, is: Pod): string[] {
  const [a, b] = [podNodes(was), podNodes(is)];
  const found: string[] = [];
  for (const [id, node] of [...a, ...[...b].filter(([id]) => !a.has(id))]) {
    const [left, right] = [a.get(id), b.get(id)];
    const isSame = left !== undefined && right !== undefined &&
      (!left.isLeaf || !right.isLeaf || equalJson(left.value, right.value));
    if (!isSame && found.length < MAX_DIFFERENCES) found.push(pointerOf(node.path));
  }
  if (found.length > 0 || equalJson(was, is)) return found;
  return ["/spec"];
}
