/**
 * What this folder throws: a text that is no injection config, values, mesh config, proxy config or
 * label selector. `message` is for people who run the injector; `original` is what Istio says to the
 * same text, since its users search for that, and since refused pods carry it.
 */

export type ConfigErrorCode =
  /** The text is no YAML. */
  | "bad_yaml"
  /** A key holds a value of a type that it cannot take. */
  | "bad_type"
  /** All types are right, but a value makes no sense. */
  | "invalid_value";

export interface ConfigErrorOptions extends ErrorOptions {
  readonly original: string;
}

export class ConfigError extends Error {
  override name = "ConfigError";
  readonly code: ConfigErrorCode;
  /** Istio's own words, whole. */
  readonly original: string;

  constructor(code: ConfigErrorCode, message: string, options: ConfigErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.original = options.original;
  }
}
