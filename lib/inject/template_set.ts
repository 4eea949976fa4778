/**
 * Compiles a config's templates once, for all pods while the config is in use. A template that does not
 * compile invalidates the config.
 */
import { PURE_SPRIG_FUNCTIONS } from "../go/sprig/mod.ts";
import {
  BUILTIN_FUNCTIONS,
  compileTemplate,
  type Node,
  type Recording,
  type Template,
} from "../go/template/mod.ts";
import type { Budget } from "../data/budget.ts";
import type { FunctionMap, Typed } from "../go/value.ts";
import { injectionFunctions } from "./functions.ts";
import { OverlayShapes } from "./overlay_shapes.ts";
import { GuardedTemplate, type OutputPart } from "./structure_guard.ts";
import { MUTATORS } from "./template_facts.ts";
import type { InjectionTrace } from "./trace.ts";

export interface TemplateSet {
  readonly names: readonly string[];
  get(name: string): CompiledTemplate | undefined;
}

/** A template's output. */
export interface TemplateOutput {
  readonly output: Recording;
  /** The output in parts, with the origin of each. */
  parts(): readonly OutputPart[];
}

export interface CompiledTemplate {
  /** Renders the template. Throws a TemplateError, an InjectionError, or a BudgetError. */
  render(data: Typed, budget: Budget): TemplateOutput;
  /** Caches how outputs are parsed; absent if each is parsed anew. */
  readonly shapes?: OverlayShapes;
  /** Whether the output depends only on the data, and not on clock, randomness or network. */
  readonly isPure: boolean;
  /** Whether the template calls a function that modifies its argument, so that values must be copied. */
  readonly mutates: boolean;
}

/** The name of every injection template in errors. */
const NAME = "inject";

export function compileTemplates(
  sources: Readonly<Record<string, string>>,
  { functions, caches, trace }: {
    functions: FunctionMap;
    caches: boolean;
    trace?: InjectionTrace;
  },
): TemplateSet {
  const pure = PURE_SPRIG_FUNCTIONS.union(BUILTIN_FUNCTIONS)
    .union(new Set(Object.keys(injectionFunctions())));
  const templates = new Map<string, Template>();
  for (const [name, source] of Object.entries(sources)) {
    const watching = trace?.template?.(name);
    templates.set(name, compileTemplate(source, { name: NAME, functions, trace: watching }));
  }
  const lookAt = (name: string, template: Template): CompiledTemplate => {
    const { trees } = template;
    const calls = new Set([...trees.values()].flatMap(calledBy));
    const guarded = new GuardedTemplate({ name, source: sources[name], trees, main: NAME });
    return {
      render(data, budget) {
        const output = template.record(data, { budget });
        return { output, parts: () => guarded.parts(output) };
      },
      isPure: calls.isSubsetOf(pure),
      mutates: !calls.isDisjointFrom(MUTATORS),
      ...(caches ? { shapes: new OverlayShapes() } : {}),
    };
  };
  // Analysed on first use, since all templates are compiled while the server starts.
  const asked = new Map<string, CompiledTemplate>();
  return {
    names: [...templates.keys()],
    get(name) {
      const template = templates.get(name);
      if (template !== undefined && !asked.has(name)) asked.set(name, lookAt(name, template));
      return asked.get(name);
    },
  };
}

/** Returns the names of the functions that a part of a template calls. */
function calledBy(node: Node): string[] {
  if (node.type === "identifier") return [node.ident];
  return Object.values(node).flatMap((part) => {
    if (Array.isArray(part)) {
      return part.flatMap((item) => typeof item === "object" ? calledBy(item) : []);
    }
    const isNode = typeof part === "object" && part !== null && "type" in part;
    return isNode ? calledBy(part as Node) : [];
  });
}
