/** The flags of `serve` that are about certificates and caBundles; see _serve_flags.ts. */

import type { Flag } from "../flags/mod.ts";

export const SERVE_TLS_FLAGS = [
  {
    name: "tls",
    type: "string",
    value: "WHERE",
    description: "where the certificate comes from: the files above, or a Secret of ours that is " +
      "made and renewed without help",
    choices: ["files", "auto"],
    default: "files",
    env: "OUTRIGGER_TLS",
  },
  {
    name: "tls-secret",
    type: "string",
    value: "NAME",
    description: "that Secret, and the Lease under which it is written",
    default: "outrigger-tls",
    env: "OUTRIGGER_TLS_SECRET",
  },
  {
    name: "service",
    type: "string",
    value: "NAME",
    description: "the Service that the API server calls, for which its certificate is",
    default: "outrigger",
    env: "OUTRIGGER_SERVICE",
  },
  {
    name: "tls-name",
    type: "list",
    value: "NAME",
    description: "another name or address it is for, as in the url of a webhook",
  },
  {
    name: "tls-cert-lifetime",
    type: "string",
    value: "TIME",
    description: "life of a certificate; with a third left it is renewed",
    default: "2160h",
    env: "OUTRIGGER_TLS_CERT_LIFETIME",
  },
  {
    name: "tls-ca-lifetime",
    type: "string",
    value: "TIME",
    description: "life of its authority, at least three times as long",
    default: "8760h",
    env: "OUTRIGGER_TLS_CA_LIFETIME",
  },
  {
    name: "reconcileWebhookConfig",
    type: "boolean",
    description: "keep the caBundle of the webhook configurations of our revision; also with " +
      "--tls auto, or where --caCertFile or a name below is given",
    default: false,
  },
  {
    name: "webhookConfigName",
    type: "string",
    value: "NAME",
    description: "keep that of this configuration instead, whatever its revision",
    default: "istio-sidecar-injector",
  },
  {
    name: "webhookName",
    type: "string",
    value: "NAME",
    description: "the webhook in it",
    default: "sidecar-injector.istio.io",
  },
] as const satisfies readonly Flag[];
