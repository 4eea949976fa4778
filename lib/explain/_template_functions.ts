/** The functions, delimiters and version that a template is compiled with, as in the injector. */
import type { FunctionMap } from "../go/value.ts";
import {
  type Delimiters,
  delimitersOf,
  guessVersion,
  injectionFunctions,
  type InjectorSettings,
  LAST_LEGACY,
  legacyBehavioursOf,
} from "../inject/mod.ts";

export interface TemplateSetting {
  readonly functions: FunctionMap;
  readonly delimiters: Delimiters;
  /** Istio's minor version, which determines the types of the template's data. */
  readonly minor: number;
}

/** A template without a name belongs to a legacy config. */
export function templateSetting(
  { name, text }: { readonly name: string; readonly text: string },
  { sprig, compat = "today", leftDelim, rightDelim }: InjectorSettings,
): TemplateSetting {
  if (name !== "") {
    const minor = compat === "today" ? Infinity : compat;
    return {
      functions: { ...sprig, ...injectionFunctions({ minor, render: () => "" }) },
      delimiters: { left: "{{", right: "}}" },
      minor,
    };
  }
  const told = delimitersOf(text);
  const delimiters = { left: leftDelim || told.left, right: rightDelim || told.right };
  const version = compat !== "today" && compat <= LAST_LEGACY
    ? compat
    : guessVersion(text, delimiters);
  const minor = Math.max(version, 0);
  const functions = injectionFunctions({ minor, render: () => "" });
  return {
    functions: legacyBehavioursOf(version).sprig ? { ...sprig, ...functions } : functions,
    delimiters,
    minor,
  };
}
