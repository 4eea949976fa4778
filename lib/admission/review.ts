/**
 * AdmissionReviews as they come: bytes in, a request out. Versions v1 and v1beta1, JSON or YAML. What
 * cannot be read is refused in the words of Kubernetes' own decoder, since users search for them.
 */

import { parseYaml, YamlError } from "../data/yaml.ts";
import { decodeJsonLeniently } from "../go/json.ts";
import { yamlErrorText } from "../go/yaml_error.ts";
import { kindOf, typeMismatch } from "./_review_shape.ts";

export interface GroupVersionKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

/** What is read of a request; absent and null are alike. */
export interface AdmissionRequest {
  readonly uid?: string;
  readonly kind?: GroupVersionKind;
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation?: string;
  readonly userInfo?: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** Any JSON. */
  readonly object?: unknown;
  readonly dryRun?: boolean;
}

export interface Review {
  /** As the answer has to have it; absent where the review came without. */
  readonly apiVersion?: string;
  readonly request?: AdmissionRequest;
}

export interface ReadReviewOptions {
  /** Istio up to 1.6 took a review that does not say what it is. */
  readonly kindRequired: boolean;
}

/** A body that is no review. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly code = "bad_review";
}

export const REVIEW_KIND = "AdmissionReview";
const GROUP = "admission.k8s.io";
const VERSIONS = ["v1", "v1beta1"];

/** A body's text; bytes that are no UTF-8 become U+FFFD, as in Go. */
export function reviewText(body: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
}

/** Throws a {@link ReviewError}. */
export function readReview(body: Uint8Array, options: ReadReviewOptions): Review {
  return readReviewText(reviewText(body), options);
}

/** The same of a text. */
export function readReviewText(text: string, { kindRequired }: ReadReviewOptions): Review {
  const value = parse(text);
  const { kind, apiVersion } = typeMeta(value);
  let version = "v1beta1";
  if (kind !== "" || apiVersion !== "" || kindRequired) {
    const groupVersion = readGroupVersion(apiVersion);
    const missing = kind === "" ? "Kind" : groupVersion.version === "" ? "apiVersion" : undefined;
    if (missing !== undefined) throw new ReviewError(`Object '${missing}' is missing in '${text}'`);
    checkKind(kind, groupVersion, apiVersion);
    version = groupVersion.version;
  }
  const wrong = typeMismatch(value, version);
  if (wrong !== undefined) throw new ReviewError(wrong);
  const { request } = value as { request?: Readonly<Record<string, unknown>> | null };
  return {
    ...(apiVersion === "" ? {} : { apiVersion }),
    ...(request ? { request: withoutNulls(request) } : {}),
  };
}

/** As Kubernetes tells JSON from YAML: by the first character, to which a byte order mark counts. */
function parse(text: string): unknown {
  if (/^[^\S\ufeff]*\{/.test(text)) return parseJson(text);
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ReviewError(yamlErrorText(text) ?? `yaml: ${error.message}`, { cause: error });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Only now is a decoder worth its time that knows Go's words.
    const { value, error } = decodeJsonLeniently(text);
    if (error === undefined) return value;
    throw new ReviewError(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

/** The type by which Go looks for kind and version; it stands in the error for what is no object. */
const META_TYPE = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
  'Kind string "json:\\"kind,omitempty\\"" }';

function typeMeta(value: unknown): { kind: string; apiVersion: string } {
  const meta = { kind: "", apiVersion: "" };
  if (value === null || value === undefined) return meta;
  const failed = (what: string) =>
    new ReviewError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${what}`);
  if (typeof value !== "object" || Array.isArray(value)) {
    throw failed(`${kindOf(value)} into Go value of type ${META_TYPE}`);
  }
  // Here, and only here, Kubernetes takes keys in any letter case.
  for (const [key, item] of Object.entries(value)) {
    const name = key.toLowerCase() === "kind"
      ? "kind"
      : key.toLowerCase() === "apiversion"
      ? "apiVersion"
      : undefined;
    if (name === undefined || item === null) continue;
    if (typeof item !== "string") {
      throw failed(`${kindOf(item)} into Go struct field .${name} of type string`);
    }
    meta[name] = item;
  }
  return meta;
}

function readGroupVersion(apiVersion: string): { group: string; version: string } {
  const parts = apiVersion.split("/");
  if (parts.length > 2) throw new ReviewError(`unexpected GroupVersion string: ${apiVersion}`);
  return parts.length === 2
    ? { group: parts[0], version: parts[1] }
    : { group: "", version: parts[0] };
}

/** Other kinds that the original's decoder knows: core/v1, and options that are in every group. */
const CORE_KINDS = new Set(
  ("APIGroup APIGroupList APIResourceList APIVersions Binding ComponentStatus ComponentStatusList " +
    "ConfigMap ConfigMapList Endpoints EndpointsList Event EventList LimitRange LimitRangeList List " +
    "Namespace NamespaceList Node NodeList NodeProxyOptions PersistentVolume PersistentVolumeClaim " +
    "PersistentVolumeClaimList PersistentVolumeList Pod PodAttachOptions PodExecOptions PodList " +
    "PodLogOptions PodPortForwardOptions PodProxyOptions PodStatusResult PodTemplate PodTemplateList " +
    "RangeAllocation ReplicationController ReplicationControllerList ResourceQuota ResourceQuotaList " +
    "Secret SecretList SerializedReference Service ServiceAccount ServiceAccountList ServiceList " +
    "ServiceProxyOptions Status").split(" "),
);
const OPTION_KINDS = new Set(
  "CreateOptions DeleteOptions GetOptions ListOptions PatchOptions UpdateOptions".split(" "),
);

function checkKind(
  kind: string,
  { group, version }: { group: string; version: string },
  apiVersion: string,
): void {
  const isAdmission = group === GROUP && VERSIONS.includes(version);
  if (isAdmission && kind === REVIEW_KIND) return;
  const isCore = group === "" && version === "v1";
  if ((isCore && CORE_KINDS.has(kind)) || ((isCore || isAdmission) && OPTION_KINDS.has(kind))) {
    throw new ReviewError(`unsupported type :&TypeMeta{Kind:${kind},APIVersion:${apiVersion},}`);
  }
  const shown = group === "" ? version : `${group}/${version}`;
  throw new ReviewError(
    `no kind "${kind}" is registered for version "${shown}" in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function withoutNulls(request: Readonly<Record<string, unknown>>): AdmissionRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null));
}
