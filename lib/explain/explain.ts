/**
 * Explains why a pod is injected or not, as data: all steps from the webhooks' selectors to the
 * result. It runs the injector and records its decision; it decides nothing itself.
 */
import { type InjectionConfig, parseInjectionConfig } from "../config/mod.ts";
import {
  type Admission,
  type ClusterFacts,
  createInjector,
  type DecisionStep,
  type EngineSources,
  InjectionError,
  type InjectorSettings,
  NATIVE_VARIABLE,
  type ReasonId,
  REASONS,
} from "../inject/mod.ts";
import { type ConfigurationLike, type EntryMatch, matchWebhooks } from "../webhook/match.ts";
import { textsOf } from "./_json.ts";
import { findMistakes, type Mistake } from "./_mistakes.ts";
import { chainOf, type ChainStep } from "./_chain.ts";
import { type ControlledPod, controlledPod } from "./controlled_pod.ts";

export type { Mistake, MistakeId } from "./_mistakes.ts";
export type { ChainStep, StepId, StepVerdict } from "./_chain.ts";

/** What is known about a namespace. */
export interface NamespaceFacts {
  readonly labels: Readonly<Record<string, string>>;
}

export interface ExplainRequest {
  /** A pod, or a workload with a pod template, as decoded. */
  readonly object: unknown;
  /** The namespace, unless the object names one. */
  readonly namespace?: string;
  /** Absent if the namespace's labels are unknown. */
  readonly namespaceFacts?: NamespaceFacts;
  /** Absent if unknown; then the injector is assumed to be called. */
  readonly webhooks?: readonly ConfigurationLike[];
  readonly sources: EngineSources;
  /**
   * The origin of each text for display, for example `"config.yaml"` or `ConfigMap
   * "istio-system/istio"`.
   */
  readonly origins?: Partial<Origins>;
  readonly cluster?: ClusterFacts;
}

export interface Origins {
  readonly config: string;
  readonly values: string;
  readonly mesh: string;
  readonly object: string;
  readonly namespace: string;
  readonly webhooks: string;
}

export type ExplainReason = ReasonId | "not_called" | "refused";

export interface Explanation {
  /** The kind and name, for example `Deployment "shop/cart"`. */
  readonly workload: string;
  readonly namespace: string;
  readonly injected: boolean;
  readonly reason: ExplainReason;
  /** The reason as a sentence, without a period. */
  readonly sentence: string;
  readonly steps: readonly ChainStep[];
  readonly mistakes: readonly Mistake[];
  /** All webhooks of the configurations. */
  readonly webhooks: readonly EntryMatch[];
  /** What injection adds, if the pod is injected. */
  readonly adds?: Additions;
  /** Why the injector refuses the pod, in Istio's words. */
  readonly error?: string;
  /** The injector's warnings about the pod. */
  readonly warnings: readonly string[];
}

export interface Additions {
  readonly templates: readonly string[];
  readonly operations: number;
  readonly containers: readonly string[];
  readonly initContainers: readonly string[];
}

const ORIGINS: Origins = {
  config: "the injection config",
  values: "the values",
  mesh: "the mesh config",
  object: "the manifest",
  namespace: "the namespace",
  webhooks: "the webhook configurations",
};

/**
 * Explains the decision for an object; `undefined` if it contains no pod. Throws a ConfigError or
 * TemplateError if the injector's config is not valid.
 *
 * @example
 * ```ts
 * explain({ object: pod, namespace: "shop", sources }, { sprig })?.sentence;
 * ```
 */
export function explain(
  request: ExplainRequest,
  options: InjectorSettings,
): Explanation | undefined {
  const subject = controlledPod(request.object, { namespace: request.namespace });
  if (subject === undefined) return undefined;
  const origins = { ...ORIGINS, ...request.origins };
  const matches = matchesOf(subject, request);
  const config = parseInjectionConfig(request.sources.config);
  const run = runInjector(subject, request, options);
  const facts = { subject, request, origins, matches, config, ...run };
  const isCalled = request.webhooks === undefined || matches.some(isCall);
  const { reason, sentence } = verdictOf(run, isCalled);
  return {
    workload: subject.workload,
    namespace: subject.namespace,
    injected: isCalled && run.patched,
    reason,
    sentence,
    steps: chainOf({ ...facts, isCalled }),
    mistakes: findMistakes({ ...facts, isCalled }),
    webhooks: matches,
    ...(run.adds === undefined ? {} : { adds: run.adds }),
    ...(run.error === undefined ? {} : { error: run.error }),
    warnings: run.warnings,
  };
}

