/**
 * Generates the MutatingWebhookConfiguration of a revision or a tag.
 *
 * The webhooks select pods as in Istio's charts, with three differences. The injector's own namespace and
 * kube-system are excluded, so that their pods never wait for the injector. Mirror pods are excluded,
 * because the kubelet runs them whatever the API server says. The timeout is short.
 */

import type { LabelSelectorRequirement, LabelSelectorSpec } from "../config/mod.ts";
import { encodeBase64 } from "../data/base64.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS } from "../kube/resources.ts";
import {
  configurationName,
  DEFAULT_REVISION,
  ENTRY_SUFFIX,
  type FailurePolicy,
  INJECT_LABEL,
  INJECTION_LABEL,
  type MatchCondition,
  NAMESPACE_NAME_LABEL,
  PRODUCT,
  PRODUCT_LABEL,
  type ReinvocationPolicy,
  REVISION_LABEL,
  TAG_LABEL,
  type WebhookClientConfig,
  type WebhookConfiguration,
  type WebhookEntry,
} from "./configuration.ts";
import { WebhookError } from "./webhook_error.ts";

export interface GenerateOptions {
  /** "" and `default` mean the default revision, which `istio-injection: enabled` also selects. */
  readonly revision?: string;
  /** Generates the configuration of this tag for the revision, instead of the revision's own. */
  readonly tag?: string;
  /** The namespace that the injector runs in. */
  readonly namespace?: string;
  /** The name of its Service; defaults to `outrigger`, or `outrigger-REVISION`. */
  readonly service?: string;
  readonly port?: number;
  readonly path?: string;
  /** The webhook's URL, instead of a Service. */
  readonly url?: string;
  /** PEM of the CAs that may have signed the injector's certificate. */
  readonly ca?: string;
  /** Also selects pods in namespaces without any injection label; applies to the default revision only. */
  readonly auto?: boolean;
  readonly failurePolicy?: FailurePolicy;
  readonly reinvocationPolicy?: ReinvocationPolicy;
  readonly timeoutSeconds?: number;
  /** Kubernetes before 1.28 does not support matchConditions. */
  readonly matchConditions?: boolean;
}

export const NAMESPACE = "outrigger-system";
export const SERVICE = "outrigger";
const PATH = "/inject";
const PORT = 443;

/**
 * A response takes milliseconds. If it takes longer, the replica is gone but its endpoint is not. The pod's
 * creator then retries, and with a short timeout reaches another replica sooner.
 */
export const TIMEOUT_SECONDS = 5;

/** The API server's limit. */
const MAX_TIMEOUT_SECONDS = 30;

/** Namespaces that are always excluded, because a wrong label there would affect the cluster itself. */
export const NEVER: readonly string[] = ["kube-system"];
/** Istio's list for `auto.`. */
const NEVER_AUTO = ["kube-system", "kube-public", "kube-node-lease", "local-path-storage"];

const MATCH_CONDITIONS: readonly MatchCondition[] = [{
  name: "not-a-mirror-pod",
  expression: "!has(object.metadata.annotations) || " +
    "!('kubernetes.io/config.mirror' in object.metadata.annotations)",
}];

/**
 * Returns the configuration. Throws a {@link WebhookError} for invalid options.
 *
 * @example
 * ```ts
 * generateWebhook({ revision: "canary" }).metadata.name; // istio-sidecar-injector-canary-outrigger-system
 * ```
 */
export function generateWebhook(options: GenerateOptions = {}): WebhookConfiguration {
  const { tag = "", namespace = NAMESPACE } = options;
  const revision = options.revision === DEFAULT_REVISION ? "" : options.revision ?? "";
  for (const [what, name] of Object.entries({ revision, tag, namespace })) {
    if (name !== "") checkName(what, name);
  }
  const called = tag || revision || DEFAULT_REVISION;
  return {
    apiVersion: MUTATING_WEBHOOK_CONFIGURATIONS.apiVersion,
    kind: MUTATING_WEBHOOK_CONFIGURATIONS.kind,
    metadata: {
      name: tag === ""
        ? configurationName("istio-sidecar-injector", { qualifier: revision, namespace })
        : configurationName("istio-revision-tag", { qualifier: tag, namespace }),
      labels: {
        app: "sidecar-injector",
        [PRODUCT_LABEL]: PRODUCT,
        [REVISION_LABEL]: revision || DEFAULT_REVISION,
        ...(tag === "" ? {} : { [TAG_LABEL]: tag }),
      },
    },
    webhooks: entriesFor(called, {
      auto: options.auto ?? false,
      never: namespace === "" ? NEVER : [...NEVER, namespace],
      common: {
        clientConfig: clientConfig(options, { revision, namespace }),
        failurePolicy: options.failurePolicy ?? "Fail",
        reinvocationPolicy: options.reinvocationPolicy ?? "Never",
        timeoutSeconds: timeout(options.timeoutSeconds ?? TIMEOUT_SECONDS),
        ...(options.matchConditions ?? true ? { matchConditions: MATCH_CONDITIONS } : {}),
      },
    }),
  };
}

