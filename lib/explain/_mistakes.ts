/**
 * The mistakes that people make most often about injection, looked for one by one. Each is told only where it is there
 * to be seen, with what to do about it.
 */
import { isMap } from "../data/map.ts";
import { INJECT, STATUS, TEMPLATES } from "../inject/mod.ts";
import type { EntryMatch } from "../webhook/match.ts";
import { templatesOf } from "./_chain.ts";
import { textsOf } from "./_json.ts";
import { type ExplainFacts, isCall } from "./explain.ts";

export type MistakeId =
  | "metadata_on_workload"
  | "inject_value"
  | "two_revisions"
  | "namespace_label_missing"
  | "namespace_label_value"
  | "namespace_says_no"
  | "revision_shadowed"
  | "unknown_revision"
  | "annotation_calls_nobody"
  | "label_hides_annotation"
  | "inject_label_on_namespace"
  | "injection_label_on_pod"
  | "host_network"
  | "ignored_namespace"
  | "unknown_template"
  | "already_injected"
  | "created_before"
  | "conditions_not_evaluated";

export interface Mistake {
  readonly id: MistakeId;
  /** What is wrong, a sentence. */
  readonly text: string;
  /** What to do, a sentence or a command. */
  readonly fix: string;
}

const INJECTION = "istio-injection";
const REVISION = "istio.io/rev";

type Found = Mistake | undefined;

interface Facts extends ExplainFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Labels of the namespace; none where nobody knows them. */
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly calls: readonly EntryMatch[];
  readonly injectors: readonly EntryMatch[];
}

export function findMistakes(given: ExplainFacts): Mistake[] {
  const metadata = given.subject.pod.metadata as Readonly<Record<string, unknown>>;
  const facts: Facts = {
    ...given,
    labels: textsOf(metadata.labels),
    annotations: textsOf(metadata.annotations),
    namespaceLabels: given.request.namespaceFacts?.labels ?? {},
    calls: given.matches.filter(isCall),
    injectors: given.matches.filter(({ isInjector }) => isInjector),
  };
  return CHECKS.map((check) => check(facts)).filter((found) => found !== undefined);
}

/** In the order in which they are told: what most likely is the cause comes first. */
const CHECKS: readonly ((facts: Facts) => Found)[] = [
  metadataOnWorkload,
  injectValue,
  hostNetwork,
  ignoredNamespace,
  twoRevisions,
  revisionShadowed,
  namespaceLabelValue,
  namespaceSaysNo,
  unknownRevision,
  annotationCallsNobody,
  namespaceLabelMissing,
  injectLabelOnNamespace,
  injectionLabelOnPod,
  labelHidesAnnotation,
  unknownTemplate,
  alreadyInjected,
  createdBefore,
  conditions,
];

/** What injection reads of a pod's metadata. */
const READ = /^(?:sidecar|traffic\.sidecar|inject|proxy|status\.sidecar|prometheus)\.istio\.io\//;

function metadataOnWorkload({ subject, labels, annotations }: Facts): Found {
  const { workloadMetadata: workload, kind } = subject;
  if (workload === undefined) return undefined;
  const misplaced = (what: "label" | "annotation") => {
    const own = what === "label" ? labels : annotations;
    const isRead = (key: string) =>
      what === "label" ? key === INJECT || key === REVISION : READ.test(key) && key !== STATUS;
    return Object.keys(textsOf(workload[`${what}s`]))
      .filter((key) => isRead(key) && !Object.hasOwn(own, key))
      .map((key) => `${what} ${key}`);
  };
  const found = [...misplaced("label"), ...misplaced("annotation")];
  if (found.length === 0) return undefined;
  const place = kind === "CronJob" ? "spec.jobTemplate.spec.template" : "spec.template";
  return {
    id: "metadata_on_workload",
    text: `The ${kind} itself has the ${found.join(" and the ")}, its pods don't: ` +
      "only what is in the pod template reaches a pod.",
    fix: `Move it to ${place}.metadata of the ${kind}.`,
  };
}

function injectValue({ labels, annotations, decisions, injectors }: Facts): Found {
  const step = decisions.find(({ rule, verdict, found }) =>
    (rule === "label" || rule === "annotation") && verdict === "next" && found
  );
  const label = Object.hasOwn(labels, INJECT) ? labels[INJECT] : undefined;
  const isOdd = label !== undefined && label !== "true" && label !== "false";
  // Selectors compare texts, even where the injector itself would understand.
  if (step === undefined && !(isOdd && injectors.length > 0)) return undefined;
  const [what, value] = label !== undefined
    ? ["label", label]
    : ["annotation", annotations[INJECT] ?? ""];
  const meant = /^(?:t|true|y|yes|on|1|enabled?)$/i.test(value)
    ? "true"
    : /^(?:f|false|n|no|off|0|disabled?)$/i.test(value)
    ? "false"
    : undefined;
  return {
    id: "inject_value",
    text: `The pod's ${what} ${INJECT} is ${JSON.stringify(value)}; only "true" and "false" count.`,
    fix: meant === undefined
      ? 'Write "true" or "false", in quotes.'
      : `Write ${INJECT}: "${meant}", in quotes and lower case.`,
  };
}

