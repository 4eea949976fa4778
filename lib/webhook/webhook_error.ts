/** Why a configuration cannot be made, or a tag not set or removed. */

export type WebhookErrorCode =
  /** A revision, tag, namespace, URL or number that Kubernetes would refuse. */
  | "invalid_option"
  | "tag_exists"
  | "revision_of_that_name"
  | "no_revision"
  | "several_of_revision"
  | "no_injector_entry"
  | "no_tag"
  | "tag_in_use"
  | "overlap"
  /** A text without a place for a caBundle, or with one that cannot be filled in as it is written. */
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
