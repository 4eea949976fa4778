/**
 * Revision tags, as in `istioctl tag`: an alias for a revision that namespaces and pods can use instead. A
 * tag is a MutatingWebhookConfiguration of its own that calls the same injector.
 *
 * The functions are pure: the state of the cluster in, the objects to write or delete out. Messages are
 * istioctl's where it has one.
 */

import { compareStrings } from "../data/bytes.ts";
import { isMap } from "../data/map.ts";
import { overlapsOf } from "./overlaps.ts";
import {
  configurationName,
  DEFAULT_REVISION,
  injectorEntries,
  NAMESPACE_NAME_LABEL,
  PRODUCT,
  PRODUCT_LABEL,
  REVISION_LABEL,
  TAG_LABEL,
  type WebhookConfiguration,
  type WebhookEntry,
} from "./configuration.ts";
import { checkName, type CommonFields, entriesFor, NEVER } from "./generate.ts";
import { WebhookError } from "./webhook_error.ts";
import { ISTIO_NAMESPACE } from "../kube/installation.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS } from "../kube/resources.ts";

export interface TagRequest {
  readonly tag: string;
  readonly revision: string;
  /** The namespace of the control plane, if several have the revision. */
  readonly istioNamespace?: string;
  /** The name of the configuration; derived from the tag by default. */
  readonly webhookName?: string;
  /** Also selects pods in namespaces without any injection label. */
  readonly autoInjectNamespaces?: boolean;
  /** Allows to change an existing tag. */
  readonly overwrite?: boolean;
  /** Proceeds even if pods would be injected twice. */
  readonly skipConfirmation?: boolean;
  /** The result is only printed, so conflicts with the cluster do not matter. */
  readonly isPrinted?: boolean;
}

export interface TagPlan {
  /** The configuration to write. */
  readonly configuration: WebhookConfiguration;
  /** The previous default configuration, deactivated; to be written afterwards. */
  readonly deactivated?: WebhookConfiguration;
}

/** A selector that matches nothing, which disables a webhook but keeps it. */
const NEVER_MATCH = { matchLabels: { "istio.io/deactivated": "never-match" } };

/** The prefix of an installer's labels, which do not apply to a tag. */
const OPERATOR = "operator.istio.io";
/** An annotation that must not be copied to another object. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Returns the objects to write to set a tag. Throws a WebhookError. */
export function planTag(
  existing: readonly WebhookConfiguration[],
  request: TagRequest,
): TagPlan {
  const { tag, revision, overwrite = false, isPrinted = false } = request;
  for (const [what, name] of Object.entries({ tag, revision })) checkName(what, name);
  if (
    !isPrinted && !overwrite && tag !== DEFAULT_REVISION && ofRevision(existing, tag).length > 0
  ) {
    throw new WebhookError(
      "revision_of_that_name",
      `cannot create revision tag ${quoted(tag)}: ` +
        "found existing control plane revision with same name",
    );
  }
  const canonical = canonicalOf(existing, request);
  if (!overwrite && ofTag(existing, tag).length > 0) {
    throw new WebhookError(
      "tag_exists",
      `revision tag ${quoted(tag)} already exists, and --overwrite is false`,
    );
  }
  const [before] = ofTag(existing, tag);
  const configuration = tagConfiguration(canonical, {
    // An existing tag keeps its name, so that there is never a moment with none or two of them.
    ...(before === undefined ? {} : { webhookName: before.metadata.name }),
    ...request,
  });
  const deactivated = tag === DEFAULT_REVISION && !isPrinted ? deactivate(existing) : undefined;
  const others = existing
    .map((one) => one.metadata.name === deactivated?.metadata.name ? deactivated : one)
    .filter(({ metadata }) => metadata.name !== configuration.metadata.name);
  const overlaps = overlapsOf(configuration, others);
  if (overlaps.length > 0 && !request.skipConfirmation && !isPrinted) {
    throw new WebhookError(
      "overlap",
      `creating tag would conflict, pass --skip-confirmation to proceed:\n${overlaps.join("\n")}`,
    );
  }
  return { configuration, ...(deactivated === undefined ? {} : { deactivated }) };
}

