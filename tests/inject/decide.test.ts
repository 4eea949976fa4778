import { describe, expect, test } from "bun:test";
import { compileLabelSelector } from "../../lib/config/mod.ts";
import { type Behaviours, behavioursOf } from "../../lib/inject/compat.ts";
import { decide, type DecideConfig } from "../../lib/inject/decide.ts";
import type { ObjectMeta, PodSpec } from "../../lib/inject/pod.ts";
import { REASONS } from "../../lib/inject/reasons.ts";

const INJECT = "sidecar.istio.io/inject";
const label = (value: string): ObjectMeta => ({ labels: { [INJECT]: value } });
const annotation = (value: string): ObjectMeta => ({ annotations: { [INJECT]: value } });

function run(
  { metadata = {}, spec = {}, config = {}, behaviours = behavioursOf("today") }: {
    metadata?: ObjectMeta;
    spec?: Partial<PodSpec>;
    config?: Partial<DecideConfig>;
    behaviours?: Behaviours;
  },
) {
  return decide({ metadata, spec: { containers: [], ...spec } }, {
    config: { policy: "enabled", neverInjectSelector: [], alwaysInjectSelector: [], ...config },
    behaviours,
  });
}

const never = [compileLabelSelector({ matchLabels: { app: "a" } })];
const everything = [compileLabelSelector({})];
const app = { labels: { app: "a" } };

const CASES: [what: string, input: Parameters<typeof run>[0], inject: boolean, reason: string][] = [
  ["nothing said, enabled", {}, true, "policy_enabled"],
  ["nothing said, disabled", { config: { policy: "disabled" } }, false, "policy_disabled"],
  [
    "a policy that is none",
    { metadata: label("true"), config: { policy: "on" } },
    false,
    "policy_illegal",
  ],
  [
    "host network before all else",
    { metadata: label("true"), spec: { hostNetwork: true } },
    false,
    "host_network",
  ],
  [
    "a namespace of the cluster's own",
    { metadata: { ...label("true"), namespace: "kube-system" } },
    false,
    "ignored_namespace",
  ],
  ["its neighbour", { metadata: { namespace: "kube-system-2" } }, true, "policy_enabled"],
  ["label true", { metadata: label("true"), config: { policy: "disabled" } }, true, "label_true"],
  ["label false", { metadata: label("false") }, false, "label_false"],
  [
    "annotation true",
    { metadata: annotation("true"), config: { policy: "disabled" } },
    true,
    "annotation_true",
  ],
  ["annotation false", { metadata: annotation("false") }, false, "annotation_false"],
  [
    "label wins over annotation",
    { metadata: { ...label("true"), ...annotation("false") } },
    true,
    "label_true",
  ],
  [
    "an empty label wins too",
    { metadata: { ...label(""), ...annotation("false") } },
    true,
    "policy_enabled",
  ],
  [
    "a never selector",
    { metadata: app, config: { neverInjectSelector: never } },
    false,
    "never_selector",
  ],
  [
    "an always selector",
    { metadata: app, config: { policy: "disabled", alwaysInjectSelector: never } },
    true,
    "always_selector",
  ],
  [
    "never before always",
    { metadata: app, config: { neverInjectSelector: never, alwaysInjectSelector: never } },
    false,
    "never_selector",
  ],
  [
    "the pod's word before selectors",
    {
      metadata: { labels: { app: "a", [INJECT]: "true" } },
      config: { neverInjectSelector: never },
    },
    true,
    "label_true",
  ],
  [
    "an empty selector never matches",
    { metadata: app, config: { neverInjectSelector: everything } },
    true,
    "policy_enabled",
  ],
];

describe("decide()", () => {
  for (const [what, input, inject, reason] of CASES) {
    test(`${what}: ${reason}`, () => {
      expect(run(input)).toMatchObject({ inject, reason });
      expect(REASONS).toHaveProperty(reason);
    });
  }

  for (const value of ["True", "yes", "1", "on", "__proto__"]) {
    test(`warns about ${value} and falls back to the policy`, () => {
      const { inject, reason, warnings } = run({ metadata: label(value) });
      expect({ inject, reason }).toEqual({ inject: true, reason: "policy_enabled" });
      expect(warnings).toEqual([
        `Invalid value for ${INJECT}: "${value}". Only 'true' and 'false' are accepted. ` +
        "Falling back to default injection policy.",
      ]);
    });
  }

  const old = behavioursOf(10);
  for (
    const [value, inject] of [["Yes", true], ["on", true], ["TRUE", true], ["1", false]] as const
  ) {
    test(`of Istio 1.10 takes annotation ${value} for ${inject}`, () => {
      expect(run({ metadata: annotation(value), behaviours: old }).inject).toBe(inject);
    });
  }
  test("of Istio 1.10 ignores the label", () => {
    expect(run({ metadata: label("false"), behaviours: old }).reason).toBe("policy_enabled");
  });

  test("warns about a DNS policy that may not resolve the control plane", () => {
    const { warnings } = run({
      metadata: { namespace: "n", generateName: "p-" },
      spec: { dnsPolicy: "Default" },
    });
    expect(warnings).toEqual([
      `"n/p-***** (actual name not yet known)"'s DNSPolicy is not "ClusterFirst". ` +
      "The Envoy sidecar may not able to connect to Istio Pilot",
    ]);
  });
});
