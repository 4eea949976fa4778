/**
 * A pod without what should not lie on a disk. It is an allowlist: a string that injection reads stays,
 * and every other one becomes `redacted`, or a placeholder of the same kind where the structure of the
 * result hangs on it. Numbers, switches, the names of keys and the order of lists stay. The README has
 * what stays as a table.
 *
 * A template that reads what is redacted here renders otherwise when it is replayed.
 */

import { isMap } from "../data/map.ts";
import { redactAnnotations } from "./_redact_annotations.ts";
import { blank, type Numbers, redactAs } from "./_redact_fields.ts";

export { annotationsOf } from "./_redact_annotations.ts";
export { REDACTED } from "./_redact_fields.ts";
export { redactProxyConfig } from "./_redact_proxy_config.ts";

export interface RedactOptions {
  /** Other annotations that stay, since a template names them. */
  readonly keepsAnnotation?: (name: string) => boolean;
}

/** A copy; never changes what it gets, and never throws, whatever that is. */
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
