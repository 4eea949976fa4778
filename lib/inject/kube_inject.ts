/**
 * Implements kube-inject: injects the workloads in a YAML stream. Workloads are decoded into their types
 * and printed again; everything else passes through unchanged. Policy, selectors and injected annotations
 * of the injection config apply to the webhook only.
 */
import { applyProxyConfig, ConfigError, type MeshConfig } from "../config/mod.ts";
import { UNLIMITED } from "../data/budget.ts";
import { isMap } from "../data/map.ts";
import { parseYaml, stringifyYaml, YamlError } from "../yaml/mod.ts";
import { DecodeError, normalise } from "../kube/normalise.ts";
import { jsonField, structType } from "../kube/schema.ts";
import { decide } from "./decide.ts";
import { type Document, joinDocuments, SeparatorError, splitDocuments } from "./documents.ts";
import type { ClusterFacts, Engine } from "./engine.ts";
import { InjectionError } from "./errors.ts";
import { type InjectionSettings, injectPod } from "./inject_pod.ts";
import { PROXY_CONFIG, PROXY_CONTAINER, STATUS } from "./names.ts";
import { nativeSidecars } from "./native.ts";
import { containersOf, findContainer, lookup, type Pod } from "./pod.ts";
import type { Decision } from "./reasons.ts";
import {
  describeWorkload,
  holdsPods,
  metaOf,
  podOf,
  withPod,
  type WorkloadObject,
} from "./workloads.ts";

export interface KubeInjectOptions {
  /** Absent without a cluster; then only an explicit setting makes sidecars native. */
  readonly cluster?: Pick<ClusterFacts, "nodes">;
  /** A name for errors, such as a file's path. */
  readonly name?: string;
  /**
   * Applies `defaultTemplates`, `aliases` and the revision as the webhook does. istioctl ignores the first
   * two, and treats revision "default" as no revision. Default: as istioctl.
   */
  readonly asWebhook?: boolean;
}

/** The result for one workload. */
export interface WorkloadResult {
  /** The kind and name, as in `Deployment "shop/cart"`. */
  readonly workload: string;
  readonly decision: Decision;
  /** The object before and after injection; equal if it was skipped. */
  readonly before: WorkloadObject;
  readonly after: WorkloadObject;
}

/** The result for one document. */
export interface InjectedDocument {
  /** The position in the stream, starting at 1. */
  readonly number: number;
  /** Whole lines, without the separator that follows. */
  readonly output: string;
  /** Empty without a workload; several results for a List. */
  readonly results: readonly WorkloadResult[];
  /** Istio's warnings about skipped workloads. */
  readonly warnings: readonly string[];
}

export type KubeInjected = Omit<InjectedDocument, "number">;

/** Reports a document that could not be injected. Earlier documents remain valid. */
export class KubeInjectError extends Error {
  override readonly name = "KubeInjectError";
  readonly code = "kube_inject";
  /** Istio's warnings about workloads skipped in that document. */
  readonly warnings: readonly string[];

  constructor(message: string, options: { cause: Error; warnings: readonly string[] }) {
    super(message, { cause: options.cause });
    this.warnings = options.warnings;
  }
}

/**
 * Injects a whole stream. Throws a {@link KubeInjectError} for the first document that fails.
 *
 * @example
 * ```ts
 * kubeInject("kind: Service\n", engine).output; // "kind: Service\n---\n"
 * ```
 */
export function kubeInject(
  text: string,
  engine: Engine,
  options: KubeInjectOptions = {},
): KubeInjected {
  const documents = [...kubeInjectDocuments(text, engine, options)];
  return {
    output: joinDocuments(documents.map(({ output }) => output)),
    results: documents.flatMap(({ results }) => results),
    warnings: documents.flatMap(({ warnings }) => warnings),
  };
}

/** Injects a stream one document at a time, so that callers get the documents before an error. */
export function* kubeInjectDocuments(
  text: string,
  engine: Engine,
  options: KubeInjectOptions = {},
): Generator<InjectedDocument> {
  const place: Place = { number: 1, line: 1, workload: "", warnings: [], name: options.name };
  const { cluster, asWebhook = false } = options;
  const run = { engine, nodes: cluster?.nodes, asWebhook, place };
  try {
    for (const document of splitDocuments(text)) {
      place.line = document.line;
      yield injectDocument(document, run);
      place.number++;
    }
  } catch (error) {
    throw failure(error, place);
  }
}

/** The position in the stream, for errors. */
interface Place {
  readonly name: string | undefined;
  number: number;
  line: number;
  workload: string;
  warnings: readonly string[];
}

interface Run {
  readonly engine: Engine;
  readonly nodes: ClusterFacts["nodes"];
  readonly asWebhook: boolean;
  readonly place: Place;
}

type Collected = { results: WorkloadResult[]; warnings: string[] };

function injectDocument({ text }: Document, run: Run): InjectedDocument {
  const { number } = run.place;
  const collected: Collected = { results: [], warnings: [] };
  run.place.warnings = collected.warnings;
  // Keep numbers above 2^53 exact: a List may contain them.
  const object = readTyped(parseYaml(text, { bigints: true }));
  if (object === undefined) return { number, output: text, ...collected };
  const output = stringifyYaml(injectObject(object, run, collected));
  return { number, output, ...collected };
}

/** Returns the normalised object, or `undefined` for kinds without pods. */
function readTyped(value: unknown): WorkloadObject | undefined {
  const { kind = "" } = normalise("TypeMeta", typeFields(value), { strings: "convert" });
  if (!holdsPods(kind as string)) return undefined;
  return normalise(kind as string, value, { strings: "convert" });
}

