/** Why an injection failed: Istio's own words in `message`, since users search for them. */

export type InjectionErrorCode =
  | "invalid_annotation"
  | "unknown_template"
  | "template"
  | "overlay"
  | "structure"
  | "bad_overrides"
  | "bad_pod"
  | "prometheus"
  | "proxy_config"
  | "too_large"
  | "too_slow";

export class InjectionError extends Error {
  override name = "InjectionError";
  readonly code: InjectionErrorCode;
  constructor(code: InjectionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** The same error with the stage it came from in front. */
  within(prefix: string): InjectionError {
    return new InjectionError(this.code, prefix + this.message, { cause: this });
  }
}
