/**
 * Go's text/template. `compileTemplate` returns a template that can be executed any number of
 * times.
 *
 * source ─▶ lex.ts ─▶ parse.ts ─▶ nodes.ts ─▶ compile.ts ─▶ an execution with its own state
 *
 * The engine is pure: no I/O, no clock, no randomness, except in functions that the caller passes.
 *
 * @example
 * ```ts
 * const template = compileTemplate("hello {{ .name }}", { name: "greeting" });
 * template.execute({ name: "pod" }); // "hello pod"
 * ```
 */
import { type Budget, UNLIMITED } from "../../data/budget.ts";
import type { FunctionMap } from "../value.ts";
import { BUILTINS } from "./_builtins.ts";
import type { MissingKey } from "./_fields.ts";
import type { Recording } from "./_recording.ts";
import { execute } from "./_scope.ts";
import { DEFAULT_LIMITS, State, type TemplateLimits } from "./_state.ts";
import type { TemplateTrace } from "./_trace.ts";
import { Compiler } from "./compile.ts";
import { Lexer, type Token } from "./lex.ts";
import { parseTemplate, type TreeSet } from "./parse.ts";

export { placeAt, TemplateError, type TemplateErrorCode, type TemplatePlace } from "./errors.ts";
export { printNode } from "./nodes.ts";
export type {
  ActionNode,
  BranchNode,
  CommandNode,
  ListNode,
  Node,
  OperandNode,
  PipeNode,
  StatementNode,
  VariableNode,
} from "./nodes.ts";
export type { MissingKey } from "./_fields.ts";
export type { Recording } from "./_recording.ts";
export type { TemplateLimits } from "./_state.ts";
export type { TemplateTrace } from "./_trace.ts";
export type { Token } from "./lex.ts";
export type { TreeSet } from "./parse.ts";

/** The names of the built-in functions. */
export const BUILTIN_FUNCTIONS: ReadonlySet<string> = new Set(Object.keys(BUILTINS));

/** The options of {@link compileTemplate}. */
export interface TemplateOptions {
  /** The name of the template, which errors contain. */
  readonly name: string;
  /** Default `{{`. */
  readonly leftDelim?: string;
  /** Default `}}`. */
  readonly rightDelim?: string;
  /** The result of a missing map key: no value (`default`), the zero value, or an error. */
  readonly missingKey?: MissingKey;
  /** Functions in addition to Go's built-in functions, which they can override. */
  readonly functions?: FunctionMap;
  readonly limits?: Partial<TemplateLimits>;
  /** Receives the steps of every execution, which makes executions slower. */
  readonly trace?: TemplateTrace;
}

/** A compiled template. */
export interface Template {
  /** Executes the template with the data as dot. Throws a TemplateError. */
  execute(data: unknown): string;
  /** Like `execute`, but returns the output in parts. Throws a BudgetError when the budget is spent. */
  record(data: unknown, options?: { budget?: Budget }): Recording;
  /** The trees of the template and of those it defines, by name. */
  readonly trees: TreeSet;
}

/**
 * Parses a template. Throws a TemplateError where Go's Parse returns an error. The template is
 * compiled when it is first executed, because many configs have templates that no pod uses.
 */
export function compileTemplate(source: string, options: TemplateOptions): Template {
  const { name, missingKey = "default", functions = {}, trace } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const trees = parseTemplate(source, {
    name,
    leftDelim: options.leftDelim,
    rightDelim: options.rightDelim,
    hasFunction: (name) => Object.hasOwn(functions, name) || Object.hasOwn(BUILTINS, name),
  });
  trace?.trees?.(trees);
  let body: ReturnType<Compiler["body"]>;
  const record = (data: unknown, { budget = UNLIMITED }: { budget?: Budget } = {}) => {
    body ??= new Compiler(trees, { functions, missingKey, trace }).body(name)!;
    const state = new State(name, source, { limits, budget });
    try {
      execute(state, body, data ?? undefined);
    } catch (error) {
      state.rethrow(error);
    }
    state.charge();
    return state.output;
  };
  return { trees, record, execute: (data) => record(data).text };
}

/** Returns the tokens of a template, for debugging. The last one is "eof" or "error". */
export function templateTokens(
  source: string,
  options: Pick<TemplateOptions, "leftDelim" | "rightDelim"> = {},
): Token[] {
  const lexer = new Lexer(source, options);
  const tokens: Token[] = [];
  for (;;) {
    const token = lexer.next();
    tokens.push(token);
    if (token.type === "eof" || token.type === "error") return tokens;
  }
}
