/**
 * Which configuration a pod was injected with, written on the pod: Istio's status annotation has had no
 * such thing since 1.9. Only where asked for, so that patches are Istio's to the letter otherwise.
 */

import type { Admission } from "./admit.ts";
import { lookup, type Pod } from "./pod.ts";

/** Annotation of injected pods: the version of config, values and mesh config. */
export const STAMP = "outrigger.dev/config";

/** The admission of a pod that gets the stamp too. Whatever was injected has annotations by then. */
export function stamped<A extends Admission>(admission: A, version: string): A {
  if (admission.patch === undefined) return admission;
  const path = `/metadata/annotations/${STAMP.replaceAll("/", "~1")}`;
  return { ...admission, patch: [...admission.patch, { op: "add", path, value: version }] };
}

export function stampOf({ metadata }: Pick<Pod, "metadata">): string | undefined {
  return lookup(metadata.annotations, STAMP);
}