function hostNetwork({ reason }: Facts): Found {
  if (reason !== "host_network") return undefined;
  return {
    id: "host_network",
    text:
      "The pod uses the host's network, where a sidecar would redirect the whole node's traffic.",
    fix: "Take hostNetwork out if the pod can do without; else it stays outside of the mesh.",
  };
}

function ignoredNamespace({ reason, subject }: Facts): Found {
  if (reason !== "ignored_namespace") return undefined;
  return {
    id: "ignored_namespace",
    text: `Namespace ${
      JSON.stringify(subject.namespace)
    } is the cluster's own, and never injected.`,
    fix: "Run the workload in a namespace of yours.",
  };
}

function twoRevisions({ calls }: Facts): Found {
  const configurations = [...new Set(calls.map(({ configuration }) => configuration))];
  if (configurations.length < 2) return undefined;
  const names = calls.map(({ entry, configuration }) => `${entry} of ${configuration}`);
  return {
    id: "two_revisions",
    text: `More than one injector is called: ${
      names.join("; ")
    }. The second injects over the first.`,
    fix: "Give each injector a revision of its own, and let only one be default: " +
      "istioctl tag list, kubectl get mutatingwebhookconfiguration.",
  };
}

function revisionShadowed({ namespaceLabels, labels, subject }: Facts): Found {
  const injection = namespaceLabels[INJECTION];
  const revision = namespaceLabels[REVISION];
  const own = labels[REVISION];
  if (injection !== undefined && revision !== undefined) {
    return {
      id: "revision_shadowed",
      text: `The namespace has both ${INJECTION}=${injection} and ${REVISION}=${revision}; ` +
        `${INJECTION} wins, and the revision is not asked.`,
      fix: "Remove the one that is not meant: " +
        `kubectl label namespace ${subject.namespace} ${INJECTION}-`,
    };
  }
  const winner = injection !== undefined
    ? `${INJECTION}=${injection}`
    : revision !== undefined && own !== revision
    ? `${REVISION}=${revision}`
    : undefined;
  if (own === undefined || winner === undefined) return undefined;
  return {
    id: "revision_shadowed",
    text: `The pod asks for revision ${JSON.stringify(own)}, but its namespace has ${winner}, ` +
      "and a namespace's label wins over the pod's.",
    fix: "Label the namespace with the revision, or take its label away and leave it to the pods.",
  };
}

function namespaceLabelValue({ namespaceLabels, isCalled, subject }: Facts): Found {
  const value = namespaceLabels[INJECTION];
  if (isCalled || value === undefined || value === "enabled" || value === "disabled") {
    return undefined;
  }
  return {
    id: "namespace_label_value",
    text: `The namespace has ${INJECTION}=${value}; only "enabled" calls for an injector.`,
    fix: `kubectl label namespace ${subject.namespace} ${INJECTION}=enabled --overwrite`,
  };
}

function namespaceSaysNo({ namespaceLabels, subject }: Facts): Found {
  if (namespaceLabels[INJECTION] !== "disabled") return undefined;
  return {
    id: "namespace_says_no",
    text: `The namespace has ${INJECTION}=disabled; no label of a pod overrides that.`,
    fix: `kubectl label namespace ${subject.namespace} ${INJECTION}=enabled --overwrite, ` +
      `or ${INJECTION}- to leave it to the pods.`,
  };
}

function unknownRevision({ namespaceLabels, labels, injectors, isCalled, request }: Facts): Found {
  if (isCalled || request.webhooks === undefined) return undefined;
  const [where, revision] = namespaceLabels[REVISION] !== undefined
    ? ["namespace", namespaceLabels[REVISION]]
    : ["pod", labels[REVISION]];
  if (revision === undefined || namespaceLabels[INJECTION] !== undefined) return undefined;
  const known = [...new Set(injectors.map(({ tag, revision }) => tag || revision))]
    .filter((name) => name !== "");
  if (known.includes(revision)) return undefined;
  return {
    id: "unknown_revision",
    text: `The ${where} asks for revision ${JSON.stringify(revision)}, which no webhook is for.`,
    fix: known.length === 0
      ? "Install that revision, or a tag of that name."
      : `There are: ${known.join(", ")}.`,
  };
}

function annotationCallsNobody({ annotations, labels, isCalled, request }: Facts): Found {
  const asks = /^(?:y|yes|true|on)$/i.test(annotations[INJECT] ?? "");
  if (isCalled || request.webhooks === undefined || !asks || labels[INJECT] !== undefined) {
    return undefined;
  }
  return {
    id: "annotation_calls_nobody",
    text:
      `The pod asks for injection by the annotation ${INJECT}, which the API server does not see: ` +
      "it selects by labels.",
    fix: `Make it a label: ${INJECT}: "true" under labels of the pod template.`,
  };
}

