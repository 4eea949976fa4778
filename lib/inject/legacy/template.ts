/**
 * The one template: compiled once with the functions of its version and the delimiters that it shows, and
 * rendered for each pod.
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
 * The delimiters that a template is written with: those of which there are more pairs. The others may
 * stand in its text, as a shell's `[[ -f x ]]`.
 */
export function delimitersOf(template: string): Delimiters {
  const square = template.match(/\[\[[^\]]*\]\]/g)?.length ?? 0;
  const curly = template.match(/\{\{[^}]*\}\}/g)?.length ?? 0;
  return square > curly ? SQUARE : CURLY;
}

export interface LegacyTemplateOptions {
  /** As the config has it; "" for its only one. */
  readonly name?: string;
  readonly delimiters: Delimiters;
  /** What `injectionFunctions` takes, but for `render`, which is of here. */
  readonly functions: Omit<InjectionFunctionsOptions, "render">;
  /** sprig's, where the version has them. */
  readonly sprig?: FunctionMap;
  /** Is told of the template itself, not of what it has rendered besides. */
  readonly trace?: TemplateTrace;
}

export type LegacyTemplate = Pick<CompiledTemplate, "render">;

/** The name that errors give to every injection template. */
const NAME = "inject";

/** How many times a template may `render` others for one pod, and how deep they may do so themselves. */
const MAX_RENDERS = 1000;
const MAX_DEPTH = 50;

/** Throws a TemplateError for a template that does not compile. */
export function compileLegacyTemplate(
  source: string,
  { name = "", delimiters, functions: options, sprig = {}, trace }: LegacyTemplateOptions,
): LegacyTemplate {
  // Rendering is one synchronous act, so that one state serves all of them in turn.
  let data: Typed | undefined;
  let budget: Budget = UNLIMITED;
  /** What `render` gave so far, by its text. */
  const nested = new Map<string, NestedOutput>();
  let renders = 0;
  let depth = 0;
  const functions: FunctionMap = {
    ...sprig,
    ...injectionFunctions({
      ...options,
      render: (source) => {
        if (++renders > MAX_RENDERS || depth >= MAX_DEPTH) {
          throw new FunctionError("templates render too many others");
        }
        depth++;
        try {
          const inner = compile(source);
          const output = inner.record(data, { budget });
          const { text } = output;
          // Where two sources give the same text, nobody can tell which of them an action printed.
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
  /** Absent where another source gave the same text. */
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
