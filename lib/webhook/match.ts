/**
 * Which webhooks the API server would call for a pod that is created: webhook configurations, the namespace and the
 * pod's metadata in, and for each entry a yes or what failed. By the API server's own rules; but match conditions
 * are expressions of another language (CEL), of which only the one that we write ourselves is understood.
 */
import { ConfigError } from "../config/config_error.ts";
import {
  type Labels,
  type LabelSelectorSpec,
  type Requirement,
  requirementsOf,
} from "../config/label_selector.ts";

/** A MutatingWebhookConfiguration as far as it is read here; anyone may have written it. */
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

/** What is asked about. */
export interface MatchSubject {
  readonly namespace: { readonly name: string; readonly labels: Labels };
  readonly pod: { readonly labels: Labels; readonly annotations: Labels };
  /** `CREATE` if absent. */
  readonly operation?: string;
}

/** Where an entry says what it wants. */
export type MatchPart = "rules" | "namespaceSelector" | "objectSelector" | "matchConditions";

/** One demand that was not met. */
export interface Failure {
  readonly part: MatchPart;
  /** As in `istio-injection In [enabled]`. */
  readonly wanted: string;
  /** As in `the namespace has no label istio-injection`. */
  readonly found: string;
  /** The label that was looked at, of a selector. */
  readonly key?: string;
}

export interface EntryMatch {
  /** Name of the configuration. */
  readonly configuration: string;
  /** Name of the entry, as in `rev.namespace.sidecar-injector.istio.io`. */
  readonly entry: string;
  /** Label `istio.io/rev` of the configuration, "" without. */
  readonly revision: string;
  /** Label `istio.io/tag` of the configuration, "" without. */
  readonly tag: string;
  /** Whether it is called, as far as that can be told without match conditions. */
  readonly calls: boolean;
  readonly failures: readonly Failure[];
  /** Names of match conditions that nobody here evaluates. */
  readonly unevaluated: readonly string[];
  /** Whether it is an injector's, by its name. */
  readonly isInjector: boolean;
}

/** The label that every namespace has by the API server's doing. */
const NAMESPACE_NAME = "kubernetes.io/metadata.name";

/** Entries of an injector end so, Istio's and ours. */
const INJECTOR = "sidecar-injector.istio.io";

/**
 * Every entry of every configuration, in the order of the configurations' names, which is the API server's.
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
  const namespaceLabels = { ...labels, [NAMESPACE_NAME]: name };
  return configurations
    .toSorted((a, b) => compare(a.metadata?.name ?? "", b.metadata?.name ?? ""))
    .flatMap(({ metadata, webhooks }) =>
      (webhooks ?? []).map((entry) => matchEntry(entry, { metadata, namespaceLabels, subject }))
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
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
    revision: label("istio.io/rev"),
    tag: label("istio.io/tag"),
    calls: failures.length === 0,
    failures,
    unevaluated: matchConditions.filter((condition) => !isOurs(condition))
      .map((condition) => condition.name ?? ""),
    isInjector: name.endsWith(INJECTOR),
  };
}

/** One rule that fits is enough; `pods/*` and `*\/*` mean subresources too, which a creation is none of. */
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
    wanted: rules.length === 0 ? "nothing: it has no rules" : rules.map(ruleText).join("; "),
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
    // The API server refuses such a configuration, and would call nobody by it.
    return [{ part, wanted: "a selector that can be read", found: error.original }];
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

/** The condition of our own configurations, in any spacing: no mirror pods. */
function isOurs({ expression = "" }: { readonly expression?: string }): boolean {
  return expression.replaceAll(/\s+/g, "") === "!has(object.metadata.annotations)||" +
      `!('${MIRROR}'inobject.metadata.annotations)`;
}

function conditionFailures({ matchConditions = [] }: EntryLike, { pod }: MatchSubject): Failure[] {
  if (!Object.hasOwn(pod.annotations, MIRROR)) return [];
  return matchConditions.filter(isOurs).map(({ name = "" }) => ({
    part: "matchConditions",
    wanted: name,
    found: "the pod mirrors one that the kubelet runs by itself",
  }));
}

/** A demand as people write it. */
export function requirementText({ key, operator, values = [] }: Requirement): string {
  return values.length === 0 ? `${key} ${operator}` : `${key} ${operator} [${values.join(" ")}]`;
}
