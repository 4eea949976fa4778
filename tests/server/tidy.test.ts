/** When garbage is collected, told by a collector that only counts. */
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

test("createTidy() waits until collecting is worth it, and until the answer is out", () => {
  const { tidy, done, turn, after } = tidying({ heap: 0 });
  expect(after(5)).toEqual([]);
  for (let i = 0; i < 20; i++) tidy.answered(8 * 1024, false);
  expect(done).toEqual([]);
  turn();
  expect(done).toEqual(["young"]);
});

test("createTidy() lets ten times as many repeated answers pass", () => {
  expect(tidying({ heap: 0 }).after(40, 8 * 1024, true)).toEqual([]);
  expect(tidying({ heap: 0 }).after(100, 8 * 1024, true)).toEqual(["young"]);
});

test("createTidy() counts what large reviews leave", () => {
  expect(tidying({ heap: 0 }).after(1, 3 * MB)).toEqual(["young"]);
});

test("createTidy() collects all once the heap has grown, sooner while nobody waits", () => {
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

test("createTidy() collects all less often the more of it is alive", () => {
  const { state, after } = tidying({ heap: 100 * MB, afterAll: 100 * MB });
  after(20);
  state.heap = 110 * MB;
  expect(after(20)).toEqual(["young"]);
  state.heap = 120 * MB;
  expect(after(20)).toEqual(["young", "all"]);
});

test("createTidy() collects all when what answers are made with is another", () => {
  const { tidy, done, turn, after } = tidying();
  tidy.replaced();
  tidy.answered(1024, false);
  expect(done).toEqual([]);
  turn();
  expect(done).toEqual(["all"]);
  expect(after(20)).toEqual(["young"]);
});

test("createTidy() leaves it to a runtime whose collector can't be asked", () => {
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
