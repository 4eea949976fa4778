/** When garbage is collected, tested with a collector that only counts. */
import { expect, test } from "bun:test";
import { createTidy } from "../../lib/server/tidy.ts";

const MB = 1024 * 1024;

/** A heap of so many bytes, and what was done to it; nothing happens before `turn()`. */
function tidying({ heap = 10 * MB, afterAll = 10 * MB } = {}) {
  const done: string[] = [];
  const soon: (() => void)[] = [];
  const state = { heap, isBusy: true };
  const tidy = createTidy({
    collector: {
      young() {
        done.push("young");
        return state.heap;
      },
      all() {
        done.push("all");
        return state.heap = afterAll;
      },
    },
    isBusy: () => state.isBusy,
    clock: { soon: (run) => void soon.push(run) },
  });
  const turn = () => soon.splice(0).forEach((run) => run());
  /** What it does after that much was answered. */
  const after = (count: number, bytes = 8 * 1024, isRepeat = false) => {
    done.length = 0;
    for (let i = 0; i < count; i++) tidy.answered(bytes, isRepeat);
    turn();
    return [...done];
  };
  return { tidy, done, state, turn, after };
}

test("createTidy() collects when it is worth it, after the answer is sent", () => {
  const { tidy, done, turn, after } = tidying({ heap: 0 });
  expect(after(5)).toEqual([]);
  for (let i = 0; i < 20; i++) tidy.answered(8 * 1024, false);
  expect(done).toEqual([]);
  turn();
  expect(done).toEqual(["young"]);
});

test("createTidy() collects a tenth as often for repeated answers", () => {
  expect(tidying({ heap: 0 }).after(40, 8 * 1024, true)).toEqual([]);
  expect(tidying({ heap: 0 }).after(100, 8 * 1024, true)).toEqual(["young"]);
});

test("createTidy() counts the garbage of large reviews", () => {
  expect(tidying({ heap: 0 }).after(1, 3 * MB)).toEqual(["young"]);
});

test("createTidy() collects the whole heap once it has grown, earlier when idle", () => {
  const { state, after } = tidying();
  expect(after(20)).toEqual(["young", "all"]);
  state.heap = 12.5 * MB;
  expect(after(20)).toEqual(["young"]);
  state.isBusy = false;
  expect(after(20)).toEqual(["young", "all"]);
  state.isBusy = true;
  state.heap = 13.5 * MB;
  expect(after(20)).toEqual(["young", "all"]);
});

test("createTidy() collects a larger live heap less often", () => {
  const { state, after } = tidying({ heap: 100 * MB, afterAll: 100 * MB });
  after(20);
  state.heap = 110 * MB;
  expect(after(20)).toEqual(["young"]);
  state.heap = 120 * MB;
  expect(after(20)).toEqual(["young", "all"]);
});

test("createTidy() collects the whole heap when the injector is replaced", () => {
  const { tidy, done, turn, after } = tidying();
  tidy.replaced();
  tidy.answered(1024, false);
  expect(done).toEqual([]);
  turn();
  expect(done).toEqual(["all"]);
  expect(after(20)).toEqual(["young"]);
});

test("createTidy() does nothing without a collector API", () => {
  const tidy = createTidy({
    collector: undefined,
    isBusy: () => false,
    clock: {
      soon() {
        throw new Error("nothing to do");
      },
    },
  });
  tidy.replaced();
  for (let i = 0; i < 1000; i++) tidy.answered(MB, false);
});
