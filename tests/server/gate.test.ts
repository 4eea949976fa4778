import { expect, test } from "bun:test";
import { createGate } from "../../lib/server/gate.ts";

/** A clock that runs `soon` callbacks only when told to. */
function turns() {
  const due: (() => void)[] = [];
  return {
    clock: { soon: (run: () => void) => void due.push(run) },
    async next() {
      due.shift()?.();
      await Promise.resolve();
      await Promise.resolve();
    },
    due,
  };
}

const LIMITS = { maxRequests: 3, maxBytes: 100 };

test("admits requests up to the limit, and more when one leaves", () => {
  const gate = createGate(LIMITS, turns().clock);
  const visits = [gate.enter(1), gate.enter(1), gate.enter(1)];
  expect(gate.count()).toBe(3);
  expect(gate.enter(1)).toBeUndefined();
  visits[0]!.leave();
  visits[0]!.leave();
  expect(gate.count()).toBe(2);
  expect(gate.enter(1)).toBeDefined();
  expect(gate.enter(1)).toBeUndefined();
});

test("admits bytes up to the limit", () => {
  const gate = createGate(LIMITS, turns().clock);
  const visit = gate.enter(60);
  expect(gate.enter(41)).toBeUndefined();
  expect(gate.enter(40)).toBeDefined();
  visit!.leave();
  expect(gate.enter(60)).toBeDefined();
});

test("gives turns in order, with a pause in between", async () => {
  const { clock, next, due } = turns();
  const gate = createGate(LIMITS, clock);
  const done: string[] = [];
  for (const name of ["a", "b", "c"]) gate.enter(1)!.turn().then(() => done.push(name));
  expect(done).toEqual([]);
  await next();
  expect(done).toEqual(["a"]);
  await next();
  await next();
  expect(done).toEqual(["a", "b", "c"]);
  expect(due).toEqual([]);
});

test("gives a turn that is requested after a pause", async () => {
  const { clock, next } = turns();
  const gate = createGate(LIMITS, clock);
  const visit = gate.enter(1)!;
  const first = visit.turn();
  await next();
  await first;
  const second = visit.turn();
  await next();
  await second;
});

test("ordinary reviews go ahead of large ones, which get every sixteenth turn", async () => {
  const { clock, next } = turns();
  const gate = createGate({ maxRequests: 100, maxBytes: 1e9 }, clock);
  const done: string[] = [];
  for (const name of ["large 1", "large 2"]) {
    gate.enter(1024 * 1024)!.turn().then(() => done.push(name));
  }
  for (let i = 0; i < 20; i++) gate.enter(1_000)!.turn().then(() => done.push("ordinary"));
  for (let i = 0; i < 22; i++) await next();
  expect(done.indexOf("large 1")).toBe(15);
  expect(done.at(-1)).toBe("large 2");
  expect(done).toHaveLength(22);
});

test("a review that takes more work than an ordinary one goes on among the large ones", async () => {
  const { clock, next } = turns();
  const gate = createGate({ maxRequests: 100, maxBytes: 1e9 }, clock);
  const done: string[] = [];
  const [costly, other] = [gate.enter(1)!, gate.enter(1)!];
  expect([costly.isOrdinary, gate.enter(1e6)!.isOrdinary]).toEqual([true, false]);
  costly.turn("demoted").then(() => done.push("costly"));
  other.turn().then(() => done.push("other"));
  await next();
  await next();
  expect(done).toEqual(["other", "costly"]);
});
