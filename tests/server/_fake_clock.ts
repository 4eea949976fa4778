/** A clock that only advances when told to. */
import type { Clock } from "../../lib/host/mod.ts";

export interface FakeClock extends Clock {
  /** Advances, running due timers in order and pending promises in between. */
  advance(milliseconds: number): Promise<void>;
  /** The number of pending timers. */
  waiting(): number;
}

export function fakeClock(start = Date.UTC(2026, 0, 2)): FakeClock {
  let elapsed = 0;
  let timers: { at: number; run: () => void }[] = [];
  const settle = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(milliseconds, run) {
      const timer = { at: elapsed + milliseconds, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    soon: (run) => void setImmediate(run),
    waiting: () => timers.length,
    async advance(milliseconds) {
      const end = elapsed + milliseconds;
      for (;;) {
        await settle();
        const next = timers.toSorted((a, b) => a.at - b.at).find(({ at }) => at <= end);
        if (next === undefined) break;
        elapsed = next.at;
        timers = timers.filter((other) => other !== next);
        next.run();
      }
      elapsed = end;
      await settle();
    },
  };
}
