/** YAML of the config maps: as lib/data reads it, with failures that name the text and quote Go. */
import { parseYaml, YamlError } from "../yaml/mod.ts";
import { yamlErrorText } from "../go/yaml_error.ts";
import { ConfigError } from "./config_error.ts";

export interface ReadYamlOptions {
  /** What the text is: `injection config`. */
  readonly what: string;
  /** Puts Istio's own words around those of its YAML library. */
  readonly original: (yaml: string) => string;
  readonly bigints?: boolean;
}

export function readYaml(text: string, { what, original, bigints }: ReadYamlOptions): unknown {
  try {
    return parseYaml(text, { bigints });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new ConfigError(
      "bad_yaml",
      `Cannot read ${what}, line ${error.line}, column ${error.column}: ${reason}`,
      { original: original(goText(text, error) ?? `yaml: ${reason}`), cause: error },
    );
  }
}

/** Undefined where only Go's own printing of a value could tell. */
function goText(text: string, error: YamlError): string | undefined {
  // Those were stopped by limits of ours, so there is nothing to imitate.
  if (error.code === "too-large" || error.code === "too-deep") return undefined;
  const syntax = yamlErrorText(text);
  if (syntax !== undefined) return syntax;
  switch (error.code) {
    case "bad-merge":
      return "yaml: map merge requires map or sequence of maps as the value";
    case "not-json": {
      const number = /[-+]?\.(?:inf|nan)/i.exec(error.message)?.[0].toLowerCase() ?? "";
      const name = number === ".nan" ? "NaN" : number.startsWith("-") ? "-Inf" : "+Inf";
      return `json: unsupported value: ${name}`;
    }
    default:
      return undefined;
  }
}
