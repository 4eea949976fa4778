/**
 * A pod without what should not lie on a disk. What injection goes by stays as it is: names, labels,
 * images, ports, probes, resources, volumes, owners, and annotations of Istio and its like. Values that may
 * be secrets become `redacted`: of environment variables, of other annotations, of commands and their
 * arguments, of probes' headers, and of volumes' attributes. Secrets themselves are not in pods; their
 * names are, and stay.
 *
 * A template that reads what is redacted here renders otherwise when it is replayed.
 */

import {
  CORE_DUMP_CONTAINER,
  INIT_CONTAINER,
  OVERRIDES,
  PROXY_CONTAINER,
  VALIDATION_CONTAINER,
} from "../inject/names.ts";

export const REDACTED = "redacted";

export interface RedactOptions {
  /** Other annotations that stay, for example since a template names them. */
  readonly keepsAnnotation?: (name: string) => boolean;
}

/** Annotations by which injection is decided and templates go, by what stands before the slash. */
const KEPT_DOMAINS = /^(?:[\w.-]+\.)?(?:istio\.io|prometheus\.io|openshift\.io)$/;
const KEPT_NAMES = new Set([
  "k8s.v1.cni.cncf.io/networks",
  "kubectl.kubernetes.io/default-container",
  "kubectl.kubernetes.io/default-logs-container",
]);

/** Variables that are Istio's own; injection reads some of them again. */
const KEPT_VARIABLES = /^ISTIO_/;

/**
 * Containers that hold Istio's own settings. A pod that comes with them has been injected before, or its
 * owner sets them: then the result hangs on all that is in them.
 */
const KEPT_CONTAINERS = new Set([
  ...[PROXY_CONTAINER, INIT_CONTAINER, VALIDATION_CONTAINER, CORE_DUMP_CONTAINER],
]);

/** Deeper than this is no pod. */
const MAX_DEPTH = 64;

type Json = Readonly<Record<string, unknown>>;

/** A copy; never changes what it gets, and never throws, whatever that is. */
export function redactPod(object: unknown, options: RedactOptions = {}): unknown {
  if (!isMap(object)) return blank(object);
  const { metadata, status: _, ...rest } = object;
  return {
    ...(Object.hasOwn(object, "metadata") ? { metadata: redactMetadata(metadata, options) } : {}),
    ...(redact(rest, 0) as Json),
  };
}

function redactMetadata(metadata: unknown, options: RedactOptions): unknown {
  if (!isMap(metadata)) return blank(metadata);
  const { managedFields: _, annotations, ...rest } = metadata;
  if (!isMap(annotations)) return { ...rest, ...(annotations === null ? { annotations } : {}) };
  const kept = Object.entries(annotations).map(([name, value]) => {
    if (name === OVERRIDES) return [name, redactOverrides(value)];
    return [name, keeps(name, options) ? value : blank(value)];
  });
  return { ...rest, annotations: Object.fromEntries(kept) };
}

function keeps(name: string, { keepsAnnotation }: RedactOptions): boolean {
  const slash = name.indexOf("/");
  // Prometheus' annotations are read with a dot for the slash too.
  const domain = slash > 0 ? name.slice(0, slash) : /^(prometheus\.io)\./.exec(name)?.[1] ?? "";
  return KEPT_DOMAINS.test(domain) || KEPT_NAMES.has(name) || (keepsAnnotation?.(name) ?? false);
}

/** Containers of the user's, as JSON; what is none stays none, so that it is refused as it was. */
function redactOverrides(text: unknown): unknown {
  if (typeof text !== "string") return blank(text);
  try {
    return JSON.stringify(redact(JSON.parse(text), 0));
  } catch {
    return REDACTED;
  }
}

/** What becomes of a value by the key that it stands under. */
function redact(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (!isMap(value)) return value;
  if (KEPT_CONTAINERS.has(String(value.name))) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      switch (key) {
        case "env":
          return [key, pairs(item, KEPT_VARIABLES)];
        case "httpHeaders":
          return [key, pairs(item)];
        case "command":
        case "args":
          return [key, blank(item)];
        // Of CSI volumes, and of flex volumes; a list is dnsConfig's.
        case "volumeAttributes":
        case "options":
          return [key, Array.isArray(item) ? redact(item, depth + 1) : blank(item)];
        default:
          return [key, redact(item, depth + 1)];
      }
    }),
  );
}

/** Lists of names and values. */
function pairs(list: unknown, kept?: RegExp): unknown {
  if (!Array.isArray(list)) return blank(list);
  return list.map((item) => {
    if (!isMap(item)) return blank(item);
    if (typeof item.name === "string" && kept?.test(item.name)) return item;
    return Object.hasOwn(item, "value") ? { ...item, value: blank(item.value) } : item;
  });
}

/** The same shape, so that it decodes or fails to decode as before, without what it said. */
function blank(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? "" : REDACTED;
  if (typeof value === "number") return 0;
  if (Array.isArray(value)) return value.map(blank);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, blank(item)]));
}

function isMap(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
