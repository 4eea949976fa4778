/**
 * AdmissionReviews as they come: bytes in, a request out. Versions v1 and v1beta1, in JSON, and in YAML
 * where that is asked for. What cannot be read is refused in the words of Kubernetes' own decoder, since
 * users search for them.
 */

import { parseYaml, YamlError } from "../yaml/mod.ts";
import { decodeJsonLeniently, jsonKind } from "../go/json.ts";
import { exceededLimit } from "./_json_limits.ts";
import { typeMismatch } from "./_review_shape.ts";

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
  /** Istio's servers took YAML too; the API server never sends it, and reading it is expensive. */
  readonly acceptsYaml?: boolean;
}

/**
 * Longest review in YAML, in characters: an ordinary pod has half as many. The worst documents (merge
 * keys, aliases, late errors) then take a fifth of a second and 30 MB in a process that has just started,
 * and a third of that later.
 */
const MAX_YAML = 8 * 1024;

/**
 * Longest text whose errors are found in Go's words, which takes a slower decoder. The API server sends no
 * broken JSON; people who try it by hand send little.
 */
const MAX_EXPLAINED = 64 * 1024;

/** A body that is no review. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly code = "bad_review";
}

/** Longest uid. The API server's have 36 characters, and the answer repeats it. */
const MAX_UID = 256;

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
export function readReviewText(text: string, options: ReadReviewOptions): Review {
  const { kindRequired, acceptsYaml = false } = options;
  const value = isJsonObject(text) ? parseJson(text) : parseOther(text, acceptsYaml);
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
  const uid = String(request?.uid ?? "");
  if (uid.length > MAX_UID) {
    throw new ReviewError(`request.uid has ${uid.length} characters, the limit is ${MAX_UID}`);
  }
  return {
    ...(apiVersion === "" ? {} : { apiVersion }),
    ...(request ? { request: withoutNulls(request) } : {}),
  };
}

/** Tells JSON from YAML as Kubernetes does: by the first character, to which a byte order mark counts. */
function isJsonObject(text: string): boolean {
  return /^[^\S\ufeff]*\{/.test(text);
}

function parseOther(text: string, acceptsYaml: boolean): unknown {
  if (!acceptsYaml) {
    throw new ReviewError(
      "the body is not a JSON object; reviews in YAML need the flag --accept-yaml-reviews",
    );
  }
  if (text.length > MAX_YAML) {
    throw new ReviewError(
      `the review in YAML has ${text.length} characters, the limit is ${MAX_YAML}`,
    );
  }
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ReviewError(error.original, { cause: error });
  }
}

function parseJson(text: string): unknown {
  const broken = "couldn't get version/kind; json parse error:";
  const excess = exceededLimit(text);
  if (excess !== undefined) throw new ReviewError(`${broken} ${excess}`);
  try {
    return JSON.parse(text);
  } catch {
    if (text.length > MAX_EXPLAINED) {
      throw new ReviewError(`${broken} the ${text.length} characters are not JSON`);
    }
    // Only now is a decoder worth its time that knows Go's words.
    const { value, error } = decodeJsonLeniently(text);
    if (error === undefined) return value;
    throw new ReviewError(`${broken} ${error.message}`);
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
    throw failed(`${jsonKind(value)} into Go value of type ${META_TYPE}`);
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
      throw failed(`${jsonKind(item)} into Go struct field .${name} of type string`);
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
