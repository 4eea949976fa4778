/** The certificate and caBundle settings of `serve`. */

import { type Args, durationFlag, UsageError } from "../flags/mod.ts";
import type { SERVE_TLS_FLAGS } from "./_tls_flags.ts";
import { serviceNames } from "../tls/authority.ts";
import type { WebhookSelection } from "../tls/mod.ts";
import { DEFAULT_REVISION } from "../webhook/configuration.ts";

export interface ServeTlsSettings {
  readonly source: "files" | "auto" | "dev";
  readonly secret: string;
  /** The names in the certificate that we issue. */
  readonly names: readonly string[];
  readonly certificateLifetimeMs: number;
  readonly authorityLifetimeMs: number;
  /** The webhooks whose caBundle to keep up to date. Absent means none. */
  readonly selection?: WebhookSelection;
  /** The file with the CA certificates, if the certificate comes from files. */
  readonly caCertFile: string;
}

type TlsArgs = Pick<Args<typeof SERVE_TLS_FLAGS>, "flags" | "sources">;

export interface OtherFlags {
  readonly isDev: boolean;
  readonly namespace: string;
  readonly revision: string;
  readonly clientCaFile: string | undefined;
  readonly caCertFile: { readonly path: string; readonly isGiven: boolean };
}

/** Reads the settings; throws a UsageError for flags that conflict. */
export function readTlsSettings({ flags, sources }: TlsArgs, other: OtherFlags): ServeTlsSettings {
  const source = other.isDev && sources.tls === "default" ? "dev" : flags.tls;
  const duration = (name: "tls-cert-lifetime" | "tls-ca-lifetime") =>
    durationFlag({ command: "serve", name }, flags[name]);
  const certificateLifetimeMs = duration("tls-cert-lifetime");
  const authorityLifetimeMs = duration("tls-ca-lifetime");
  if (certificateLifetimeMs === 0 || authorityLifetimeMs < 3 * certificateLifetimeMs) {
    // The CA is replaced when a third of its lifetime is left, and must outlast the certificates it signed.
    throw misuse(
      `Flag "--tls-ca-lifetime" expects at least three times --tls-cert-lifetime, ` +
        `got ${flags["tls-ca-lifetime"]} and ${flags["tls-cert-lifetime"]}.`,
    );
  }
  if (source === "auto" && other.clientCaFile !== undefined) {
    throw misuse(`Flag "--clientCAFile" requires --tls files.`);
  }
  const selection = selectionOf({ flags, sources }, { ...other, source });
  return {
    source,
    secret: flags["tls-secret"],
    names: [...serviceNames(flags.service, other.namespace), ...flags["tls-name"]],
    certificateLifetimeMs,
    authorityLifetimeMs,
    ...(selection === undefined ? {} : { selection }),
    caCertFile: other.caCertFile.path,
  };
}

/** The name of the configuration in Istio 1.1 to 1.4, which has no revision label. */
const CLASSIC_CONFIGURATION = "istio-sidecar-injector";

function selectionOf(
  { flags, sources }: TlsArgs,
  { source, revision, caCertFile }: OtherFlags & { readonly source: ServeTlsSettings["source"] },
): WebhookSelection | undefined {
  if (source === "dev") return undefined;
  const isGiven = (name: keyof typeof sources) => sources[name] !== "default";
  // An explicit "no" overrides all other flags.
  if (isGiven("reconcileWebhookConfig") && !flags.reconcileWebhookConfig) return undefined;
  const ours = revision || DEFAULT_REVISION;
  if (isGiven("webhookConfigName") || isGiven("webhookName")) {
    const only = { configuration: flags.webhookConfigName, webhook: flags.webhookName };
    return { revision: ours, only };
  }
  if (source === "auto") return { revision: ours };
  if (!flags.reconcileWebhookConfig && !caCertFile.isGiven) return undefined;
  return { revision: ours, unlabelled: CLASSIC_CONFIGURATION };
}

function misuse(what: string): UsageError {
  return new UsageError(`${what} Run "outrigger help serve"`);
}
