/**
 * Determines which webhooks the API server would call for a new pod, from the webhook configurations, the
 * namespace and the pod's metadata. It follows the API server's rules, but does not evaluate CEL: of the
 * match conditions it recognizes only the one that we generate.
 */
import { ConfigError } from "../config/config_error.ts";
import {
  type Labels,
  type LabelSelectorSpec,
  type Requirement,
  requirementsOf,
} from "../config/label_selector.ts";
import { compareStrings } from "../data/bytes.ts";
import { ENTRY_SUFFIX, NAMESPACE_NAME_LABEL, REVISION_LABEL, TAG_LABEL } from "./configuration.ts";

/** The parts of a MutatingWebhookConfiguration that matter here. Its content is not trusted. */
export interface ConfigurationLike {
  readonly metadata?: { readonly name?: string; readonly labels?: Labels };
  readonly webhooks?: readonly EntryLike[];
}

export interface EntryLike {
  readonly name?: string;
  readonly rules?: readonly RuleLike[];
  readonly namespaceSelector?: LabelSelectorSpec | null;
  readonly objectSelector?: LabelSelectorSpec | null;
  readonly matchConditions?: readonly { readonly name?: string; readonly expression?: string }[];
  readonly failurePolicy?: string;
  readonly [field: string]: unknown;
}

