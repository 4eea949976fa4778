/**
 * Decodes AdmissionReviews of versions v1 and v1beta1, from JSON or, if enabled, YAML. Errors use
 * the words of Kubernetes' own decoder, because users search for them.
 */

import { parseYaml, YamlError } from "../yaml/mod.ts";
import { decodeJsonLeniently, jsonKind } from "../go/json.ts";
import { type Budget, BudgetError, UNLIMITED } from "../data/budget.ts";
import { typeMismatch } from "./_review_shape.ts";
import { headOf, sizeOf, spendOnReview } from "./_size.ts";

export interface GroupVersionKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

/** The fields of a request in use; absent and null are equivalent. */
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
  /** Any JSON value. */
  readonly object?: unknown;
  readonly dryRun?: boolean;
}

export interface Review {
  /** The apiVersion to answer with; absent if the review has none. */
  readonly apiVersion?: string;
  readonly request?: AdmissionRequest;
}

export interface ReadReviewOptions {
  /** Istio up to 1.6 accepted reviews without a kind. */
  readonly kindRequired: boolean;
  /** Istio's servers accepted YAML. The API server never sends it, and parsing it is expensive. */
  readonly acceptsYaml?: boolean;
  /** Work that the review may take. */
  readonly budget?: Budget;
  /** A number that callers cannot guess; see `sizeOf`. */
  readonly seed?: number;
}

/**
 * The maximum length of a YAML review, in characters: twice that of an ordinary pod. The worst
 * documents (merge keys, aliases, late errors) then take a fifth of a second and 30 MB in a new
 * process, and a third of that later.
 */
const MAX_YAML = 8 * 1024;

/**
 * The maximum length of a text whose errors get Go's words, which takes a slower decoder. The API
 * server sends no invalid JSON; users who test by hand send little.
 */
const MAX_EXPLAINED = 64 * 1024;

/** A body that is not a review, or one that exceeds a limit. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly code: "bad_review" | "too_large" | "too_slow" = "bad_review";
}

/** A body that exceeds a limit. It was not parsed, but an answer may need what its first characters say. */
export class ReviewSizeError extends ReviewError {
  override readonly code: "too_large" | "too_slow";
  readonly review: Review;
  constructor(
    message: string,
    { code = "too_large", text }: { code?: "too_large" | "too_slow"; text: string },
  ) {
    super(message);
    this.code = code;
    this.review = headOf(text);
  }
}

/** The maximum length of a uid, which the answer repeats. The API server's have 36 characters. */
const MAX_UID = 256;

export const REVIEW_KIND = "AdmissionReview";
const GROUP = "admission.k8s.io";
const VERSIONS = ["v1", "v1beta1"];

/** Decodes a body; invalid UTF-8 becomes U+FFFD, as in Go. */
export function reviewText(body: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
}

/** Decodes a review from a body. Throws a {@link ReviewError}. */
export function readReview(body: Uint8Array, options: ReadReviewOptions): Review {
  return readReviewText(reviewText(body), options);
}

/** Decodes a review from a text. Throws a {@link ReviewError}. */
export function readReviewText(text: string, options: ReadReviewOptions): Review {
  const { kindRequired, acceptsYaml = false } = options;
  const value = isJsonObject(text) ? parseJson(text, options) : parseOther(text, acceptsYaml);
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
    throw new ReviewError(`request.uid has ${uid.length} characters: the limit is ${MAX_UID}`);
  }
  return {
    ...(apiVersion === "" ? {} : { apiVersion }),
    ...(request ? { request: withoutNulls(request) } : {}),
  };
}

/** Detects JSON as Kubernetes does: `{` after white space, which excludes a byte order mark. */
function isJsonObject(text: string): boolean {
  return /^[^\S\ufeff]*\{/.test(text);
}

function parseOther(text: string, acceptsYaml: boolean): unknown {
  if (!acceptsYaml) {
    throw new ReviewError(
      "the body is not a JSON object; to accept YAML reviews, set --accept-yaml-reviews",
    );
  }
  if (text.length > MAX_YAML) {
    throw new ReviewError(
      `the review in YAML has ${text.length} characters: the limit is ${MAX_YAML}`,
    );
  }
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ReviewError(error.original, { cause: error });
  }
}

function parseJson(text: string, options: ReadReviewOptions): unknown {
  checkSize(text, options);
  const broken = "couldn't get version/kind; json parse error:";
  try {
    return JSON.parse(text);
  } catch {
    if (text.length > MAX_EXPLAINED) {
      throw new ReviewError(`${broken} the ${text.length} characters are not JSON`);
    }
    // Decode again with the slower decoder, to get Go's message.
    const { value, error } = decodeJsonLeniently(text);
    if (error === undefined) return value;
    throw new ReviewError(`${broken} ${error.message}`);
  }
}

/** Throws a {@link ReviewSizeError} for a text that takes too much to parse. */
function checkSize(text: string, { budget = UNLIMITED, seed }: ReadReviewOptions): void {
  const size = sizeOf(text, seed);
  if (size.excess !== undefined) {
    throw new ReviewSizeError(`the review is too large: ${size.excess}`, { text });
  }
  try {
    spendOnReview(size, budget);
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    const { code, message } = error;
    const what = code === "too_slow" ? "cannot read the review in time" : "the review is too large";
    throw new ReviewSizeError(`${what}: ${message}`, { code, text });
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
  // Only here does Kubernetes match keys in any case.
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

/** The other kinds that Istio's decoder knows: core/v1, and the options in every group. */
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
