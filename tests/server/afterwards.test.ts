import { describe, expect, test } from "bun:test";
import { createAfterwards, type Seen } from "../../lib/server/afterwards.ts";
import { fakeClock } from "./_fake_clock.ts";
import { INERT } from "./_serving.ts";

function seen(podName: string, bytes = 1): Seen {
  const outcome = { decision: "skipped", reason: "policy_disabled", podName } as const;
  return {
    outcome: { ...outcome, templates: [], operations: 0, warnings: [] },
    injector: INERT,
    cluster: {},
    path: "/inject",
    bytes,
  };
}

function line(isBusy: () => boolean = () => false) {
  const clock = fakeClock();
  const [names, errors]: [string[], unknown[]] = [[], []];
  let missed = 0;
  const observer = {
    see: ({ outcome: { podName } }: Seen) => {
      if (podName === "bad") throw new Error("bad");
      names.push(podName);
    },
    missed: () => missed++,
  };
  const onError = (error: unknown) => errors.push(error);
  const afterwards = createAfterwards({ observers: [observer], isBusy, clock, onError });
  return { clock, afterwards, names, errors, missed: () => missed };
}

describe("createAfterwards()", () => {
  test("runs observers after the answer, in order, without pauses if the server is idle", async () => {
    const { clock, afterwards, names } = line();
    for (const name of ["a", "b", "c"]) afterwards.add(seen(name));
    await clock.advance(19);
    expect(names).toEqual([]);
    await clock.advance(1);
    for (let i = 0; i < 3; i++) await clock.advance(0);
    expect(names).toEqual(["a", "b", "c"]);
    expect(clock.waiting()).toBe(0);
  });

  test("takes a small share of a busy server's time", async () => {
    const { clock, afterwards, names } = line(() => true);
    for (let i = 0; i < 10; i++) afterwards.add(seen(String(i)));
    await clock.advance(100);
    expect(names.length).toBe(5);
  });

  test("drops and counts reviews beyond its limits", async () => {
    const { clock, afterwards, names, missed } = line(() => true);
    for (let i = 0; i < 600; i++) afterwards.add(seen(String(i)));
    expect(missed()).toBe(88);
    await clock.advance(20);
    afterwards.add(seen("later"));
    expect({ names: names.length, missed: missed() }).toEqual({ names: 1, missed: 88 });
    afterwards.finish();
    expect(names.length).toBe(513);
    expect(names.at(-1)).toBe("later");
  });

  test("limits memory, not only the number of pods", () => {
    const { afterwards, missed } = line();
    for (let i = 0; i < 10; i++) afterwards.add(seen(String(i), 3 * 1024 * 1024));
    expect(missed()).toBe(5);
  });

  test("continues if an observer fails", async () => {
    const { clock, afterwards, names, errors } = line();
    for (const name of ["bad", "good"]) afterwards.add(seen(name));
    await clock.advance(20);
    await clock.advance(0);
    expect(names).toEqual(["good"]);
    expect(errors.length).toBe(1);
  });
});