function namespaceLabelMissing(
  { namespaceLabels, labels, isCalled, request, injectors, subject }: Facts,
): Found {
  if (isCalled || request.namespaceFacts === undefined || injectors.length === 0) return undefined;
  const isLabelled = namespaceLabels[INJECTION] !== undefined ||
    namespaceLabels[REVISION] !== undefined;
  if (isLabelled || labels[INJECT] === "false" || labels[REVISION] !== undefined) return undefined;
  const revisions = [...new Set(injectors.map(({ tag, revision }) => tag || revision))]
    .filter((name) => name !== "" && name !== "default");
  const hasDefault = injectors.some(({ entry }) => entry.startsWith("namespace."));
  const label = hasDefault ? `${INJECTION}=enabled` : `${REVISION}=${revisions[0] ?? "REVISION"}`;
  return {
    id: "namespace_label_missing",
    text: `Namespace ${JSON.stringify(subject.namespace)} has no label that calls for an injector.`,
    fix: `kubectl label namespace ${subject.namespace} ${label}`,
  };
}

function injectLabelOnNamespace({ namespaceLabels }: Facts): Found {
  if (namespaceLabels[INJECT] === undefined) return undefined;
  return {
    id: "inject_label_on_namespace",
    text:
      `The namespace has the label ${INJECT}, which is a pod's; on a namespace nobody reads it.`,
    fix: `A namespace is labelled with ${INJECTION}=enabled or ${REVISION}=REVISION.`,
  };
}

function injectionLabelOnPod({ labels }: Facts): Found {
  if (labels[INJECTION] === undefined) return undefined;
  return {
    id: "injection_label_on_pod",
    text: `The pod has the label ${INJECTION}, which is a namespace's; on a pod nobody reads it.`,
    fix: `A pod is labelled with ${INJECT}: "true" or "false".`,
  };
}

function labelHidesAnnotation({ labels, annotations, decisions }: Facts): Found {
  // Only where the label counts at all; older versions had none.
  const isHeard = decisions.some(({ rule, found }) => rule === "label" && found !== undefined);
  if (!isHeard || !Object.hasOwn(annotations, INJECT)) return undefined;
  if (annotations[INJECT] === labels[INJECT]) return undefined;
  return {
    id: "label_hides_annotation",
    text: `The pod's label ${INJECT} is ${JSON.stringify(labels[INJECT])} and its annotation ` +
      `${JSON.stringify(annotations[INJECT])}; with the label there, the annotation is not read.`,
    fix: "Keep the label, remove the annotation.",
  };
}

function unknownTemplate(facts: Facts): Found {
  if (facts.isLegacy) return undefined;
  const { asked, unknown } = templatesOf(facts);
  if (unknown.length === 0) return undefined;
  const what = unknown.map((name) => JSON.stringify(name)).join(", ");
  const known = [...Object.keys(facts.config.templates), ...Object.keys(facts.config.aliases)];
  return {
    id: "unknown_template",
    text: asked === undefined
      ? `The config's defaultTemplates name ${what}, which it does not have.`
      : `The pod's annotation ${TEMPLATES} asks for ${what}, which the config does not have.`,
    fix: known.length === 0 ? "The config has no templates." : `There are: ${known.join(", ")}.`,
  };
}

function alreadyInjected({ annotations }: Facts): Found {
  if (!Object.hasOwn(annotations, STATUS)) return undefined;
  return {
    id: "already_injected",
    text: `The pod has the annotation ${STATUS}: what is looked at here was injected before.`,
    fix: "Keep the source as it was before injection: outrigger uninject takes the sidecar out.",
  };
}

/** A pod that lives without a sidecar, and would get one today. */
function createdBefore({ subject, request, annotations, patched, isCalled }: Facts): Found {
  const { object } = request;
  if (subject.kind !== "Pod" || !isMap(object) || !isMap(object.metadata)) return undefined;
  const isAlive = Object.hasOwn(object.metadata, "uid");
  if (!isAlive || !patched || !isCalled || Object.hasOwn(annotations, STATUS)) return undefined;
  return {
    id: "created_before",
    text: "The pod runs without a sidecar, and would be injected if it were created now.",
    fix: "Create it anew: kubectl rollout restart of the workload that owns it.",
  };
}

function conditions({ calls }: Facts): Found {
  const names = [...new Set(calls.flatMap(({ unevaluated }) => unevaluated))];
  if (names.length === 0) return undefined;
  return {
    id: "conditions_not_evaluated",
    text: `Whether the webhook is called also depends on its match conditions (${
      names.join(", ")
    }), which are not evaluated here.`,
    fix: "kubectl create --dry-run=server asks the API server itself.",
  };
}
