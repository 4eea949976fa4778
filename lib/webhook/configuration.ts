/**
 * What a MutatingWebhookConfiguration is to us: the fields that are written and read here, and the labels
 * and names by which Istio's tools and ours find those of an injector.
 */

import type { LabelSelectorSpec } from "../config/mod.ts";
import type { KubeObject } from "../kube/client.ts";

/** Every entry of an injector ends so; istiod and istioctl look for it. */
export const ENTRY_SUFFIX = "sidecar-injector.istio.io";

export const REVISION_LABEL = "istio.io/rev";
export const TAG_LABEL = "istio.io/tag";
/** What made the object. */
export const PRODUCT_LABEL = "app.kubernetes.io/name";
export const PRODUCT = "outrigger";
export const INJECTION_LABEL = "istio-injection";
export const INJECT_LABEL = "sidecar.istio.io/inject";
/** Put on every namespace by the API server, from 1.21 on. */
export const NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

/** The name that the revision without a name goes by, and the tag that stands for it. */
export const DEFAULT_REVISION = "default";

/** Where Istio lives; names that do not say where their injector lives mean this. */
export const ISTIO_NAMESPACE = "istio-system";

export interface WebhookService {
  readonly name: string;
  readonly namespace: string;
  readonly path?: string;
  readonly port?: number;
}

/** Where the API server sends reviews, and whom it trusts there. */
export interface WebhookClientConfig {
  readonly service?: WebhookService;
  readonly url?: string;
  /** Base64 of PEM. */
  readonly caBundle?: string;
}

export interface MatchCondition {
  readonly name: string;
  /** In CEL. */
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

/** `istio-sidecar-injector`, `-canary` for a revision, and where it lives unless that is Istio's place. */
export function configurationName(
  base: "istio-sidecar-injector" | "istio-revision-tag",
  { qualifier, namespace }: { readonly qualifier: string; readonly namespace: string },
): string {
  const place = namespace === ISTIO_NAMESPACE ? "" : namespace;
  return [base, qualifier, place].filter((part) => part !== "").join("-");
}

/** The entries that an injector answers to. */
export function injectorEntries({ webhooks = [] }: WebhookConfiguration): readonly WebhookEntry[] {
  return webhooks.filter(({ name }) => name.endsWith(ENTRY_SUFFIX));
}
