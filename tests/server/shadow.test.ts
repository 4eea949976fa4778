import { describe, expect, test } from "bun:test";
import type { ReviewInjector, ReviewOutcome } from "../../lib/admission/mod.ts";
import { InjectionError } from "../../lib/inject/errors.ts";
import type { Operation } from "../../lib/patch/json_patch.ts";
import { createLogger, createShadow } from "../../lib/server/mod.ts";
import { memoryHost } from "../_memory_host.ts";
import { fakeClock } from "./_fake_clock.ts";
import { INERT } from "./_serving.ts";

const POD = { metadata: { name: "p" }, spec: { containers: [{ name: "app", image: "a" }] } };

function image(value: string): Operation[] {
  return [{ op: "replace", path: "/spec/containers/0/image", value }];
}

/** Creates an injector that returns one patch or refuses. */
function giving(patch: readonly Operation[] | Error): ReviewInjector {
  return {
    ...INERT,
    admit() {
      if (patch instanceof Error) throw patch;
      return { decision: { inject: true, reason: "policy_enabled", warnings: [] }, patch };
    },
  };
}

function outcome(patch: readonly Operation[] | undefined, request = {}): ReviewOutcome {
  return {
    decision: patch === undefined ? "skipped" : "injected",
    reason: patch === undefined ? "policy_disabled" : "policy_enabled",
    request: { namespace: "shop", object: POD, ...request },
    podName: "p",
    templates: [],
    operations: patch?.length ?? 0,
    ...(patch === undefined ? {} : { patch: JSON.stringify(patch) }),
    warnings: [],
  };
}

function shadowing(shadow: ReviewInjector | undefined) {
  const [clock, memory] = [fakeClock(), memoryHost()];
  const log = createLogger({ output: memory.stdout, clock, format: "json", level: "info" });
  const counts: Record<string, number> = {};
  const observer = createShadow({
    shadowOf: () => shadow,
    clock,
    log,
    count: (result) => counts[result] = (counts[result] ?? 0) + 1,
  });
  const see = (outcome: ReviewOutcome) =>
    observer.see({ outcome, injector: INERT, cluster: {}, path: "/inject", bytes: 1 });
  const lines = async () => {
    await log.flush();
    return memory.out.stdout.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
  };
  return { observer, clock, counts, see, lines };
}

describe("the shadow", () => {
  const other = [
    { op: "remove", path: "/spec/containers/0/image" },
    { op: "add", path: "/spec/containers/0/image", value: "b" },
  ] satisfies Operation[];
  const refusal = new InjectionError("template", "no such template");
  const cases: [string, ReviewInjector, ReviewOutcome, Record<string, number>, string][] = [
    ["the same patch", giving(image("b")), outcome(image("b")), { same: 1 }, ""],
    ["another patch to the same pod", giving(other), outcome(image("b")), { same: 1 }, ""],
    ["skipped by both", INERT, outcome(undefined), { same: 1 }, ""],
    [
      "another pod",
      giving(image("c")),
      outcome(image("b")),
      { different: 1 },
      "~spec.containers[app].image",
    ],
    ["left alone", INERT, outcome(image("b")), { different: 1 }, "~(decision)"],
    ["refused", giving(refusal), outcome(image("b")), { different: 1 }, "~(decision)"],
    ["a dry run, not looked at", giving(image("c")), outcome(image("b"), { dryRun: true }), {}, ""],
  ];
  test.each(cases)("counts %s", async (_, shadow, seen, expected, changes) => {
    const { see, counts, lines } = shadowing(shadow);
    see(seen);
    expect(counts).toEqual(expected);
    expect(await lines()).toEqual(
      changes === "" ? [] : [expect.objectContaining({
        message: "shadow configuration differs",
        namespace: "shop",
        pod: "p",
        changes,
      })],
    );
  });

  test("counts a failure if there is no valid configuration", () => {
    const { see, observer, counts } = shadowing(undefined);
    see(outcome(image("b")));
    observer.missed();
    expect(counts).toEqual({ failed: 1, dropped: 1 });
  });

  test("counts an unexpected error, and throws it", () => {
    const { see, counts } = shadowing(giving(new Error("bug")));
    expect(() => see(outcome(image("b")))).toThrow("bug");
    expect(counts).toEqual({ failed: 1 });
  });

  test("logs a burst, then one line a second with the number suppressed", async () => {
    const { see, lines, clock, counts } = shadowing(giving(image("c")));
    for (let i = 0; i < 50; i++) see(outcome(image("b")));
    await clock.advance(999);
    see(outcome(image("b")));
    expect((await lines()).length).toBe(10);
    await clock.advance(1);
    see(outcome(image("b")));
    see(outcome(image("b")));
    const told = await lines();
    expect(told.length).toBe(11);
    expect(told[10]).toMatchObject({ suppressed: 41 });
    expect(counts).toEqual({ different: 53 });
  });
});