const TYPE_META = structType("TypeMeta")!;

/** Returns only the fields that identify the type, to avoid decoding the rest. */
function typeFields(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => jsonField(TYPE_META, key)));
}

function injectObject(object: WorkloadObject, run: Run, collected: Collected): WorkloadObject {
  if (object.kind === "List") {
    const items = object.items as readonly unknown[] | null;
    return {
      ...object,
      items: items?.map((item) => {
        const typed = readTyped(item);
        return typed === undefined ? item : injectObject(typed, run, collected);
      }) ?? null,
    };
  }
  const { decision, pod } = injectWorkload(object, run);
  const what = run.place.workload;
  run.place.workload = "";
  const after = pod === undefined ? object : withPod(object, pod);
  collected.results.push({ workload: what, decision, before: object, after });
  if (pod === undefined) {
    collected.warnings.push(`===> Skipping injection because ${what} ${skipped(decision)}\n`);
  }
  return after;
}

/** Ends Istio's sentence about a skipped pod. Istio has fewer reasons. */
function skipped({ reason }: Decision): string {
  switch (reason) {
    case "host_network":
      return "has host networking enabled";
    case "already_injected":
      return `has injected "${PROXY_CONTAINER}" sidecar already`;
    default:
      return "has sidecar injection disabled";
  }
}

/** kube-inject injects by default and ignores selectors. */
const POLICY = { policy: "enabled", neverInjectSelector: [], alwaysInjectSelector: [] };

/** Returns the settings that differ between istioctl and the webhook. */
function settingsOf({ engine, asWebhook }: Run) {
  const { config: { defaultTemplates, aliases }, revision } = engine;
  return asWebhook
    ? { config: { defaultTemplates, aliases, injectedAnnotations: {} }, revision }
    : {
      config: { defaultTemplates: ["sidecar"], aliases: {}, injectedAnnotations: {} },
      revision: revision === "default" ? "" : revision,
    };
}

function injectWorkload(
  object: WorkloadObject,
  run: Run,
): { decision: Decision; pod?: Pod } {
  const { engine, nodes, place } = run;
  place.workload = describeWorkload(object);
  const pod = podOf(object);
  const { behaviours, nativeSetting, warn } = engine;
  const skip = (reason: Decision["reason"]) => ({
    decision: { inject: false, reason, warnings: [] },
  });
  if (pod.spec.hostNetwork) return skip("host_network");
  if (behaviours.inertIfInjected && isInjected(pod)) return skip("already_injected");
  // Parse first: an invalid annotation fails even a pod that would be skipped.
  const meshConfig = meshConfigOf(pod, engine);
  const decision = decide(pod, { ...engine, config: POLICY });
  if (!decision.inject) return { decision };

  // Before layers were introduced, only templates saw the annotation.
  const shared = behaviours.proxyConfigLayers ? meshConfig : engine.meshConfig;
  const settings: InjectionSettings = {
    ...engine,
    ...settingsOf(run),
    meshConfig: shared,
  };
  const proxyConfig = meshConfig.defaultConfig;
  const injected = injectPod(pod, {
    workload: metaOf(object, engine),
    proxyConfig,
    meshConfig,
    proxyEnv: {},
    budget: UNLIMITED,
    nativeSidecars: nodes === undefined
      ? nativeSetting === "true"
      : nativeSidecars(pod.spec.nodeName, { setting: nativeSetting, nodes, behaviours, warn }),
    holds: () => proxyConfig.holdApplicationUntilProxyStarts ?? false,
  }, settings);
  return { decision, pod: injected };
}

/**
 * Reports whether old versions consider a pod injected: by its status, or by a sidecar next to another
 * container.
 */
function isInjected(pod: Pod): boolean {
  return containersOf(pod, "containers").length > 1 &&
    findContainer(pod, "containers", PROXY_CONTAINER) !== undefined &&
    lookup(pod.metadata.annotations, STATUS) !== undefined;
}

/** Returns the mesh config with the pod's own proxy config applied. */
function meshConfigOf(pod: Pod, { meshConfig, meshSchema: schema }: Engine): MeshConfig {
  const annotation = lookup(pod.metadata.annotations, PROXY_CONFIG);
  if (annotation === undefined) return meshConfig;
  try {
    return applyProxyConfig(meshConfig, annotation, { schema });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new InjectionError("proxy_config", error.original, { cause: error });
  }
}

/** Names the document that failed. Decoding errors use Go's messages, which users search for. */
function failure(error: unknown, place: Place): unknown {
  if (!(error instanceof Error)) return error;
  const { name, number, workload, warnings } = place;
  const isYaml = error instanceof YamlError && error.line > 0;
  const line = error instanceof SeparatorError
    ? error.line
    : place.line + (isYaml ? error.line - 1 : 0);
  const where = [
    ...(name === undefined ? [] : [JSON.stringify(name)]),
    `document ${number} at line ${line}`,
    ...(isYaml ? [`column ${error.column}`] : []),
    ...(workload === "" ? [] : [workload]),
  ].join(", ");
  const message = `Cannot inject ${where}: ${reasonOf(error)}`;
  return new KubeInjectError(message, { cause: error, warnings });
}

function reasonOf(error: Error): string {
  if (error instanceof DecodeError) {
    return `error unmarshaling JSON: while decoding JSON: ${error.message}`;
  }
  // The message contains a place within the document; the cause has the bare reason.
  return error instanceof YamlError && error.cause instanceof Error
    ? error.cause.message
    : error.message;
}
