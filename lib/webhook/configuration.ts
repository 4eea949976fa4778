/**
 * MutatingWebhookConfigurations: the fields that this program reads and writes, and the labels and names by
 * which Istio's tools and ours recognize those of an injector.
 */

import type { LabelSelectorSpec } from "../config/mod.ts";
import type { KubeObject } from "../kube/client.ts";
import { ISTIO_NAMESPACE } from "../kube/installation.ts";

/** The suffix of the names of an injector's webhooks, by which istiod and istioctl find them. */
export const ENTRY_SUFFIX = "sidecar-injector.istio.io";

export const REVISION_LABEL = "istio.io/rev";
export const TAG_LABEL = "istio.io/tag";
/** The label that names the program that created the object. */
export const PRODUCT_LABEL = "app.kubernetes.io/name";
export const PRODUCT = "outrigger";
export const INJECTION_LABEL = "istio-injection";
export const INJECT_LABEL = "sidecar.istio.io/inject";
/** Set on every namespace by the API server since 1.21. */
export const NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

/** The name of the unnamed revision, and the tag for it. */
export const DEFAULT_REVISION = "default";

export interface WebhookService {
  readonly name: string;
  readonly namespace: string;
  readonly path?: string;
  readonly port?: number;
}

/** How the API server connects to the webhook, and the CAs it trusts. */
export interface WebhookClientConfig {
  readonly service?: WebhookService;
  readonly url?: string;
  /** PEM in base64. */
  readonly caBundle?: string;
}

export interface MatchCondition {
  readonly name: string;
  /** A CEL expression. */
  readonly expression: string;
}

export type FailurePolicy = "Fail" | "Ignore";
export type ReinvocationPolicy = "Never" | "IfNeeded";

export interface WebhookEntry {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
  readonly matchConditions?: readonly MatchCondition[];
  readonly failurePolicy?: FailurePolicy;
  readonly reinvocationPolicy?: ReinvocationPolicy;
  readonly timeoutSeconds?: number;
  readonly [field: string]: unknown;
}

export interface WebhookConfiguration extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly webhooks?: readonly WebhookEntry[];
}

/** Returns `BASE[-QUALIFIER][-NAMESPACE]`; the namespace is omitted if it is Istio's. */
export function configurationName(
  base: "istio-sidecar-injector" | "istio-revision-tag",
  { qualifier, namespace }: { readonly qualifier: string; readonly namespace: string },
): string {
  const place = namespace === ISTIO_NAMESPACE ? "" : namespace;
  return [base, qualifier, place].filter((part) => part !== "").join("-");
}

/** Returns the webhooks of a configuration that call an injector, judging by their names. */
export function injectorEntries<Entry extends { readonly name?: string }>(
  { webhooks = [] }: { readonly webhooks?: readonly Entry[] },
): readonly Entry[] {
  return webhooks.filter(({ name }) => name?.endsWith(ENTRY_SUFFIX));
}
