/**
 * Go's text/template, whole: `compileTemplate` once, `execute` often.
 *
 * source ─▶ lex.ts ─▶ parse.ts ─▶ nodes.ts ─▶ compile.ts ─▶ execute with a state of its own.
 *
 * Pure: no I/O, no clock, no randomness; what functions need of those, they bring along.
 *
 * @example
 * ```ts
 * const template = compileTemplate("hello {{ .name }}", { name: "greeting" });
 * template.execute({ name: "pod" }); // "hello pod"
 * ```
 */
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
} from "./nodes.ts";
export type { MissingKey } from "./_fields.ts";
export type { Recording } from "./_recording.ts";
export type { TemplateLimits } from "./_state.ts";
export type { TemplateTrace } from "./_trace.ts";
export type { Token } from "./lex.ts";
export type { TreeSet } from "./parse.ts";

/** Names of the functions that every template has. */
export const BUILTIN_FUNCTIONS: ReadonlySet<string> = new Set(Object.keys(BUILTINS));

export interface TemplateOptions {
  /** The name that errors give it. */
  readonly name: string;
  /** Default `{{`. */
  readonly leftDelim?: string;
  /** Default `}}`. */
  readonly rightDelim?: string;
  /** What a missing key of a map is: no value (default), the zero value, or an error. */
  readonly missingKey?: MissingKey;
  /** Functions beside Go's built-ins; one of the same name takes a built-in's place. */
  readonly functions?: FunctionMap;
  readonly limits?: Partial<TemplateLimits>;
  /** Is told of every execution, which then takes longer. */
  readonly trace?: TemplateTrace;
}

export interface Template {
  /** Renders with this data as dot; throws a TemplateError. */
  execute(data: unknown): string;
  /** The same, with the output in parts. */
  record(data: unknown): Recording;
  /** The parsed trees by name: the template itself and those it defines. */
  readonly trees: TreeSet;
}

/**
 * Parses a source, and compiles it when it is first executed: many a config has templates that no pod
 * asks for. Throws a TemplateError where Go's Parse returns an error.
 */
export function compileTemplate(source: string, options: TemplateOptions): Template {
  const { name, missingKey = "default", functions = {}, trace } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const trees = parseTemplate(source, {
    name,
    leftDelim: options.leftDelim ?? "",
    rightDelim: options.rightDelim ?? "",
    hasFunction: (name) => Object.hasOwn(functions, name) || Object.hasOwn(BUILTINS, name),
  });
  trace?.trees?.(trees);
  let body: ReturnType<Compiler["body"]>;
  const record = (data: unknown) => {
    body ??= new Compiler(trees, { functions, missingKey, trace }).body(name)!;
    const state = new State(name, source, limits);
    try {
      execute(state, body, data ?? undefined);
    } catch (error) {
      state.rethrow(error);
    }
    return state.output;
  };
  return { trees, record, execute: (data) => record(data).text };
}

/** The tokens of a source, for those who debug a template; the last one is "eof" or "error". */
export function templateTokens(
  source: string,
  options: Pick<TemplateOptions, "leftDelim" | "rightDelim"> = {},
): Token[] {
  const lexer = new Lexer(source, {
    leftDelim: options.leftDelim ?? "",
    rightDelim: options.rightDelim ?? "",
  });
  const tokens: Token[] = [];
  for (;;) {
    const token = lexer.next();
    tokens.push(token);
    if (token.type === "eof" || token.type === "error") return tokens;
  }
}
