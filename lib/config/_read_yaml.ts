/** Reads the YAML of config maps. Errors name the config and carry Istio's message. */
import { parseYaml, YamlError } from "../yaml/mod.ts";
import { ConfigError } from "./config_error.ts";

export interface ReadYamlOptions {
  /** Names the config in errors, for example `injection config`. */
  readonly what: string;
  /** Wraps the YAML library's message in Istio's. */
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
      { original: original(error.original), cause: error },
    );
  }
}
