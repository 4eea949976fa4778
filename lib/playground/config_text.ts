/**
 * Parses the text in the config editor: an injection config, or a single template, which becomes
 * the template `sidecar`. Also locates the lines of its templates.
 */
import { ConfigError, type InjectionConfig, parseInjectionConfig } from "../config/mod.ts";
import { type YamlPlace, yamlPlaces } from "../yaml/mod.ts";
import { configAround, isBareTemplate } from "../inject/mod.ts";

/** The line where a template starts, and its indentation. */
export interface TemplatePlace {
  readonly line: number;
  readonly indent: number;
}

export interface ConfigText {
  /** The sources for the engine. */
  readonly text: string;
  readonly config: InjectionConfig;
  /** Templates by name; "" for the template of a legacy config. */
  readonly templates: ReadonlyMap<string, string>;
  /**
   * Where a template starts; `undefined` if its lines are not lines of the text, as in quoted
   * strings.
   */
  placeOf(template: string): TemplatePlace | undefined;
}

/** Parses the config's text. Throws a ConfigError. */
export function readConfigText(text: string): ConfigText {
  if (text.trim() === "") {
    const reason = "it is empty: paste an injection config, or a template";
    throw new ConfigError("invalid_value", `Cannot read injection config: ${reason}`, {
      original: reason,
    });
  }
  if (isBareTemplate(text)) {
    const whole = configAround(text);
    return {
      text: whole,
      config: parseInjectionConfig(whole),
      templates: new Map([["sidecar", text]]),
      placeOf: (name) => name === "sidecar" ? { line: 1, indent: 0 } : undefined,
    };
  }
  const config = parseInjectionConfig(text);
  const templates = new Map(
    config.legacyTemplate === undefined
      ? Object.entries(config.templates)
      : [["", config.legacyTemplate]],
  );
  let places: YamlPlace[] | undefined;
  return {
    text,
    config,
    templates,
    placeOf(name) {
      places ??= yamlPlaces(text);
      const wanted = name === "" ? ["template"] : ["templates", name];
      // Keys of the config match in any case; template names are case-sensitive.
      const found = places.find(({ path }) =>
        path.length === wanted.length && String(path[0]).toLowerCase() === wanted[0] &&
        path[1] === wanted[1]
      );
      return found && blockPlace(text, found, templates.get(name) ?? "");
    },
  };
}

/** Returns `undefined` unless the template is a `|` block, whose lines are lines of the text. */
function blockPlace(
  text: string,
  { keyStart, start, isBlock }: YamlPlace,
  template: string,
): TemplatePlace | undefined {
  if (!isBlock || !text.slice(keyStart, start).includes("|")) return undefined;
  const indentOf = (lines: string) => /^(?:[ \t]*\r?\n)*( *)/.exec(lines)![1].length;
  return { line: lineAt(text, start), indent: indentOf(text.slice(start)) - indentOf(template) };
}

/** Returns the line number of an offset, starting at 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|[\r\n\u0085]/).length;
}
