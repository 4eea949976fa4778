/**
 * Marks pods with the configuration that injected them, which Istio's status annotation has not recorded
 * since 1.9. It is opt-in, so that patches otherwise equal Istio's exactly.
 */

import type { Admission } from "./admit.ts";
import { lookup, type Pod } from "./pod.ts";

/** The annotation with the version of config, values and mesh config. */
export const STAMP = "outrigger.dev/config";

/** Adds the stamp to an admission. An injected pod always has annotations. */
export function stamped<A extends Admission>(admission: A, version: string): A {
  if (admission.patch === undefined) return admission;
  const path = `/metadata/annotations/${STAMP.replaceAll("/", "~1")}`;
  return { ...admission, patch: [...admission.patch, { op: "add", path, value: version }] };
}

export function stampOf({ metadata }: Pick<Pod, "metadata">): string | undefined {
  return lookup(metadata.annotations, STAMP);
}
