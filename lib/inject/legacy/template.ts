/**
 * Compiles the single template, with the functions of its version and its delimiters, and renders it for
 * each pod.
 */
import {
  compileTemplate,
  type Recording,
  type Template,
  TemplateError,
  type TemplateTrace,
  type TreeSet,
} from "../../go/template/mod.ts";
import { type Budget, UNLIMITED } from "../../data/budget.ts";
import { FunctionError, type FunctionMap, type Typed } from "../../go/value.ts";
import { InjectionError } from "../errors.ts";
import { injectionFunctions, type InjectionFunctionsOptions } from "../functions.ts";
import { GuardedTemplate, type OutputPart } from "../structure_guard.ts";
import type { CompiledTemplate } from "../template_set.ts";

export interface Delimiters {
  readonly left: string;
  readonly right: string;
}

const SQUARE: Delimiters = { left: "[[", right: "]]" };
const CURLY: Delimiters = { left: "{{", right: "}}" };

/**
 * Returns the template's delimiters, which are the pair that occurs more often. The other pair may occur in
 * its text, as in a shell's `[[ -f x ]]`.
 */
export function delimitersOf(template: string): Delimiters {
  const square = template.match(/\[\[[^\]]*\]\]/g)?.length ?? 0;
  const curly = template.match(/\{\{[^}]*\}\}/g)?.length ?? 0;
  return square > curly ? SQUARE : CURLY;
}

export interface LegacyTemplateOptions {
  /** The name in the config, or "" for the only template. */
  readonly name?: string;
  readonly delimiters: Delimiters;
  /** The options of `injectionFunctions`; `render` is added here. */
  readonly functions: Omit<InjectionFunctionsOptions, "render">;
  /** sprig's functions, if the version has them. */
  readonly sprig?: FunctionMap;
  /** Traces the template itself, but not the texts it passes to `render`. */
  readonly trace?: TemplateTrace;
}

export type LegacyTemplate = Pick<CompiledTemplate, "render">;

/** The name of every injection template in errors. */
const NAME = "inject";

/** Limits how often a template may call `render` for one pod, and how deep the calls may nest. */
const MAX_RENDERS = 1000;
const MAX_DEPTH = 50;

/** Compiles a template. Throws a TemplateError if it is invalid. */
export function compileLegacyTemplate(
  source: string,
  { name = "", delimiters, functions: options, sprig = {}, trace }: LegacyTemplateOptions,
): LegacyTemplate {
  // Rendering is synchronous, so all renderings can share this state.
  let data: Typed | undefined;
  let budget: Budget = UNLIMITED;
  /** Results of `render` by their text. */
  const nested = new Map<string, NestedOutput>();
  let renders = 0;
  let depth = 0;
  const functions: FunctionMap = {
    ...sprig,
    ...injectionFunctions({
      ...options,
      render: (source) => {
        if (++renders > MAX_RENDERS || depth >= MAX_DEPTH) {
          throw new FunctionError("too many nested calls of render");
        }
        depth++;
        try {
          const inner = compile(source);
          const output = inner.record(data, { budget });
          const { text } = output;
          // If two sources give the same text, it is unknown which of them an action printed.
          const known = nested.get(text);
          const isClear = known === undefined || (known.source === source && known.trees);
          nested.set(text, { source, output, trees: isClear ? inner.trees : undefined });
          return text;
        } finally {
          depth--;
        }
      },
    }),
  };
  const compile = (text: string, trace?: TemplateTrace): Template =>
    compileTemplate(text, {
      name: NAME,
      functions,
      leftDelim: delimiters.left,
      rightDelim: delimiters.right,
      trace,
    });
  const template = compile(source, trace);
  const guarded = new GuardedTemplate({ name, source, trees: template.trees, main: NAME });
  return {
    render(given, allowed) {
      [data, budget, renders, depth] = [given, allowed, 0, 0];
      nested.clear();
      try {
        const output = template.record(given, { budget });
        const inner = new Map(nested);
        return { output, parts: () => guarded.parts(output, (text) => nestedParts(text, inner)) };
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        throw new InjectionError("template", error.message, { cause: error });
      } finally {
        data = undefined;
        budget = UNLIMITED;
      }
    },
  };
}

interface NestedOutput {
  readonly source: string;
  readonly output: Recording;
  /** Absent if another source gave the same text. */
  readonly trees?: TreeSet;
}

function nestedParts(
  text: string,
  nested: ReadonlyMap<string, NestedOutput>,
): OutputPart[] | undefined {
  const { source, output, trees } = nested.get(text) ?? {};
  if (source === undefined || output === undefined || trees === undefined) return undefined;
  const guarded = new GuardedTemplate({ name: "", source, trees, main: NAME });
  return guarded.parts(output, (text) => nestedParts(text, nested));
}