/** The facts for steps and mistakes. */
export interface ExplainFacts extends Run {
  readonly subject: ControlledPod;
  readonly request: ExplainRequest;
  readonly origins: Origins;
  readonly matches: readonly EntryMatch[];
  readonly config: InjectionConfig;
  readonly isCalled: boolean;
}

export function isCall({ calls, isInjector }: EntryMatch): boolean {
  return calls && isInjector;
}

function matchesOf(
  { pod, namespace }: ControlledPod,
  { webhooks = [], namespaceFacts }: ExplainRequest,
): EntryMatch[] {
  const { labels, annotations } = pod.metadata as Readonly<Record<string, unknown>>;
  return matchWebhooks(webhooks, {
    namespace: { name: namespace, labels: namespaceFacts?.labels ?? {} },
    pod: { labels: textsOf(labels), annotations: textsOf(annotations) },
  });
}

/** The injector's result for the pod. */
interface Run {
  readonly decisions: readonly DecisionStep[];
  readonly reason?: ReasonId;
  readonly patched: boolean;
  readonly isLegacy: boolean;
  readonly templates: readonly string[];
  readonly adds?: Additions;
  readonly error?: string;
  readonly warnings: readonly string[];
}

function runInjector(
  { pod, namespace }: ControlledPod,
  { sources, cluster }: ExplainRequest,
  options: InjectorSettings,
): Run {
  const decisions: DecisionStep[] = [];
  const templates: string[] = [];
  const names = { containers: [] as string[], initContainers: [] as string[] };
  const isUnset = !(options.variables?.[NATIVE_VARIABLE] || options.env?.(NATIVE_VARIABLE));
  const injector = createInjector(sources, {
    ...options,
    // Without a cluster, there are no nodes to detect native sidecar support.
    ...(isUnset && cluster?.nodes === undefined
      ? { variables: { ...options.variables, [NATIVE_VARIABLE]: "false" } }
      : {}),
    trace: {
      decision: (step) => void decisions.push(step),
      rendered: (name) => void templates.push(name),
    },
  });
  const seen = { decisions, isLegacy: injector.isLegacy, templates };
  let admission: Admission;
  try {
    admission = injector.admit({ object: pod, namespace, proxyEnv: {} }, cluster);
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    return { ...seen, patched: false, error: error.message, warnings: [] };
  }
  const { decision, patch } = admission;
  for (const list of ["containers", "initContainers"] as const) {
    const added = new Set(patch?.flatMap((operation) => addedNames(operation, list)) ?? []);
    names[list].push(...added);
  }
  return {
    ...seen,
    reason: decision.reason,
    patched: patch !== undefined,
    ...(patch === undefined ? {} : { adds: { templates, operations: patch.length, ...names } }),
    warnings: decision.warnings,
  };
}

/** Returns the names of the containers that a patch operation adds. */
function addedNames(
  operation: { readonly op: string; readonly path: string; readonly value?: unknown },
  list: "containers" | "initContainers",
): string[] {
  if (operation.op !== "add") return [];
  const place = `/spec/${list}`;
  const isItem = new RegExp(`^${place}/(?:\\d+|-)$`).test(operation.path);
  const items = operation.path === place ? operation.value : isItem ? [operation.value] : [];
  if (!Array.isArray(items)) return [];
  return items.map((item) => textsOf(item).name).filter((name) => name !== undefined);
}

function verdictOf(
  { reason, error, decisions }: Run,
  isCalled: boolean,
): { reason: ExplainReason; sentence: string } {
  if (!isCalled) {
    return { reason: "not_called", sentence: "no injection webhook is called for the pod" };
  }
  if (error !== undefined) {
    const when = decisions.length === 0 ? "" : " during injection";
    return { reason: "refused", sentence: `the injector refuses the pod${when}: ${error}` };
  }
  return { reason: reason!, sentence: REASONS[reason!] };
}