/** The fields that all webhooks of one configuration share. */
export type CommonFields =
  & Pick<WebhookEntry, "clientConfig">
  & Partial<
    Pick<
      WebhookEntry,
      "failurePolicy" | "reinvocationPolicy" | "timeoutSeconds" | "matchConditions"
    >
  >;

export interface EntriesOptions {
  readonly auto: boolean;
  /** Excluded namespaces. */
  readonly never: readonly string[];
  readonly common: CommonFields;
}

/**
 * Returns the webhooks for a revision or tag. No two of them select the same pod. Those of `default` also
 * select namespaces and pods that name no revision.
 */
export function entriesFor(
  called: string,
  { auto, never, common }: EntriesOptions,
): readonly WebhookEntry[] {
  const entry = (
    prefix: string,
    namespaces: readonly LabelSelectorRequirement[],
    pods: readonly LabelSelectorRequirement[],
    names = never,
  ): WebhookEntry => ({
    name: `${prefix}.${ENTRY_SUFFIX}`,
    rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...common,
    namespaceSelector: all(namespaces, names),
    objectSelector: { matchExpressions: pods },
  });
  const isCalled = { key: REVISION_LABEL, operator: "In", values: [called] };
  const noRevision = { key: REVISION_LABEL, operator: "DoesNotExist" };
  const noInjection = { key: INJECTION_LABEL, operator: "DoesNotExist" };
  const notFalse = { key: INJECT_LABEL, operator: "NotIn", values: ["false"] };
  const ofRevision = [
    entry("rev.namespace", [isCalled, noInjection], [notFalse]),
    entry("rev.object", [noRevision, noInjection], [notFalse, isCalled]),
  ];
  if (called !== DEFAULT_REVISION) return ofRevision;
  const enabled = { key: INJECTION_LABEL, operator: "In", values: ["enabled"] };
  const isTrue = { key: INJECT_LABEL, operator: "In", values: ["true"] };
  const noInject = { key: INJECT_LABEL, operator: "DoesNotExist" };
  return [
    ...ofRevision,
    entry("namespace", [enabled], [notFalse]),
    entry("object", [noInjection, noRevision], [isTrue, noRevision]),
    ...(auto
      ? [entry("auto", [noInjection, noRevision], [noInject, noRevision], [
        ...new Set([...NEVER_AUTO, ...never]),
      ])]
      : []),
  ];
}

function all(
  expressions: readonly LabelSelectorRequirement[],
  never: readonly string[],
): LabelSelectorSpec {
  if (never.length === 0) return { matchExpressions: expressions };
  const elsewhere = { key: NAMESPACE_NAME_LABEL, operator: "NotIn", values: never };
  return { matchExpressions: [...expressions, elsewhere] };
}

function clientConfig(
  { url, service, port = PORT, path = PATH, ca }: GenerateOptions,
  { revision, namespace }: { readonly revision: string; readonly namespace: string },
): WebhookClientConfig {
  const trust = ca === undefined ? {} : { caBundle: encodeBase64(checkPem(ca)) };
  if (url !== undefined) return { url: checkUrl(url), ...trust };
  checkName("namespace", namespace);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw invalid("port", `must be between 1 and 65535, got ${port}`);
  }
  if (!path.startsWith("/")) {
    throw invalid("path", `must start with /, got ${JSON.stringify(path)}`);
  }
  const name = service ?? (revision === "" ? SERVICE : `${SERVICE}-${revision}`);
  return { service: { name, namespace, path, port }, ...trust };
}

function checkPem(text: string): string {
  if (/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.test(text)) return text;
  throw invalid("CA", "must be PEM with at least one CERTIFICATE block");
}

function checkUrl(text: string): string {
  const wrong = (what: string) => invalid("URL", `must ${what}, got ${JSON.stringify(text)}`);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wrong("have the form https://HOST:PORT/inject");
  }
  if (url.protocol !== "https:") throw wrong("use https, as the API server requires");
  if (url.username || url.password || url.search || url.hash) {
    throw wrong("not contain a user, query or fragment");
  }
  return text;
}

/** Throws a WebhookError unless a name is a DNS label, because it is used in object names and labels. */
export function checkName(what: string, name: string): void {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return;
  throw invalid(
    what,
    "must be a DNS label (at most 63 lowercase letters, digits or '-', starting and ending with a " +
      `letter or digit), got ${JSON.stringify(name)}`,
  );
}

function timeout(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  throw invalid(
    "timeout",
    `must be a whole number of seconds between 1 and ${MAX_TIMEOUT_SECONDS}, got ${seconds}`,
  );
}

function invalid(what: string, reason: string): WebhookError {
  return new WebhookError("invalid_option", `Invalid ${what}: ${reason}`);
}
