/** What other rooms may use of lib/tls. */

export { createAuthority, issueCertificate, serviceNames } from "./authority.ts";
export { type CaBundleListener, type CaBundleUpkeep, keepCaBundle } from "./ca_bundle.ts";
export { openCaFile } from "./ca_file.ts";
export { createDevCertificate } from "./dev_certificate.ts";
export { openCertificateFiles } from "./files.ts";
export { openCertificateSecret } from "./secret.ts";
export type { ServingCertificate, ServingListener } from "./serving.ts";
export { KUBELET_SIGNER, requestCertificate } from "./signing_request.ts";
export type { WebhookSelection } from "./webhook_entries.ts";
