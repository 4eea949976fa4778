/**
 * Templates of the versions that still had the function `render`, by which a template renders another
 * text with its own data.
 */
import type { FunctionMap } from "../go/value.ts";
import type { InjectionFunctionsOptions } from "./functions.ts";
import { compileLegacyTemplate } from "./legacy/template.ts";
import type { CompiledTemplate, TemplateSet } from "./template_set.ts";
import type { InjectionTrace } from "./trace.ts";

export interface RenderingTemplatesOptions {
  readonly sprig: FunctionMap;
  readonly functions: InjectionFunctionsOptions;
  readonly trace?: InjectionTrace;
}

export function renderingTemplates(
  sources: Readonly<Record<string, string>>,
  { sprig, functions, trace: watching }: RenderingTemplatesOptions,
): TemplateSet {
  const compiled = new Map<string, CompiledTemplate>();
  for (const [name, source] of Object.entries(sources)) {
    const delimiters = { left: "{{", right: "}}" };
    const trace = watching?.template?.(name);
    const template = compileLegacyTemplate(source, {
      name,
      delimiters,
      functions,
      sprig,
      trace,
    });
    // What a rendered text calls can't be told beforehand.
    compiled.set(name, { ...template, isPure: false, mutates: true });
  }
  return { names: [...compiled.keys()], get: (name) => compiled.get(name) };
}
