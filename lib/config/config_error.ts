/**
 * The error type of this folder, for an invalid injection config, values, mesh config, proxy config or
 * label selector. `message` is for operators; `original` is Istio's own message, which users search for and
 * which denied pods carry.
 */

export type ConfigErrorCode =
  /** The text is not valid YAML. */
  | "bad_yaml"
  /** A key has a value of the wrong type. */
  | "bad_type"
  /** All types are correct, but a value is invalid. */
  | "invalid_value";

export interface ConfigErrorOptions extends ErrorOptions {
  readonly original: string;
}

export class ConfigError extends Error {
  override name = "ConfigError";
  readonly code: ConfigErrorCode;
  /** Istio's full message. */
  readonly original: string;

  constructor(code: ConfigErrorCode, message: string, options: ConfigErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.original = options.original;
  }
}
