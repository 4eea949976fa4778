/**
 * Redacts a pod for storage. It uses an allowlist: strings that injection reads are kept; every
 * other one becomes `redacted`, or a placeholder of the same kind if the structure of the result
 * depends on it. Numbers, booleans, keys and the order of lists are kept. The README lists what is
 * kept.
 *
 * A template that reads redacted values renders differently in a replay.
 */

import { isMap } from "../data/map.ts";
import { redactAnnotations } from "./_redact_annotations.ts";
import { blank, type Numbers, redactAs } from "./_redact_fields.ts";

export { annotationsOf } from "./_redact_annotations.ts";
export { REDACTED } from "./_redact_fields.ts";
export { redactProxyConfig } from "./_redact_proxy_config.ts";

export interface RedactOptions {
  /** Reports whether to keep another annotation, because a template names it. */
  readonly keepsAnnotation?: (name: string) => boolean;
}

/** Returns a redacted copy. Never changes its input, and never throws. */
export function redactPod(object: unknown, { keepsAnnotation }: RedactOptions = {}): unknown {
  if (!isMap(object)) return blank(object);
  const { status: _, ...rest } = object;
  const { metadata } = rest;
  const numbers: Numbers = new Map();
  if (!isMap(metadata)) return redactAs("Pod", rest, numbers);
  const { managedFields: __, annotations, ...other } = metadata;
  const pod = redactAs("Pod", { ...rest, metadata: other }, numbers) as { metadata: object };
  if (!Object.hasOwn(metadata, "annotations")) return pod;
  const redacted = isMap(annotations)
    ? redactAnnotations(annotations, keepsAnnotation ?? (() => false))
    : blank(annotations);
  return { ...pod, metadata: { ...pod.metadata, annotations: redacted } };
}
