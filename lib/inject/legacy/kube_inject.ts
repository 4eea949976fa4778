/**
 * Implements kube-inject for Istio 0.8 to 1.8: injects the workloads in a YAML stream. Only the template of
 * the injection config is used.
 */
import { UNLIMITED } from "../../data/budget.ts";
import { isMap } from "../../data/map.ts";
import { parseYaml, stringifyYaml, YamlError } from "../../yaml/mod.ts";
import { DecodeError, normalise } from "../../kube/normalise.ts";
import { jsonField, structType } from "../../kube/schema.ts";
import { applyPatch } from "../../patch/mod.ts";
import { SeparatorError, splitDocuments } from "../documents.ts";
import {
  type InjectedDocument,
  KubeInjectError,
  type KubeInjectOptions,
  type WorkloadResult,
} from "../kube_inject.ts";
import { PROXY_CONTAINER } from "../names.ts";
import { containersOf, findContainer, type ObjectMeta, type Pod } from "../pod.ts";
import type { Decision, ReasonId } from "../reasons.ts";
import { describeWorkload, holdsPods, podOf, withPod, type WorkloadObject } from "../workloads.ts";
import { appendInjection } from "./append.ts";
import { decideLegacy } from "./decide.ts";
import type { LegacyEngine } from "./engine.ts";
import { renderInjection, withFsGroup } from "./inject.ts";
import type { Owner } from "./owner.ts";
import { createLegacyPatch } from "./patch.ts";

/** Injects a stream, one document at a time. Throws a {@link KubeInjectError} at the first failure. */
export function* kubeInjectLegacyDocuments(
  text: string,
  engine: LegacyEngine,
  { name }: Pick<KubeInjectOptions, "name"> = {},
): Generator<InjectedDocument> {
  const place: Place = { number: 1, line: 1, workload: "", warnings: [], name };
  try {
    for (const document of splitDocuments(text)) {
      place.line = document.line;
      yield injectDocument(document.text, { engine, place });
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
  readonly engine: LegacyEngine;
  readonly place: Place;
}

type Collected = { results: WorkloadResult[]; warnings: string[] };

function injectDocument(text: string, run: Run): InjectedDocument {
  const { number } = run.place;
  const collected: Collected = { results: [], warnings: [] };
  run.place.warnings = collected.warnings;
  // Keep numbers above 2^53 exact: a List may contain them.
  const object = readTyped(parseYaml(text, { bigints: true }), run.engine);
  if (object === undefined) return { number, output: text, ...collected };
  const output = stringifyYaml(injectObject(object, run, collected));
  return { number, output, ...collected };
}

const TYPE_META = structType("TypeMeta")!;

/** Returns the normalised object, or `undefined` for kinds without pods. */
function readTyped(value: unknown, { behaviours }: LegacyEngine): WorkloadObject | undefined {
  const { kind = "" } = normalise("TypeMeta", typeFields(value), { strings: "convert" });
  if (!holdsPods(kind as string) || (kind === "Pod" && !behaviours.barePods)) return undefined;
  const object = normalise(kind as string, value, { strings: "convert" });
  return behaviours.appsTypes ? object : asOldTypes(object);
}

/** Returns only the fields that identify the type, to avoid decoding the rest. */
function typeFields(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => jsonField(TYPE_META, key)));
}

/**
 * Returns the object as the Go types of that time printed it. `extensions/v1beta1` did not require a
 * selector, and `enableServiceLinks` did not exist; it is kept unless it equals the Kubernetes default.
 */
function asOldTypes(object: WorkloadObject): WorkloadObject {
  if (object.kind === "List") return object;
  const spec = object.spec as WorkloadObject | undefined;
  if (spec?.selector === null) {
    const { selector: _, ...rest } = spec;
    object = { ...object, spec: rest };
  }
  const pod = podOf(object);
  if (pod.spec.enableServiceLinks !== true) return object;
  const { enableServiceLinks: _, ...rest } = pod.spec;
  return withPod(object, { ...pod, spec: rest });
}

