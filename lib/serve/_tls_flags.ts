/** The flags of `serve` for certificates and caBundles. */

import type { Flag } from "../flags/mod.ts";

export const SERVE_TLS_FLAGS = [
  {
    name: "tls",
    type: "string",
    value: "SOURCE",
    description:
      "source of the certificate: the files above, or a Secret that the injector creates and " +
      "renews automatically",
    choices: ["files", "auto"],
    default: "files",
    env: "OUTRIGGER_TLS",
  },
  {
    name: "tls-secret",
    type: "string",
    value: "NAME",
    description: "name of that Secret, and of the Lease that guards it",
    default: "outrigger-tls",
    env: "OUTRIGGER_TLS_SECRET",
  },
  {
    name: "service",
    type: "string",
    value: "NAME",
    description: "name of the Service that the API server calls; the certificate is issued for it",
    default: "outrigger",
    env: "OUTRIGGER_SERVICE",
  },
  {
    name: "tls-name",
    type: "list",
    value: "NAME",
    description:
      "additional DNS name or IP address for the certificate, as in the url of a webhook",
  },
  {
    name: "tls-cert-lifetime",
    type: "string",
    value: "TIME",
    description: "lifetime of the certificate; renewed when a third of it is left",
    default: "2160h",
    env: "OUTRIGGER_TLS_CERT_LIFETIME",
  },
  {
    name: "tls-ca-lifetime",
    type: "string",
    value: "TIME",
    description: "lifetime of the CA; at least three times that of the certificate",
    default: "8760h",
    env: "OUTRIGGER_TLS_CA_LIFETIME",
  },
  {
    name: "reconcileWebhookConfig",
    type: "boolean",
    description:
      "keep the caBundle of our revision's webhook configurations up to date; implied by " +
      "--tls auto, --caCertFile and the two flags below",
    default: false,
  },
  {
    name: "webhookConfigName",
    type: "string",
    value: "NAME",
    description: "webhook configuration to keep up to date instead, regardless of its revision",
    default: "istio-sidecar-injector",
  },
  {
    name: "webhookName",
    type: "string",
    value: "NAME",
    description: "name of the webhook in that configuration",
    default: "sidecar-injector.istio.io",
  },
] as const satisfies readonly Flag[];
