/**
 * The MutatingWebhookConfiguration of a revision or a tag. Options in, an object for the API server out.
 *
 * Which pods each entry calls for is as in Istio's charts. Beyond those: the injector's own namespace and
 * kube-system are never asked about, so that neither waits for the injector to run; mirror pods, which the
 * kubelet runs whatever the API server says, are not either; and a call that hangs is given up early.
 */

import type { LabelSelectorRequirement, LabelSelectorSpec } from "../config/mod.ts";
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
  /** "" and `default` are the installation's own, which `istio-injection: enabled` calls for too. */
  readonly revision?: string;
  /** Makes the configuration of this other name for the revision, instead of the revision's. */
  readonly tag?: string;
  /** Where the injector runs. */
  readonly namespace?: string;
  /** Of its Service; `outrigger`, or `outrigger-REVISION`. */
  readonly service?: string;
  readonly port?: number;
  readonly path?: string;
  /** Instead of the Service. */
  readonly url?: string;
  /** PEM of the authorities that its certificate may come from. */
  readonly ca?: string;
  /** Calls for the pods of namespaces without any label too; the default revision's only. */
  readonly auto?: boolean;
  readonly failurePolicy?: FailurePolicy;
  readonly reinvocationPolicy?: ReinvocationPolicy;
  readonly timeoutSeconds?: number;
  /** API servers before 1.28 know none. */
  readonly matchConditions?: boolean;
}

export const NAMESPACE = "outrigger-system";
export const SERVICE = "outrigger";
const PATH = "/inject";
const PORT = 443;

/**
 * Answers take milliseconds. What takes longer is a replica that is gone and whose address is still handed
 * out: whoever creates the pod tries again, and the sooner, the sooner another replica answers.
 */
export const TIMEOUT_SECONDS = 5;

/** As the API server has them. */
const MAX_TIMEOUT_SECONDS = 30;

/** Where the cluster's own pods live; of these only kube-system can be labelled by mistake to any harm. */
export const NEVER: readonly string[] = ["kube-system"];
/** Istio's list for `auto.`. */
const NEVER_AUTO = ["kube-system", "kube-public", "kube-node-lease", "local-path-storage"];

export const MATCH_CONDITIONS: readonly MatchCondition[] = [{
  name: "not-a-mirror-pod",
  expression: "!has(object.metadata.annotations) || " +
    "!('kubernetes.io/config.mirror' in object.metadata.annotations)",
}];

/**
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

/** What the entries of a configuration have alike, beside what all of them have everywhere. */
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
  /** Namespaces that are never asked about. */
  readonly never: readonly string[];
  readonly common: CommonFields;
}

/**
 * The entries that call for the pods of a revision or tag. No two of them call for the same pod; those of
 * `default` are also for namespaces and pods that name no revision.
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
  const trust = ca === undefined
    ? {}
    : { caBundle: new TextEncoder().encode(checkPem(ca)).toBase64() };
  if (url !== undefined) return { url: checkUrl(url), ...trust };
  checkName("namespace", namespace);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw invalid("port", `wanted one from 1 to 65535, got ${port}`);
  }
  if (!path.startsWith("/")) throw invalid("path", `wanted one that begins with /, got "${path}"`);
  const name = service ?? (revision === "" ? SERVICE : `${SERVICE}-${revision}`);
  return { service: { name, namespace, path, port }, ...trust };
}

function checkPem(text: string): string {
  if (/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.test(text)) return text;
  throw invalid("certificate authority", "wanted PEM with a CERTIFICATE, and there is none");
}

function checkUrl(text: string): string {
  const wanted = (what: string) => invalid("url", `wanted ${what}, got ${JSON.stringify(text)}`);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wanted("one like https://HOST:PORT/inject");
  }
  if (url.protocol !== "https:") throw wanted("https, since the API server speaks nothing else");
  if (url.username || url.password || url.search || url.hash) {
    throw wanted("one without user, query and fragment, as the API server does");
  }
  return text;
}

/** A DNS label: it becomes part of object names, and is the value of labels. Throws a WebhookError. */
export function checkName(what: string, name: string): void {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return;
  const wanted = "a DNS label (up to 63 of a-z, 0-9 and -, which neither begins nor ends it)";
  throw invalid(what, `wanted ${wanted}, got ${JSON.stringify(name)}`);
}

function timeout(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  throw invalid("timeout", `wanted whole seconds from 1 to ${MAX_TIMEOUT_SECONDS}, got ${seconds}`);
}

function invalid(what: string, reason: string): WebhookError {
  return new WebhookError("invalid_option", `Cannot use this ${what}: ${reason}`);
}
