/**
 * The running server's certificates. Commands import `authority.ts` and `signing_request.ts`, so that
 * they do not load the rest.
 */

export { type CaBundleListener, type CaBundleUpkeep, keepCaBundle } from "./ca_bundle.ts";
export { openCaFile } from "./ca_file.ts";
export { createDevCertificate } from "./dev_certificate.ts";
export { openCertificateFiles } from "./files.ts";
export { openCertificateSecret } from "./secret.ts";
export type { ServingCertificate, ServingListener } from "./serving.ts";
export type { WebhookSelection } from "./webhook_entries.ts";
