/** What `serve` does about certificates and caBundles, by its flags. */

import { type Args, durationFlag, UsageError } from "../flags/mod.ts";
import type { SERVE_TLS_FLAGS } from "./_tls_flags.ts";
import { serviceNames } from "../tls/authority.ts";
import type { WebhookSelection } from "../tls/mod.ts";
import { DEFAULT_REVISION } from "../webhook/configuration.ts";

export interface ServeTlsSettings {
  readonly source: "files" | "auto" | "dev";
  readonly secret: string;
  /** Of the certificate that we make. */
  readonly names: readonly string[];
  readonly certificateLifetimeMs: number;
  readonly authorityLifetimeMs: number;
  /** Whose caBundle is kept; absent where nobody's is. */
  readonly selection?: WebhookSelection;
  /** The authorities, where the certificate is of files. */
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

/** Throws a UsageError for what makes no sense together. */
export function readTlsSettings({ flags, sources }: TlsArgs, other: OtherFlags): ServeTlsSettings {
  const source = other.isDev && sources.tls === "default" ? "dev" : flags.tls;
  const duration = (name: "tls-cert-lifetime" | "tls-ca-lifetime") =>
    durationFlag({ command: "serve", name }, flags[name]);
  const certificateLifetimeMs = duration("tls-cert-lifetime");
  const authorityLifetimeMs = duration("tls-ca-lifetime");
  if (certificateLifetimeMs === 0 || authorityLifetimeMs < 3 * certificateLifetimeMs) {
    // The authority is replaced with a third of its life left, and must outlast what it signed.
    throw misuse(
      `Flag "--tls-ca-lifetime" expects at least three times --tls-cert-lifetime, ` +
        `got ${flags["tls-ca-lifetime"]} and ${flags["tls-cert-lifetime"]}.`,
    );
  }
  if (source === "auto" && other.clientCaFile !== undefined) {
    throw misuse(`Flag "--clientCAFile" goes with --tls files alone.`);
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

/** The name of the configuration that Istio 1.1 to 1.4 had, without a revision. */
const CLASSIC_CONFIGURATION = "istio-sidecar-injector";

function selectionOf(
  { flags, sources }: TlsArgs,
  { source, revision, caCertFile }: OtherFlags & { readonly source: ServeTlsSettings["source"] },
): WebhookSelection | undefined {
  if (source === "dev") return undefined;
  const isGiven = (name: keyof typeof sources) => sources[name] !== "default";
  // Who says no means no, whatever else is said.
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
