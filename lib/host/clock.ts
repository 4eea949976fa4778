/**
 * The time of day, a monotonic clock, and timers. Code that waits takes a `Clock`, so that tests can advance
 * the time instead of sleeping.
 */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since a fixed point in the past; unaffected by changes of the system time. */
  monotonic(): number;
  /** Calls `run` once after a delay; returns a function that cancels it. */
  after(milliseconds: number, run: () => void): () => void;
  /** Calls `run` once pending I/O has been handled. */
  soon(run: () => void): void;
}

export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(milliseconds, run) {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
    soon: (run) => void setImmediate(run),
  };
}
