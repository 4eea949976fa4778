/** Which reviews become events, and on whom. */
import { describe, expect, test } from "bun:test";
import { eventOf } from "../../lib/serve/_events.ts";
import type { ReviewOutcome } from "../../lib/admission/mod.ts";

const OWNER = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-5d", uid: "u-1" };

function outcome(
  change: Partial<ReviewOutcome> = {},
  { ownerReferences = [{ ...OWNER, controller: true }] as unknown, ...request } = {},
): ReviewOutcome {
  return {
    decision: "injected",
    reason: "policy_enabled",
    podName: "web-5d-",
    templates: ["sidecar", "custom"],
    operations: 1,
    warnings: [],
    request: {
      namespace: "shop",
      object: { metadata: { generateName: "web-5d-", ownerReferences } },
      ...request,
    },
    ...change,
  };
}

describe("eventOf()", () => {
  test("tells the controller of a pod that it was injected, and why", () => {
    expect(eventOf(outcome())).toEqual({
      regarding: { ...OWNER, namespace: "shop" },
      reason: "Injected",
      action: "Inject",
      note: "A sidecar was injected by sidecar, custom: the config's policy is to inject where " +
        "nothing else is said (policy_enabled)",
    });
  });

  test("tells it that it was skipped, and why", () => {
    expect(eventOf(outcome({ decision: "skipped", reason: "host_network" }))).toEqual({
      regarding: { ...OWNER, namespace: "shop" },
      reason: "InjectionSkipped",
      action: "Skip",
      note: "No sidecar was injected: the pod uses the host's network (host_network)",
    });
  });

  const controller = { ...OWNER, controller: true };
  const silent: [what: string, outcome: ReviewOutcome][] = [
    ["a dry run", outcome({}, { dryRun: true } as object)],
    ["what was denied", outcome({ decision: "denied", reason: "bad_pod" })],
    ["what is no pod", outcome({ decision: "ignored", reason: "not_a_pod" })],
    ["a body that was no review", outcome({ request: undefined })],
    ["a pod that nobody made", outcome({}, { ownerReferences: null })],
    ["an owner that is no controller", outcome({}, { ownerReferences: [OWNER] })],
    ["owners that are none", outcome({}, { ownerReferences: "x" })],
    ["an owner that is none", outcome({}, { ownerReferences: [null, 5] })],
    ["an owner without a uid", outcome({}, { ownerReferences: [{ ...controller, uid: "" }] })],
    ["a name that is none", outcome({}, { ownerReferences: [{ ...controller, name: {} }] })],
    [
      "a name that is too long",
      outcome({}, { ownerReferences: [{ ...controller, name: "x".repeat(300) }] }),
    ],
    ["a pod in no namespace", outcome({}, { namespace: "" } as object)],
    ["no object at all", outcome({ request: { namespace: "shop" } })],
  ];
  test.each(silent)("says nothing of %s", (_, outcome) => {
    expect(eventOf(outcome)).toBeUndefined();
  });

  test("takes the controller among several owners", () => {
    const ownerReferences = [{ ...OWNER, uid: "u-0" }, controller];
    expect(eventOf(outcome({}, { ownerReferences }))?.regarding.uid).toBe("u-1");
  });
});
