/**
 * Compiles Kubernetes label selectors (`matchLabels` and `matchExpressions`) into matchers. Invalid
 * selectors fail with Kubernetes' messages.
 */
import { byteLength, compareStrings } from "../data/bytes.ts";
import { encodeJson } from "../go/json.ts";
import { quote } from "../go/strconv.ts";
import { ConfigError } from "./config_error.ts";
import { frozen } from "./_frozen.ts";

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A label selector as written. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export type Labels = Readonly<Record<string, string>>;

/** A compiled label selector. */
export interface LabelSelector {
  /** Reports that the selector has no requirements and therefore matches everything. */
  readonly isEmpty: boolean;
  /** The selector as written. */
  readonly spec: LabelSelectorSpec;
  matches(labels: Labels): boolean;
}

/** A single requirement. Each label of `matchLabels` becomes an `In` with one value. */
export interface Requirement extends LabelSelectorRequirement {
  matches(labels: Labels): boolean;
}

type Test = (labels: Labels) => boolean;

/**
 * Compiles a selector. Throws a {@link ConfigError} for a selector that Kubernetes rejects.
 *
 * @example
 * ```ts
 * compileLabelSelector({ matchLabels: { app: "a" } }).matches({ app: "a", tier: "b" }); // true
 * ```
 */
export function compileLabelSelector(spec: LabelSelectorSpec): LabelSelector {
  const requirements = requirementsOf(spec);
  return Object.freeze({
    isEmpty: requirements.length === 0,
    // Copy the spec before freezing: the caller owns it.
    spec: frozen(structuredClone(spec)),
    matches: (given: Labels) => requirements.every((requirement) => requirement.matches(given)),
  });
}

/**
 * Returns a selector's requirements, so that callers can tell which one failed. Throws a {@link
 * ConfigError} for an invalid selector.
 */
export function requirementsOf(spec: LabelSelectorSpec): Requirement[] {
  const labels = Object.entries(spec.matchLabels ?? {})
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([key, value]) => ({ key, operator: "In", values: [value] }));
  return [...labels, ...spec.matchExpressions ?? []]
    .map((requirement) => ({ ...requirement, matches: compileExpression(requirement) }));
}

/** Returns a selector as Go prints it, which Istio's warnings show. */
export function labelSelectorText(spec: LabelSelectorSpec): string {
  const labels = Object.entries(spec.matchLabels ?? {}).sort(([a], [b]) => compareStrings(a, b))
    .map(([key, value]) => `${key}:${value}`);
  const expressions = (spec.matchExpressions ?? []).map(({ key, operator, values = [] }) =>
    `{${key} ${operator} [${values.join(" ")}]}`
  );
  return `{map[${labels.join(" ")}] [${expressions.join(" ")}]}`;
}

const OPERATORS: ReadonlySet<string> = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

function compileExpression(requirement: LabelSelectorRequirement): Test {
  if (OPERATORS.has(requirement.operator)) return compile(requirement);
  throw refused(`${quote(requirement.operator)} is not a valid label selector operator`);
}

function compile({ key, operator, values = [] }: LabelSelectorRequirement): Test {
  const problems = [...keyProblems(key), ...countProblems(operator, values)];
  values.forEach((value, index) => problems.push(...valueProblems(value, { key, index })));
  if (problems.length > 0) {
    const distinct = [...new Set(problems)];
    throw refused(distinct.length === 1 ? distinct[0] : `[${distinct.join(", ")}]`);
  }
  const wanted = new Set(values);
  switch (operator) {
    case "Exists":
      return (labels) => Object.hasOwn(labels, key);
    case "DoesNotExist":
      return (labels) => !Object.hasOwn(labels, key);
    case "NotIn":
      return (labels) => !Object.hasOwn(labels, key) || !wanted.has(labels[key]);
    default:
      return (labels) => Object.hasOwn(labels, key) && wanted.has(labels[key]);
  }
}

function refused(problem: string): ConfigError {
  const message = `Cannot use label selector: ${problem}`;
  return new ConfigError("invalid_value", message, { original: problem });
}

function countProblems(operator: string, values: readonly string[]): string[] {
  const problem = (why: string) => [
    `values: Invalid value: ${values.length === 0 ? "null" : encodeJson(values)}: ${why}`,
  ];
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return problem("for 'in', 'notin' operators, values set can't be empty");
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return problem("values set must be empty for exists and does not exist");
    default:
      return [];
  }
}

const NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const NAME_RULE = "must consist of alphanumeric characters, '-', '_' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " +
  `regex used for validation is '${NAME}')`;
const VALUE_RULE = "a valid label must be an empty string or consist of alphanumeric characters, " +
  "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or " +
  `'my_value',  or '12345', regex used for validation is '(${NAME})?')`;
const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SUBDOMAIN_RULE = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric " +
  "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
  `'example.com', regex used for validation is '${SUBDOMAIN}')`;

const NAME_PATTERN = new RegExp(`^${NAME}$`);
const VALUE_PATTERN = new RegExp(`^(${NAME})?$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);

const MAX_NAME = 63;
const MAX_SUBDOMAIN = 253;

function keyProblems(key: string): string[] {
  const parts = key.split("/");
  const problems = parts.length > 2
    ? [
      `a valid label key ${NAME_RULE} with an optional DNS subdomain prefix and '/' ` +
      "(e.g. 'example.com/MyName')",
    ]
    : [
      ...(parts.length === 2 ? prefixProblems(parts[0]) : []),
      ...nameProblems(parts[parts.length - 1]),
    ];
  if (problems.length === 0) return [];
  return [`key: Invalid value: ${quote(key)}: ${problems.join("; ")}`];
}

function prefixProblems(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  return [
    ...(byteLength(prefix) > MAX_SUBDOMAIN
      ? [`prefix part must be no more than ${MAX_SUBDOMAIN} bytes`]
      : []),
    ...(SUBDOMAIN_PATTERN.test(prefix) ? [] : [`prefix part ${SUBDOMAIN_RULE}`]),
  ];
}

function nameProblems(name: string): string[] {
  return [
    ...(name === "" ? ["name part must be non-empty"] : []),
    ...(byteLength(name) > MAX_NAME ? [`name part must be no more than ${MAX_NAME} bytes`] : []),
    ...(NAME_PATTERN.test(name) ? [] : [`name part ${NAME_RULE}`]),
  ];
}

function valueProblems(value: string, { key, index }: { key: string; index: number }): string[] {
  const problems = [
    ...(byteLength(value) > MAX_NAME ? [`must be no more than ${MAX_NAME} bytes`] : []),
    ...(VALUE_PATTERN.test(value) ? [] : [VALUE_RULE]),
  ];
  if (problems.length === 0) return [];
  return [`values[${index}][${key}]: Invalid value: ${quote(value)}: ${problems.join("; ")}`];
}