/** Returns the configuration that the installation of the revision created. */
function canonicalOf(
  existing: readonly WebhookConfiguration[],
  { revision, istioNamespace }: TagRequest,
): WebhookConfiguration {
  const all = ofRevision(existing, revision);
  const found = istioNamespace === undefined || all.length < 2
    ? all
    : all.filter((one) => namespaceOf(one) === istioNamespace);
  if (found.length === 0) {
    throw new WebhookError(
      "no_revision",
      "cannot modify tag: cannot find MutatingWebhookConfiguration or Service " +
        `with revision ${quoted(revision)}`,
    );
  }
  if (found.length > 1) {
    const names = found.map(({ metadata }) => metadata.name).sort(compareStrings).join(", ");
    throw new WebhookError(
      "several_of_revision",
      "cannot modify tag: found multiple canonical webhooks or services " +
        `with revision ${quoted(revision)}: ${names}; select one with --istioNamespace`,
    );
  }
  return found[0];
}

function tagConfiguration(
  canonical: WebhookConfiguration,
  request: TagRequest,
): WebhookConfiguration {
  const { tag } = request;
  const [entry] = injectorEntries(canonical);
  if (entry === undefined) {
    throw new WebhookError(
      "no_injector_entry",
      "failed to create tag webhook config: could not find sidecar-injector webhook " +
        `in canonical webhook ${quoted(canonical.metadata.name)}`,
    );
  }
  const namespace = entry.clientConfig.service?.namespace ?? request.istioNamespace ??
    ISTIO_NAMESPACE;
  const name = request.webhookName ??
    configurationName("istio-revision-tag", { qualifier: tag, namespace });
  const { labels = {}, annotations = {} } = canonical.metadata;
  const copied = Object.entries(labels)
    .filter(([key]) => key !== "app" && !key.includes(OPERATOR));
  const notes = Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED);
  return {
    apiVersion: MUTATING_WEBHOOK_CONFIGURATIONS.apiVersion,
    kind: MUTATING_WEBHOOK_CONFIGURATIONS.kind,
    metadata: {
      name,
      labels: { app: "sidecar-injector", ...Object.fromEntries(copied), [TAG_LABEL]: tag },
      ...(notes.length === 0 ? {} : { annotations: Object.fromEntries(notes) }),
    },
    webhooks: entriesFor(tag, {
      auto: request.autoInjectNamespaces ?? false,
      never: excludedBy(entry, { isOurs: labels[PRODUCT_LABEL] === PRODUCT, namespace }),
      common: commonOf(entry),
    }),
  };
}

