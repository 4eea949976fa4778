import { expect, test } from "bun:test";
import { Budget, BudgetError, UNLIMITED } from "../../lib/data/budget.ts";

function codeOf(run: () => void): string | undefined {
  try {
    run();
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

test("ends at the work that goes over it, whichever stage does it", () => {
  const budget = new Budget({ units: 10 });
  budget.spend(6, "one");
  budget.spend(4, "two");
  expect(budget.spent).toBe(10);
  expect(codeOf(() => budget.spend(1, "three"))).toBe(
    "too_large: the work exceeds 10 units at three",
  );
  expect(codeOf(() => budget.spend(0, "four"))).toContain("at four");
});

test("ends at the deadline, however little was spent on each look at the clock", () => {
  let time = 0;
  let looks = 0;
  const now = () => (looks++, time);
  const budget = new Budget({ units: 1e9, now, deadline: 100 });
  for (let i = 0; i < 10_000; i++) budget.spend(1, "work");
  expect(looks).toBe(10);
  time = 101;
  const late = codeOf(() => {
    for (let i = 0; i < 10_000; i++) budget.spend(1, "more work");
  });
  expect(late).toBe("too_slow: deadline exceeded at more work");
});

test("without a limit it never ends", () => {
  expect(codeOf(() => UNLIMITED.spend(1e15, "anything"))).toBeUndefined();
});
