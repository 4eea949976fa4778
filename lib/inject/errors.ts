/** Errors of an injection. `message` is Istio's own message, which users search for. */

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

  /** Returns the same error prefixed with its stage. */
  within(prefix: string): InjectionError {
    return new InjectionError(this.code, prefix + this.message, { cause: this });
  }
}