function injectObject(object: WorkloadObject, run: Run, collected: Collected): WorkloadObject {
  if (object.kind === "List") {
    const items = object.items as readonly unknown[] | null;
    return {
      ...object,
      items: items?.map((item) => {
        const typed = readTyped(item, run.engine);
        return typed === undefined ? item : injectObject(typed, run, collected);
      }) ?? null,
    };
  }
  const what = describeWorkload(object);
  run.place.workload = what;
  const { decision, pod } = injectWorkload(object, run.engine);
  run.place.workload = "";
  const after = pod === undefined ? object : withPod(object, pod);
  collected.results.push({ workload: what, decision, before: object, after });
  if (pod === undefined) {
    collected.warnings.push(
      `===> Skipping injection because ${what} ${SKIPPED[decision.reason]}\n`,
    );
  }
  return after;
}

/** Reasons to skip a pod, as they end Istio's sentence. */
const SKIPPED: Partial<Record<ReasonId, string>> = {
  host_network: "has host networking enabled",
  already_injected: `has injected "${PROXY_CONTAINER}" sidecar already`,
  annotation_false: "has sidecar injection disabled",
  ignored_namespace: "has sidecar injection disabled",
};

/** kube-inject injects by default and ignores selectors. */
const POLICY = { policy: "enabled", neverInjectSelector: [], alwaysInjectSelector: [] };

function injectWorkload(
  object: WorkloadObject,
  engine: LegacyEngine,
): { decision: Decision; pod?: Pod } {
  const { behaviours } = engine;
  const pod = podOf(object);
  // The object itself, even if it is a bare pod with an owner.
  const owner = {
    metadata: object.metadata as ObjectMeta,
    kind: object.kind as string,
    apiVersion: object.apiVersion as string ?? "",
  };
  const because = (inject: boolean, reason: ReasonId) => ({
    decision: { inject, reason, warnings: [] },
  });
  if (pod.spec.hostNetwork) return because(false, "host_network");
  if (behaviours.inertIfInjected && isInjected(pod)) return because(false, "already_injected");
  if (!behaviours.oneWay) {
    const rendered = renderInjection(pod, { owner, proxyEnv: {}, budget: UNLIMITED }, engine);
    const injected = normalised(appendInjection(pod, rendered, engine));
    return { ...because(true, "policy_enabled"), pod: injected };
  }
  const decision = decideLegacy(pod, { ...engine, config: POLICY });
  return decision.inject ? { decision, pod: patched(pod, owner, engine) } : { decision };
}

/** Reports whether old versions consider a pod injected: a sidecar next to another container. */
function isInjected(pod: Pod): boolean {
  return containersOf(pod, "containers").length > 1 &&
    findContainer(pod, "containers", PROXY_CONTAINER) !== undefined;
}

/** Returns the pod with the webhook's patch applied. */
function patched(pod: Pod, owner: Owner, engine: LegacyEngine): Pod {
  const grouped = withFsGroup(pod, engine);
  const { injection, status, hold } = renderInjection(grouped, {
    owner,
    proxyEnv: {},
    budget: UNLIMITED,
  }, engine);
  const { annotations, labels } = pod.metadata;
  const patch = createLegacyPatch(grouped, {
    injection,
    status,
    injectedAnnotations: {},
    workloadName: owner.metadata.name ?? "",
    revision: engine.revision,
    meshConfig: engine.meshConfig,
    hold,
    behaviours: engine.behaviours,
    has: { annotations: annotations !== undefined, labels: labels !== undefined },
  });
  return normalised(applyPatch(grouped, patch));
}

function normalised(pod: unknown): Pod {
  return normalise("Pod", pod) as unknown as Pod;
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
  if (error instanceof DecodeError) return `error unmarshaling JSON: ${error.message}`;
  // The message contains a place within the document; the cause has the bare reason.
  return error instanceof YamlError && error.cause instanceof Error
    ? error.cause.message
    : error.message;
}
