/**
 * A config's templates, compiled once for all pods that come while the config holds. A template
 * that does not compile rejects the config it stands in.
 */
import { compileTemplate, type Node, type Template } from "../go/template/mod.ts";
import type { FunctionMap } from "../go/value.ts";
import type { InjectionTrace } from "./trace.ts";

export interface TemplateSet {
  readonly names: readonly string[];
  get(name: string): CompiledTemplate | undefined;
}

export interface CompiledTemplate {
  readonly template: Pick<Template, "execute">;
  /** Whether it calls a function that changes the map it is given, so that values need a copy. */
  readonly mutates: boolean;
}

/** The name that errors give to every injection template. */
const NAME = "inject";

/** Functions of sprig that change their first argument in place, as they do in Go. */
const MUTATORS: ReadonlySet<string> = new Set([
  "set",
  "unset",
  "merge",
  "mergeOverwrite",
  "mustMerge",
  "mustMergeOverwrite",
  "sortAlpha",
]);

export function compileTemplates(
  sources: Readonly<Record<string, string>>,
  { functions, trace }: { functions: FunctionMap; trace?: InjectionTrace },
): TemplateSet {
  const compiled = new Map<string, CompiledTemplate>();
  for (const [name, source] of Object.entries(sources)) {
    const template = compileTemplate(source, {
      name: NAME,
      functions,
      trace: trace?.template?.(name),
    });
    const mutates = [...template.trees.values()].some(callsMutator);
    compiled.set(name, { template, mutates });
  }
  return { names: [...compiled.keys()], get: (name) => compiled.get(name) };
}

function callsMutator(node: Node): boolean {
  if (node.type === "identifier") return MUTATORS.has(node.ident);
  return Object.values(node).some((part) => {
    if (Array.isArray(part)) {
      return part.some((item) => typeof item === "object" && callsMutator(item));
    }
    return typeof part === "object" && part !== null && "type" in part &&
      callsMutator(part as Node);
  });
}
