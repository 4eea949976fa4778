/**
 * Finds the webhooks whose caBundle we keep: those of our revision (or of a given name) that are named like
 * an injector's and call a server that our certificate is valid for. The last condition protects other
 * injectors, because our caBundle would break a webhook that does not call us.
 */

import { decodeBase64, encodeBase64 } from "../data/base64.ts";
import { isForName } from "../host/mod.ts";
import type { KubeObject } from "../kube/client.ts";
import { ENTRY_SUFFIX, REVISION_LABEL } from "../webhook/configuration.ts";

export interface WebhookSelection {
  /** The value of the label `istio.io/rev`; `default` for an installation without a revision. */
  readonly revision: string;
  /** The name of a configuration without that label that is also ours, as in Istio up to 1.5. */
  readonly unlabelled?: string;
  /** Selects only this configuration, whatever its labels, and in it only the webhook of this name. */
  readonly only?: { readonly configuration: string; readonly webhook: string };
}

export interface OurEntry {
  readonly index: number;
  readonly name: string;
  /** PEM. */
  readonly caBundle: string;
  /** `clientConfig` without its caBundle: `service` or `url`. */
  readonly server: Readonly<Record<string, unknown>>;
}

/** The reason why a configuration is not patched, as named in Istio's metrics. */
export type SkipReason = "wrong_revision" | "webhook_entry_not_found";

export type Judgement =
  | { readonly kind: "ours"; readonly entries: readonly OurEntry[] }
  | { readonly kind: "ignored" }
  | { readonly kind: "skipped"; readonly reason: SkipReason; readonly message: string };

/** Decides whether a configuration has webhooks of ours. */
export function judgeConfiguration(
  configuration: KubeObject,
  selection: WebhookSelection,
  /** The serving chain in PEM. */
  certificate: string,
): Judgement {
  const { only } = selection;
  const name = configuration.metadata.name ?? "";
  const place = `MutatingWebhookConfiguration ${JSON.stringify(name)}`;
  if (only === undefined) {
    const revision = revisionOf(configuration);
    if (revision === undefined && name !== selection.unlabelled) return { kind: "ignored" };
    if (revision !== undefined && revision !== selection.revision) {
      const [theirs, ours] = [revision, selection.revision].map((one) => JSON.stringify(one));
      const message = `${place} has revision ${theirs}, not ${ours}`;
      return { kind: "skipped", reason: "wrong_revision", message };
    }
  } else if (name !== only.configuration) {
    return { kind: "ignored" };
  }
  const isNamed = (entry: OurEntry) =>
    only === undefined ? entry.name.endsWith(ENTRY_SUFFIX) : entry.name === only.webhook;
  const named = entriesOf(configuration).filter(isNamed);
  const entries = named.filter(({ server }) => isForName(certificate, serverName(server)));
  if (entries.length > 0) return { kind: "ours", entries };
  const wanted = only === undefined ? `…${ENTRY_SUFFIX}` : only.webhook;
  const message = named.length === 0
    ? `${place} has no webhook named ${JSON.stringify(wanted)}`
    : `${place} calls ${JSON.stringify(serverName(named[0].server))}, ` +
      "which is not a name of our certificate";
  return { kind: "skipped", reason: "webhook_entry_not_found", message };
}

/** Returns a JSON patch of the caBundles, which fails if the webhooks have changed since. */
export function bundlePatch(entries: readonly OurEntry[], bundle: string): unknown[] {
  const value = encodeBase64(bundle);
  return entries.flatMap(({ index, name, server }) => [
    { op: "test", path: `/webhooks/${index}/name`, value: name },
    ...Object.entries(server).map(([key, value]) => (
      { op: "test", path: `/webhooks/${index}/clientConfig/${key}`, value }
    )),
    { op: "add", path: `/webhooks/${index}/clientConfig/caBundle`, value },
  ]);
}

function revisionOf({ metadata }: KubeObject): string | undefined {
  const labels = (metadata.labels ?? {}) as Record<string, string>;
  return Object.hasOwn(labels, REVISION_LABEL) ? labels[REVISION_LABEL] : undefined;
}

function entriesOf({ webhooks }: KubeObject): OurEntry[] {
  const list = (webhooks ?? []) as readonly { name: string; clientConfig: ClientConfig }[];
  return list.map(({ name, clientConfig: { caBundle = "", service, url } }, index) => ({
    index,
    name,
    caBundle: decodeBase64(caBundle),
    server: service === undefined ? { url } : { service },
  }));
}

interface ClientConfig {
  readonly caBundle?: string;
  readonly service?: { readonly name: string; readonly namespace: string };
  readonly url?: string;
}

/** Returns the name that the API server verifies in the certificate. */
function serverName({ service, url }: ClientConfig): string {
  if (service !== undefined) return `${service.name}.${service.namespace}.svc`;
  return URL.parse(url ?? "")?.hostname.replace(/^\[|\]$/g, "") ?? "";
}