/** Returns the fields that a tag's webhooks copy from the revision's. */
function commonOf(entry: WebhookEntry): CommonFields {
  const { clientConfig, failurePolicy, reinvocationPolicy, timeoutSeconds, matchConditions } =
    entry;
  return {
    clientConfig,
    failurePolicy: failurePolicy ?? "Fail",
    ...(reinvocationPolicy === undefined ? {} : { reinvocationPolicy }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(matchConditions === undefined ? {} : { matchConditions }),
  };
}

/** Returns the namespaces to exclude. For our own revisions, even if the selectors no longer exclude them. */
function excludedBy(
  { namespaceSelector = {} }: WebhookEntry,
  { isOurs, namespace }: { readonly isOurs: boolean; readonly namespace: string },
): readonly string[] {
  const said = (namespaceSelector.matchExpressions ?? [])
    .filter(({ key, operator }) => key === NAMESPACE_NAME_LABEL && operator === "NotIn")
    .flatMap(({ values = [] }) => values);
  return [...new Set([...said, ...(isOurs ? [...NEVER, namespace] : [])])];
}

/** Returns the default revision's configuration, disabled but kept, so that it can be restored. */
function deactivate(existing: readonly WebhookConfiguration[]): WebhookConfiguration | undefined {
  const found = ofRevision(existing, DEFAULT_REVISION);
  if (found.length > 1) {
    throw new WebhookError(
      "several_of_revision",
      "failed deactivating existing default revision: expected a single webhook for default " +
        `revision, found ${
          found.map(({ metadata }) => metadata.name).sort(compareStrings).join(", ")
        }`,
    );
  }
  if (found.length === 0) return undefined;
  const [configuration] = found;
  return {
    ...configuration,
    webhooks: (configuration.webhooks ?? []).map((entry) => ({
      ...entry,
      namespaceSelector: NEVER_MATCH,
      objectSelector: NEVER_MATCH,
    })),
  };
}

export interface TagDescription {
  /** Empty for a revision without a tag. */
  readonly tag: string;
  readonly revision: string;
  /** The namespaces that use it. */
  readonly namespaces: readonly string[];
}

/** An object with labels: configurations and Services are both labelled with a revision and tag. */
interface Labelled {
  readonly metadata: { readonly [field: string]: unknown };
}

/** Returns every tag, and every revision without one, sorted by revision and tag. */
export function describeTags(
  objects: readonly Labelled[],
  namespaces: readonly Labelled[],
): readonly TagDescription[] {
  const found = new Map<string, TagDescription>();
  for (const object of objects) {
    const revision = labelOf(object, REVISION_LABEL);
    if (revision === undefined) continue;
    const tag = labelOf(object, TAG_LABEL) ?? "";
    found.set(JSON.stringify([revision, tag]), {
      tag,
      revision,
      namespaces: namespacesOf(namespaces, tag),
    });
  }
  const all = [...found.values()];
  return all
    .filter(({ tag, revision }) =>
      tag !== "" || !all.some((other) => other.revision === revision && other.tag !== "")
    )
    .sort((a, b) => compareStrings(a.revision, b.revision) || compareStrings(a.tag, b.tag));
}

/** Returns the namespaces that use a revision or tag. */
function namespacesOf(namespaces: readonly Labelled[], tag: string): readonly string[] {
  return namespaces.filter((one) => labelOf(one, REVISION_LABEL) === tag)
    .map(({ metadata }) => String(metadata.name)).sort(compareStrings);
}

/** Throws a WebhookError if a tag does not exist or is still used by namespaces. */
export function checkRemoval(
  tag: string,
  { objects, namespaces, skipConfirmation = false }: {
    /** The objects with the tag. */
    readonly objects: readonly Labelled[];
    readonly namespaces: readonly Labelled[];
    readonly skipConfirmation?: boolean;
  },
): void {
  if (objects.length === 0) {
    throw new WebhookError(
      "no_tag",
      `cannot remove tag ${quoted(tag)}: ` +
        "cannot find MutatingWebhookConfiguration or Service for tag",
    );
  }
  const users = namespacesOf(namespaces, tag);
  if (users.length === 0 || skipConfirmation) return;
  throw new WebhookError(
    "tag_in_use",
    `Caution, found ${users.length} namespace(s) still injected by tag ${quoted(tag)}: ` +
      `${users.join(" ")}; nothing was removed, pass --skip-confirmation to remove it anyway`,
  );
}

function ofRevision(
  existing: readonly WebhookConfiguration[],
  revision: string,
): readonly WebhookConfiguration[] {
  return existing.filter((one) =>
    labelOf(one, REVISION_LABEL) === revision && labelOf(one, TAG_LABEL) === undefined
  );
}

function ofTag<T extends Labelled>(objects: readonly T[], tag: string): readonly T[] {
  return objects.filter((one) => labelOf(one, TAG_LABEL) === tag);
}

function namespaceOf(configuration: WebhookConfiguration): string | undefined {
  return injectorEntries(configuration)[0]?.clientConfig.service?.namespace;
}

function labelOf({ metadata }: Labelled, key: string): string | undefined {
  const { labels } = metadata;
  return isMap(labels) && Object.hasOwn(labels, key) ? String(labels[key]) : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
