/**
 * Detects the most common injection mistakes. Each one is reported only if the facts prove it, with
 * a way to fix it.
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
  /** The problem, as a sentence. */
  readonly text: string;
  /** The fix, as a sentence or a command. */
  readonly fix: string;
}

const INJECTION = "istio-injection";
const REVISION = "istio.io/rev";

type Found = Mistake | undefined;

interface Facts extends ExplainFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The namespace's labels; empty if unknown. */
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

/** The checks, in the order of reporting: the most likely cause first. */
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

/** Annotations that injection reads. */
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
    text: `The ${kind} itself has the ${found.join(" and the ")}, but its pods do not: ` +
      "pods only get the metadata of the pod template.",
    fix: `Move it to ${place}.metadata of the ${kind}.`,
  };
}

function injectValue({ labels, annotations, decisions, injectors }: Facts): Found {
  const step = decisions.find(({ rule, verdict, found }) =>
    (rule === "label" || rule === "annotation") && verdict === "next" && found
  );
  const label = Object.hasOwn(labels, INJECT) ? labels[INJECT] : undefined;
  const isOdd = label !== undefined && label !== "true" && label !== "false";
  // Selectors compare strings, even if the injector itself would accept the value.
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
    text: `The pod's ${what} ${INJECT} is ${
      JSON.stringify(value)
    }; only "true" and "false" are valid.`,
    fix: meant === undefined
      ? 'Set it to "true" or "false", in quotes.'
      : `Set ${INJECT}: "${meant}", in quotes and lower case.`,
  };
}

function hostNetwork({ reason }: Facts): Found {
  if (reason !== "host_network") return undefined;
  return {
    id: "host_network",
    text:
      "The pod uses the host network, where a sidecar would redirect the traffic of the whole node.",
    fix: "Remove hostNetwork if the pod does not need it; otherwise the pod cannot join the mesh.",
  };
}

function ignoredNamespace({ reason, subject }: Facts): Found {
  if (reason !== "ignored_namespace") return undefined;
  return {
    id: "ignored_namespace",
    text: `Namespace ${
      JSON.stringify(subject.namespace)
    } is a system namespace, which is never injected.`,
    fix: "Run the workload in another namespace.",
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
    fix: "Give each injector its own revision, and make only one the default: " +
      "see istioctl tag list and kubectl get mutatingwebhookconfiguration.",
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
        `${INJECTION} wins and the revision is ignored.`,
      fix: "Remove one of the labels: " +
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
    text: `The pod requests revision ${JSON.stringify(own)}, but its namespace has ${winner}, ` +
      "and a namespace's label wins over the pod's.",
    fix: "Label the namespace with the revision, or remove its label and label the pods.",
  };
}

function namespaceLabelValue({ namespaceLabels, isCalled, subject }: Facts): Found {
  const value = namespaceLabels[INJECTION];
  if (isCalled || value === undefined || value === "enabled" || value === "disabled") {
    return undefined;
  }
  return {
    id: "namespace_label_value",
    text: `The namespace has ${INJECTION}=${value}; only "enabled" enables injection.`,
    fix: `kubectl label namespace ${subject.namespace} ${INJECTION}=enabled --overwrite`,
  };
}

function namespaceSaysNo({ namespaceLabels, subject }: Facts): Found {
  if (namespaceLabels[INJECTION] !== "disabled") return undefined;
  return {
    id: "namespace_says_no",
    text: `The namespace has ${INJECTION}=disabled; no pod label overrides it.`,
    fix: `kubectl label namespace ${subject.namespace} ${INJECTION}=enabled --overwrite, ` +
      `or ${INJECTION}- to decide by pod labels.`,
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
    text: `The ${where} requests revision ${
      JSON.stringify(revision)
    }, but no webhook has this revision.`,
    fix: known.length === 0
      ? "Install this revision, or create a tag with this name."
      : `Available revisions: ${known.join(", ")}.`,
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
      `The pod requests injection with the annotation ${INJECT}, which the API server ignores: ` +
      "webhooks select pods by labels.",
    fix: `Use a label instead: ${INJECT}: "true" in the labels of the pod template.`,
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
    text: `Namespace ${JSON.stringify(subject.namespace)} has no label that enables injection.`,
    fix: `kubectl label namespace ${subject.namespace} ${label}`,
  };
}

function injectLabelOnNamespace({ namespaceLabels }: Facts): Found {
  if (namespaceLabels[INJECT] === undefined) return undefined;
  return {
    id: "inject_label_on_namespace",
    text: `The namespace has the label ${INJECT}, which has no effect on a namespace.`,
    fix: `Label the namespace with ${INJECTION}=enabled or ${REVISION}=REVISION.`,
  };
}

function injectionLabelOnPod({ labels }: Facts): Found {
  if (labels[INJECTION] === undefined) return undefined;
  return {
    id: "injection_label_on_pod",
    text: `The pod has the label ${INJECTION}, which has no effect on a pod.`,
    fix: `Label the pod with ${INJECT}: "true" or "false".`,
  };
}

function labelHidesAnnotation({ labels, annotations, decisions }: Facts): Found {
  // Older versions ignore the label.
  const isHeard = decisions.some(({ rule, found }) => rule === "label" && found !== undefined);
  if (!isHeard || !Object.hasOwn(annotations, INJECT)) return undefined;
  if (annotations[INJECT] === labels[INJECT]) return undefined;
  return {
    id: "label_hides_annotation",
    text: `The pod's label ${INJECT} is ${JSON.stringify(labels[INJECT])} and its annotation ` +
      `${JSON.stringify(annotations[INJECT])}; the label wins.`,
    fix: "Remove the annotation.",
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
      ? `The config's defaultTemplates include ${what}, but the config has no such template.`
      : `The pod's annotation ${TEMPLATES} requests ${what}, but the config has no such template.`,
    fix: known.length === 0
      ? "The config has no templates."
      : `Available templates: ${known.join(", ")}.`,
  };
}

function alreadyInjected({ annotations }: Facts): Found {
  if (!Object.hasOwn(annotations, STATUS)) return undefined;
  return {
    id: "already_injected",
    text: `The pod has the annotation ${STATUS}: it is already injected.`,
    fix: "Keep manifests without the sidecar: outrigger uninject removes it.",
  };
}

/** Reports a running pod without a sidecar that would now be injected. */
function createdBefore({ subject, request, annotations, patched, isCalled }: Facts): Found {
  const { object } = request;
  if (subject.kind !== "Pod" || !isMap(object) || !isMap(object.metadata)) return undefined;
  const isAlive = Object.hasOwn(object.metadata, "uid");
  if (!isAlive || !patched || !isCalled || Object.hasOwn(annotations, STATUS)) return undefined;
  return {
    id: "created_before",
    text: "The pod runs without a sidecar, but would be injected if it were created now.",
    fix: "Recreate the pod: run kubectl rollout restart on its workload.",
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
    fix: "Run kubectl create --dry-run=server to let the API server evaluate them.",
  };
}
