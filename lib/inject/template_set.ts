/**
 * A config's templates, compiled once for all pods that come while the config holds. A template
 * that does not compile rejects the config it stands in.
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

/** What a template made of its data. */
export interface TemplateOutput {
  readonly output: Recording;
  /** The same, with what is known of each part. */
  parts(): readonly OutputPart[];
}

export interface CompiledTemplate {
  /** Throws a TemplateError, an InjectionError, or a BudgetError. */
  render(data: Typed, budget: Budget): TemplateOutput;
  /** Remembers how outputs are read; absent where each is to be read anew. */
  readonly shapes?: OverlayShapes;
  /** Whether what it prints depends on its data alone, and not on clock, chance or network. */
  readonly isPure: boolean;
  /** Whether it calls a function that changes the map it is given, so that values need a copy. */
  readonly mutates: boolean;
}

/** The name that errors give to every injection template. */
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
  // Only templates that a pod asks for are looked at: all of them are read while the server starts.
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

/** Names of the functions that a part of a template calls. */
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
