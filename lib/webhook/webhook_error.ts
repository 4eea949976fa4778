/** Errors of generating webhook configurations and of setting and removing tags. */

export type WebhookErrorCode =
  /** A revision, tag, namespace, URL or number that Kubernetes would reject. */
  | "invalid_option"
  | "tag_exists"
  | "revision_of_that_name"
  | "no_revision"
  | "several_of_revision"
  | "no_injector_entry"
  | "no_tag"
  | "tag_in_use"
  | "overlap"
  /** Manifests with no place for a caBundle, or in a style in which it cannot be filled in. */
  | "nothing_to_fill"
  | "unfillable";

export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
