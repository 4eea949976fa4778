/** Lints one template: whether it parses, and whether its functions, fields and values exist. */
import { isMap } from "../data/map.ts";
import { templateSetting } from "./_template_functions.ts";
import {
  compileTemplate,
  printNode,
  type StatementNode,
  TemplateError,
} from "../go/template/mod.ts";
import type { GoType } from "../go/value.ts";
import {
  type DataPath,
  type InjectorSettings,
  type Reference,
  templateData,
  type TemplateFacts,
  templateFacts,
} from "../inject/mod.ts";
import type { ConfigPlaces } from "./_config_places.ts";
import type { ConfigTemplate } from "./_lint_config.ts";
import type { Finding } from "./lint.ts";

export interface LintedTemplate extends ConfigTemplate {
  readonly findings: readonly Finding[];
  /** Absent if the template does not parse. */
  readonly facts?: TemplateFacts;
  /** Whether pods are rendered with the template. */
  readonly isForPods: boolean;
}

export interface LintTemplateOptions {
  readonly file: string;
  readonly places: ConfigPlaces;
  /** Absent if the values are unknown. */
  readonly values: Readonly<Record<string, unknown>> | undefined;
  readonly options: InjectorSettings;
}

type Tell = (
  offset: number,
  finding: Pick<Finding, "severity" | "id" | "message" | "fix">,
) => void;

export function lintTemplate(
  template: ConfigTemplate,
  { file, places, values, options }: LintTemplateOptions,
): LintedTemplate {
  const findings: Finding[] = [];
  const tell: Tell = (offset, finding) => {
    const place = places.inTemplate(template.path, offset, template.text);
    findings.push({ ...finding, file, ...place, template: template.name });
  };
  const facts = read(template, { tell, options });
  if (facts === undefined) return { ...template, findings, isForPods: false };
  if (isForGateways(facts)) {
    tell(0, {
      severity: "info",
      id: "not_for_pods",
      message: "The template is for the Gateway API controller, which passes it different data.",
      fix: "Only its syntax is checked.",
    });
    return { ...template, findings, facts, isForPods: false };
  }
  const { minor } = templateSetting(template, options);
  const { type } = templateData({}, minor);
  for (const reference of facts.references) {
    checkField(reference, type, tell);
    if (values !== undefined) checkValue(reference, { values, facts, tell });
  }
  for (const { node, functions } of facts.statements.values()) {
    const ambient = functions.filter((name) => NOT_REPEATABLE.test(name));
    if (ambient.length === 0) continue;
    tell(node.pos, {
      severity: "warning",
      id: "not_repeatable",
      message:
        `The function ${
          ambient.join(", ")
        } returns a different value each time, so the same pod is ` +
        "injected differently each time.",
      fix: "Take the value from the pod, the values or the mesh config.",
    });
  }
  return { ...template, findings, facts, isForPods: true };
}

/** Data fields that only gateway templates have. */
const OF_GATEWAYS: ReadonlySet<string> = new Set([
  "InfrastructureLabels",
  "InfrastructureAnnotations",
  "GatewayClass",
  "GatewayNameLabel",
  "ControllerLabel",
  "DeploymentName",
  "KubeVersion",
  "ServiceAccount",
  "ServiceType",
  "UID",
]);

/** Istio's config also holds templates for gateways. A single gateway field may be a mistake. */
function isForGateways({ references }: TemplateFacts): boolean {
  const named = new Set(
    references.map(({ path: [root] }) => root).filter((root) => OF_GATEWAYS.has(root)),
  );
  return named.size >= 3;
}

const NOT_REPEATABLE = /^(?:now|rand\w*|uuidv4|gen\w+|shuffle|getHostByName)$/;

/** The maximum number of unknown functions to report per template. */
const MAX_UNKNOWN = 20;

/** Parses the template once per unknown function, because a parser stops at the first. */
function read(
  template: ConfigTemplate,
  { tell, options }: { tell: Tell; options: InjectorSettings },
): TemplateFacts | undefined {
  const { functions, delimiters } = templateSetting(template, options);
  const known = { ...functions };
  let isWhole = true;
  for (let i = 0; i < MAX_UNKNOWN; i++) {
    try {
      const { trees } = compileTemplate(template.text, {
        name: NAME,
        functions: known,
        leftDelim: delimiters.left,
        rightDelim: delimiters.right,
      });
      return isWhole ? templateFacts(trees, NAME) : undefined;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const { line = 1, column, sourceLine = "" } = error.place ?? {};
      const lineStart = offsetOfLine(template.text, line);
      const name = /: function "(.*)" not defined$/.exec(error.message)?.[1];
      if (name === undefined) {
        const text = error.message.replace(/^template: inject:\d+(?::\d+)?: /, "");
        tell(lineStart + (column ?? 1) - 1, {
          severity: "error",
          id: "template_syntax",
          message: `The template does not parse: ${text}.`,
          fix: "The injector rejects a config with this template.",
        });
        return undefined;
      }
      isWhole = false;
      tell(lineStart + Math.max(sourceLine.search(new RegExp(`\\b${name}\\b`)), 0), {
        severity: "error",
        id: "unknown_function",
        message: `Function ${JSON.stringify(name)} is not defined.`,
        fix: "Templates can use the functions of Go, sprig and Istio; older versions have fewer.",
      });
      known[name] = { params: [], variadic: ANYTHING, call: () => "" };
    }
  }
  return undefined;
}

