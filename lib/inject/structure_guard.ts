/**
 * The structure guard: a value from a pod may change the scalar that contains it, and nothing else. Takes a
 * template's output in parts, and reports an error if a value from the pod changed the structure of the
 * rendered YAML.
 *
 * Which parts come from the pod is derived from the template's source (template_facts.ts): those that read
 * more than the values and the revision, which the platform team sets. Functions that encode whole values
 * (`toYaml`, `toJSON`, `quote` …) print structure of their own, and are checked to print no other.
 */
import { findStructureChange, type YamlPart } from "../yaml/mod.ts";
import { quote } from "../go/strconv.ts";
import {
  type ActionNode,
  placeAt,
  printNode,
  type Recording,
  type TreeSet,
} from "../go/template/mod.ts";
import { InjectionError } from "./errors.ts";
import { PROXY_CONFIG } from "./names.ts";
import { type DataPath, type StatementFacts, templateFacts } from "./template_facts.ts";

/**
 * The response to a pod that changes a template's structure: deny it, inject it with a warning, or do not
 * check.
 */
export type StructureGuard = "deny" | "warn" | "off";

export interface OutputPart extends YamlPart {
  /** The action that printed the part; absent for the template's own text. */
  readonly origin?: { readonly action: ActionNode; readonly template: GuardedTemplate };
}

/**
 * The roots of the data that the platform team sets. All others are from the pod, or may contain parts of
 * it.
 */
const TRUSTED_ROOTS: ReadonlySet<string> = new Set(["Values", "Revision"]);

/** A template with the facts about its actions. */
export class GuardedTemplate {
  /** The name in the config; "" for a config's single unnamed template. */
  readonly name: string;
  readonly source: string;
  readonly #trees: TreeSet;
  readonly #main: string;
  #facts: ReadonlyMap<ActionNode, ActionFacts> | undefined;

  constructor(
    { name, source, trees, main }: { name: string; source: string; trees: TreeSet; main: string },
  ) {
    this.name = name;
    this.source = source;
    this.#trees = trees;
    this.#main = main;
  }

  /**
   * Returns an output in parts. `nested` returns the parts of a text that another template rendered for an
   * action.
   */
  parts(
    output: Recording,
    nested?: (text: string) => readonly OutputPart[] | undefined,
  ): OutputPart[] {
    const { texts, values, actions } = output;
    const parts: OutputPart[] = [{ text: texts[0], kind: "template" }];
    for (const [i, action] of actions.entries()) {
      const text = values[i];
      const { kind, renders } = this.facts(action);
      const inner = renders ? (text === "" ? [] : nested?.(text)) : undefined;
      parts.push(...inner ?? [{ text, kind, origin: { action, template: this } }]);
      parts.push({ text: texts[i + 1], kind: "template" });
    }
    return parts;
  }

  facts(action: ActionNode): ActionFacts {
    this.#facts ??= readFacts(this.#trees, this.#main);
    return this.#facts.get(action) ?? UNKNOWN;
  }
}

interface ActionFacts {
  readonly kind: YamlPart["kind"];
  /** The paths in the pod that the part reads. */
  readonly sources: readonly DataPath[];
  /** Whether the part renders a template from trusted data. */
  readonly renders: boolean;
}

const UNKNOWN: ActionFacts = { kind: "text", sources: [], renders: false };

function readFacts(trees: TreeSet, main: string): ReadonlyMap<ActionNode, ActionFacts> {
  const { statements, stored } = templateFacts(trees, main);
  const spread = stored.filter(isUntrusted);
  const facts = new Map<ActionNode, ActionFacts>();
  for (const statement of statements.values()) {
    if (statement.node.type === "action") {
      facts.set(statement.node, actionFacts(statement, spread));
    }
  }
  return facts;
}

function actionFacts(
  { paths, functions, isEncoded }: StatementFacts,
  spread: readonly DataPath[],
): ActionFacts {
  const sources = [...paths.filter(isUntrusted), ...spread];
  // A rendered template reads the pod itself.
  const renders = functions.includes("render");
  if (sources.length === 0 && !renders) return { kind: "template", sources, renders };
  return {
    kind: isEncoded ? "structure" : "text",
    sources,
    renders: renders && sources.length === 0,
  };
}

function isUntrusted(path: DataPath): boolean {
  return path.length === 0 || !TRUSTED_ROOTS.has(path[0]);
}

export interface GuardOptions {
  readonly structureGuard: StructureGuard;
  readonly warn: (message: string) => void;
  /** Collects warnings instead of errors. */
  readonly changes?: string[];
}

/** Throws an InjectionError, or warns, if the pod changed the structure of a template's output. */
export function guardStructure(
  output: { parts(): readonly OutputPart[] },
  { structureGuard, warn, changes }: GuardOptions,
): void {
  if (structureGuard === "off") return;
  try {
    checkStructure(output.parts());
  } catch (error) {
    if (structureGuard === "deny" || !(error instanceof InjectionError)) throw error;
    warn(`structure guard: ${error.message}`);
    changes?.push(error.message);
  }
}

function checkStructure(parts: readonly OutputPart[]): void {
  const changed = findStructureChange(parts);
  if (changed === undefined) return;
  const { action, template } = parts[changed].origin!;
  const source = nameOf(template.facts(action).sources);
  const { line } = placeAt(template.source, action.pos);
  const name = template.name === "" ? "the injection template" : `template ${quote(template.name)}`;
  throw new InjectionError(
    "structure",
    `${source} changes the structure of the YAML that ${name} renders at line ${line}, ` +
      `${printNode(action)}: the value may only change the text it stands in; ` +
      `change the value, or let the template quote it (| quote, in old templates | printf "%q")`,
  );
}

/** Names a source for the pod's author. */
function nameOf([path]: readonly DataPath[]): string {
  switch (path?.[0]) {
    case "ObjectMeta":
      if (path[1] === "Annotations" && path.length > 2) return `annotation ${quote(path[2])}`;
      if (path[1] === "Labels" && path.length > 2) return `label ${quote(path[2])}`;
      return `the pod's ${["metadata", ...path.slice(1)].join(".")}`;
    case "ProxyConfig":
    case "MeshConfig":
      return `annotation ${quote(PROXY_CONFIG)}`;
    case "DeploymentMeta":
    case "TypeMeta":
      return "the pod's owner reference";
    default:
      return "a value of the pod";
  }
}
