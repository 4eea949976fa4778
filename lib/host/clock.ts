/**
 * Time for whatever waits: the date, a clock that only goes forward, and timers. Code that waits takes
 * a `Clock`, so that tests move time by hand instead of sleeping.
 */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment of the past; setting the date does not touch it. */
  monotonic(): number;
  /** Runs once after so many milliseconds; returns what calls it off. */
  after(milliseconds: number, run: () => void): () => void;
  /** Runs once what is ready to be read or written has had its turn. */
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