const NAME = "inject";
const ANYTHING: GoType = { name: "interface {}", kind: "interface" };

function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let i = 1; i < line; i++) offset = text.indexOf("\n", offset) + 1;
  return offset;
}

/** Reports fields that the data does not have, which are errors in Go. */
function checkField({ node, path, isExact }: Reference, root: GoType, tell: Tell): void {
  if (!isExact) return;
  let type: GoType | undefined = root;
  for (const [i, name] of path.entries()) {
    while (type?.kind === "ptr" && !type.methods?.has(name)) type = type.elem;
    if (type === undefined || type.kind === "interface" || type.methods?.has(name)) return;
    if (type.kind === "map" || type.kind === "slice" || type.kind === "array") {
      // A method or function may return any type; a list has no fields.
      if (type.kind !== "map" && name !== "*") return;
      type = type.elem;
      continue;
    }
    const field = type.fields?.get(name);
    if (field === undefined) {
      const what = i === 0 ? "the template's data" : `${path.slice(0, i).join(".")} (${type.name})`;
      return tell(node.pos, {
        severity: "error",
        id: "unknown_field",
        message: `Field ${name} does not exist in ${what}.`,
        fix: fieldsText(type),
      });
    }
    type = field.type();
  }
}

function fieldsText({ fields }: GoType): string {
  const names = [...fields?.keys() ?? []];
  if (names.length === 0) return "The type has no fields.";
  const shown = names.length > 20 ? [...names.slice(0, 20), "…"] : names;
  return `Available fields: ${shown.join(", ")}.`;
}

/** Functions that accept a missing value. */
const LENIENT =
  /^(?:default|coalesce|or|and|hasKey|dig|empty|ternary|valueOrDefault|annotation|isset)$/;

/** Reports keys that a template requires and the values do not have. */
function checkValue(
  { node, path, isExact, isAsked, statement }: Reference,
  { values, facts, tell }: {
    values: Readonly<Record<string, unknown>>;
    facts: TemplateFacts;
    tell: Tell;
  },
): void {
  const [root, ...keys] = path;
  if (root !== "Values" || !isExact || keys.includes("*")) return;
  const missing = firstMissing(values, keys);
  if (missing === undefined) return;
  const own = facts.statements.get(statement);
  const isLast = missing === keys.length - 1;
  // Templates often test whether a key exists, but they cannot read below a missing key.
  if (isLast && (isAsked || !printsAlone(statement, own?.functions ?? []))) return;
  if (!isLast && own?.functions.some((name) => /^(?:and|or|dig)$/.test(name))) return;
  const guards = (own?.branches ?? []).flatMap(({ node }) =>
    facts.statements.get(node)?.paths ?? []
  );
  const absent = ["Values", ...keys.slice(0, missing + 1)];
  if (guards.some((guard) => startsWith(guard, absent))) return;
  const name = keys.slice(0, missing + 1).join(".");
  tell(node.pos, {
    severity: "warning",
    id: "unknown_values_key",
    message: isLast
      ? `The values have no key ${name}: the template prints "<no value>" in its place.`
      : `The values have no key ${name}: ${printNode(node)} fails for every pod that reaches it.`,
    fix: `Set ${name} in the values, or check for it first with {{ if }}, {{ with }} or default.`,
  });
}

function printsAlone(statement: StatementNode, functions: readonly string[]): boolean {
  if (statement.type !== "action" || statement.pipe.decl.length > 0) return false;
  return !functions.some((name) => LENIENT.test(name));
}

function startsWith(path: DataPath, prefix: DataPath): boolean {
  return prefix.every((key, i) => path[i] === key);
}

function firstMissing(values: unknown, keys: readonly string[]): number | undefined {
  let value = values;
  for (const [i, key] of keys.entries()) {
    if (!isMap(value)) return undefined;
    if (!Object.hasOwn(value, key) || value[key] === null) return i;
    value = value[key];
  }
  return undefined;
}