export interface RuleLike {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

/** The request to match. */
export interface MatchSubject {
  readonly namespace: { readonly name: string; readonly labels: Labels };
  readonly pod: { readonly labels: Labels; readonly annotations: Labels };
  /** Defaults to `CREATE`. */
  readonly operation?: string;
}

/** The field of a webhook that contains a requirement. */
export type MatchPart = "rules" | "namespaceSelector" | "objectSelector" | "matchConditions";

/** A requirement that the request does not meet. */
export interface Failure {
  readonly part: MatchPart;
  /** The requirement: `istio-injection In [enabled]`. */
  readonly wanted: string;
  /** The actual state: `the namespace has no label istio-injection`. */
  readonly found: string;
  /** The label key, if the requirement is one of a selector. */
  readonly key?: string;
}

export interface EntryMatch {
  /** The name of the configuration. */
  readonly configuration: string;
  /** The name of the webhook: `rev.namespace.sidecar-injector.istio.io`. */
  readonly entry: string;
  /** The label `istio.io/rev` of the configuration; empty if it has none. */
  readonly revision: string;
  /** The label `istio.io/tag` of the configuration; empty if it has none. */
  readonly tag: string;
  /** Whether the webhook is called, ignoring the conditions in `unevaluated`. */
  readonly calls: boolean;
  readonly failures: readonly Failure[];
  /** The names of match conditions that were not evaluated. */
  readonly unevaluated: readonly string[];
  /** Whether the webhook calls an injector, judging by its name. */
  readonly isInjector: boolean;
}

/**
 * Returns a match for every webhook, in the API server's order: by the names of the configurations.
 *
 * @example
 * ```ts
 * matchWebhooks(configurations, { namespace: { name: "shop", labels: {} }, pod })
 *   .filter(({ calls }) => calls);
 * ```
 */
export function matchWebhooks(
  configurations: readonly ConfigurationLike[],
  subject: MatchSubject,
): EntryMatch[] {
  const { name, labels } = subject.namespace;
  const namespaceLabels = { ...labels, [NAMESPACE_NAME_LABEL]: name };
  return configurations
    .toSorted((a, b) => compareStrings(a.metadata?.name ?? "", b.metadata?.name ?? ""))
    .flatMap(({ metadata, webhooks }) =>
      (webhooks ?? []).map((entry) => matchEntry(entry, { metadata, namespaceLabels, subject }))
    );
}

function matchEntry(
  entry: EntryLike,
  { metadata, namespaceLabels, subject }: {
    metadata: ConfigurationLike["metadata"];
    namespaceLabels: Labels;
    subject: MatchSubject;
  },
): EntryMatch {
  const failures = [
    ...ruleFailures(entry, subject.operation ?? "CREATE"),
    ...selectorFailures("namespaceSelector", entry, namespaceLabels),
    ...selectorFailures("objectSelector", entry, subject.pod.labels),
    ...conditionFailures(entry, subject),
  ];
  const { name = "", matchConditions = [] } = entry;
  const label = (key: string) => {
    const labels = metadata?.labels ?? {};
    return Object.hasOwn(labels, key) ? labels[key] : "";
  };
  return {
    configuration: metadata?.name ?? "",
    entry: name,
    revision: label(REVISION_LABEL),
    tag: label(TAG_LABEL),
    calls: failures.length === 0,
    failures,
    unevaluated: matchConditions.filter((condition) => !isOurs(condition))
      .map((condition) => condition.name ?? ""),
    isInjector: name.endsWith(ENTRY_SUFFIX),
  };
}

/** Returns a failure unless at least one rule matches. `pods/*` and `*\/*` include pods themselves. */
function ruleFailures({ rules = [] }: EntryLike, operation: string): Failure[] {
  const has = (list: readonly string[] | undefined, ...wanted: string[]) =>
    list?.some((item) => wanted.includes(item)) ?? false;
  const fits = rules.some((rule) =>
    has(rule.operations, operation, "*") && has(rule.apiGroups, "", "*") &&
    has(rule.apiVersions, "v1", "*") && has(rule.resources, "pods", "*", "*/*", "pods/*") &&
    has([rule.scope ?? "*"], "*", "Namespaced")
  );
  if (fits) return [];
  return [{
    part: "rules",
    wanted: rules.length === 0
      ? "nothing: the webhook has no rules"
      : rules.map(ruleText).join("; "),
    found: `${operation} of pods`,
  }];
}

function ruleText({ operations = [], apiGroups = [], resources = [] }: RuleLike): string {
  const groups = apiGroups.filter((group) => group !== "");
  return `${operations.join(", ")} of ${resources.join(", ")}` +
    (groups.length === 0 ? "" : ` in ${groups.join(", ")}`);
}

function selectorFailures(
  part: "namespaceSelector" | "objectSelector",
  entry: EntryLike,
  labels: Labels,
): Failure[] {
  let requirements: Requirement[];
  try {
    requirements = requirementsOf(entry[part] ?? {});
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // The API server would reject this configuration.
    return [{ part, wanted: "a valid selector", found: error.original }];
  }
  const whose = part === "namespaceSelector" ? "the namespace" : "the pod";
  return requirements.filter((requirement) => !requirement.matches(labels))
    .map((requirement) => {
      const { key } = requirement;
      const found = Object.hasOwn(labels, key)
        ? `${whose} has ${key}=${labels[key]}`
        : `${whose} has no label ${key}`;
      return { part, wanted: requirementText(requirement), found, key };
    });
}

const MIRROR = "kubernetes.io/config.mirror";

/** Reports whether a condition is the one that we generate, against mirror pods, in any spacing. */
function isOurs({ expression = "" }: { readonly expression?: string }): boolean {
  return expression.replaceAll(/\s+/g, "") === "!has(object.metadata.annotations)||" +
      `!('${MIRROR}'inobject.metadata.annotations)`;
}

function conditionFailures({ matchConditions = [] }: EntryLike, { pod }: MatchSubject): Failure[] {
  if (!Object.hasOwn(pod.annotations, MIRROR)) return [];
  return matchConditions.filter(isOurs).map(({ name = "" }) => ({
    part: "matchConditions",
    wanted: name,
    found: "the pod is a mirror pod of a static pod",
  }));
}

/** Formats a requirement: `istio-injection In [enabled]`. */
function requirementText({ key, operator, values = [] }: Requirement): string {
  return values.length === 0 ? `${key} ${operator}` : `${key} ${operator} [${values.join(" ")}]`;
}
