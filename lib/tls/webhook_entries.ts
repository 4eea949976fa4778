/**
 * Which webhooks of which configurations are ours: those of our revision (or of the name given), named
 * as injectors are, and calling a server that our certificate is for. The last is what keeps us from
 * another's: a caBundle of ours could only break what does not call us.
 */

import { isForName } from "../host/mod.ts";
import type { KubeObject } from "../kube/client.ts";
import { ENTRY_SUFFIX, REVISION_LABEL } from "../webhook/configuration.ts";

export interface WebhookSelection {
  /** What the label `istio.io/rev` must say; `default` for an installation without a revision. */
  readonly revision: string;
  /** A configuration without that label that is ours too, as Istio up to 1.5 had it. */
  readonly unlabelled?: string;
  /** Only that one, whatever its labels, and of it the webhook of exactly this name. */
  readonly only?: { readonly configuration: string; readonly webhook: string };
}

export interface OurEntry {
  readonly index: number;
  readonly name: string;
  /** PEM. */
  readonly caBundle: string;
  /** `clientConfig` without the bundle: `service` or `url`. */
  readonly server: Readonly<Record<string, unknown>>;
}

/** Istio's words for why a configuration was not patched. */
export type SkipReason = "wrong_revision" | "webhook_entry_not_found";

export type Judgement =
  | { readonly kind: "ours"; readonly entries: readonly OurEntry[] }
  | { readonly kind: "ignored" }
  | { readonly kind: "skipped"; readonly reason: SkipReason; readonly message: string };

export function judgeConfiguration(
  configuration: KubeObject,
  selection: WebhookSelection,
  /** PEM, our own certificate first. */
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
      const message = `${place} is of revision ${theirs}, ours is ${ours}`;
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
      "which is no name of our certificate";
  return { kind: "skipped", reason: "webhook_entry_not_found", message };
}

/** JSON patch: the bundles alone, and only where they are for the servers that we looked at. */
export function bundlePatch(entries: readonly OurEntry[], bundle: string): unknown[] {
  const value = new TextEncoder().encode(bundle).toBase64();
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
    caBundle: new TextDecoder().decode(Uint8Array.fromBase64(caBundle)),
    server: service === undefined ? { url } : { service },
  }));
}

interface ClientConfig {
  readonly caBundle?: string;
  readonly service?: { readonly name: string; readonly namespace: string };
  readonly url?: string;
}

/** The name that the API server looks for in the certificate. */
function serverName({ service, url }: ClientConfig): string {
  if (service !== undefined) return `${service.name}.${service.namespace}.svc`;
  return URL.parse(url ?? "")?.hostname.replace(/^\[|\]$/g, "") ?? "";
}
