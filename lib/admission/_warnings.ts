/** What the user who made the pod should know: `kubectl` prints it. */

import { visibleLine } from "../data/visible.ts";
import { lookup, type StringMap } from "../inject/mod.ts";

/** Kubernetes asks for no more; longer ones may be cut off by the API server. */
const MAX_LENGTH = 120;
/** Nobody reads more, and all that is said counts against the API server's limit of 4096 characters. */
const MAX_COUNT = 8;

/** Annotations that Istio calls deprecated, and what it has in their place, if anything. */
const DEPRECATED: ReadonlyMap<string, string | undefined> = new Map([
  ["sidecar.istio.io/inject", "the label of that name"],
  ["sidecar.istio.io/discoveryAddress", "proxy.istio.io/config"],
  ["sidecar.istio.io/extraStatTags", undefined],
  ["sidecar.istio.io/statsCompression", undefined],
  ["sidecar.istio.io/statsInclusionPrefixes", "proxy.istio.io/config"],
  ["sidecar.istio.io/statsInclusionRegexps", "proxy.istio.io/config"],
  ["sidecar.istio.io/statsInclusionSuffixes", "proxy.istio.io/config"],
  ["traffic.sidecar.istio.io/kubevirtInterfaces", "istio.io/reroute-virtual-interfaces"],
]);

/** About the annotations of a pod; whatever it is, since a decoder of pods comes later. */
export function deprecations(annotations: unknown): string[] {
  if (typeof annotations !== "object" || annotations === null) return [];
  const found: string[] = [];
  for (const [name, instead] of DEPRECATED) {
    if (lookup(annotations as StringMap, name) === undefined) continue;
    const hint = instead === undefined ? "" : `; use ${instead}`;
    found.push(`annotation ${name} is deprecated${hint}`);
  }
  return found;
}

/** Caps the number of warnings, and truncates each to what kubectl displays. */
export function shortWarnings(warnings: readonly string[]): string[] {
  return [...new Set(warnings)].slice(0, MAX_COUNT).map((text) => visibleLine(text, MAX_LENGTH));
}
