/**
 * Reasons for injecting a pod or not: stable ids for metrics, logs and programs, each mapped to one
 * sentence.
 */

export const REASONS = {
  host_network: "the pod uses the host's network",
  ignored_namespace: "the pod's namespace is never injected",
  label_true: 'the pod\'s label "sidecar.istio.io/inject" is "true"',
  label_false: 'the pod\'s label "sidecar.istio.io/inject" says no',
  annotation_true: 'the pod\'s annotation "sidecar.istio.io/inject" is "true"',
  annotation_false: 'the pod\'s annotation "sidecar.istio.io/inject" says no',
  never_selector: "a neverInjectSelector of the config matches the pod's labels",
  always_selector: "an alwaysInjectSelector of the config matches the pod's labels",
  policy_enabled: "the config's policy is to inject where nothing else is said",
  policy_disabled: "the config's policy is not to inject where nothing else is said",
  policy_illegal: 'the config\'s policy is neither "enabled" nor "disabled"',
  already_injected: "the pod was injected before",
} as const;

export type ReasonId = keyof typeof REASONS;

export interface Decision {
  readonly inject: boolean;
  readonly reason: ReasonId;
  /** Further messages for the user, such as a value that was ignored. */
  readonly warnings: readonly string[];
}
