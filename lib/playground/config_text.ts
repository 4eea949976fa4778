/**
 * The text that a person pastes as config, read as what it is: an injection config, or one bare template,
 * which then is the template `sidecar`. And where the lines of its templates stand in it.
 */
import { ConfigError, type InjectionConfig, parseInjectionConfig } from "../config/mod.ts";
import { type YamlPlace, yamlPlaces } from "../yaml/mod.ts";
import { configAround, isBareTemplate } from "../inject/mod.ts";

/** Where a template's first line stands, and how far its lines are indented there. */
export interface TemplatePlace {
  readonly line: number;
  readonly indent: number;
}

export interface ConfigText {
  /** For the engine. */
  readonly text: string;
  readonly config: InjectionConfig;
  /** Texts by name; the one of the `template:` era goes by "". */
  readonly templates: ReadonlyMap<string, string>;
  /** `undefined` where its lines are not lines of the text, as in quotes. */
  placeOf(template: string): TemplatePlace | undefined;
}

/** Throws a ConfigError. */
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
      // Keys of the config match in any letter case, names of templates as they are.
      const found = places.find(({ path }) =>
        path.length === wanted.length && String(path[0]).toLowerCase() === wanted[0] &&
        path[1] === wanted[1]
      );
      return found && blockPlace(text, found, templates.get(name) ?? "");
    },
  };
}

/** `undefined` where the template is not in a `|` block: its lines are then not lines of the text. */
function blockPlace(
  text: string,
  { keyStart, start, isBlock }: YamlPlace,
  template: string,
): TemplatePlace | undefined {
  if (!isBlock || !text.slice(keyStart, start).includes("|")) return undefined;
  const indentOf = (lines: string) => /^(?:[ \t]*\r?\n)*( *)/.exec(lines)![1].length;
  return { line: lineAt(text, start), indent: indentOf(text.slice(start)) - indentOf(template) };
}

/** Number of the line that an offset is in, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|[\r\n\u0085]/).length;
}
