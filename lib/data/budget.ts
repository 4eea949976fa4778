/**
 * The budget of one review: a count of the work that all stages may do for it together, and a moment after which nobody
 * waits for the answer. Each stage says what it is about to do, and how much of it; the stage that exceeds the budget
 * gets a BudgetError instead.
 *
 * Work is counted in units, so that the same pod is refused on a slow machine and on a fast one. The clock only
 * stops what the units underestimate.
 * @module
 */

export interface BudgetOptions {
  /** Units of work; one is about a microsecond of a small server's core. */
  readonly units: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
  /** When to stop, by that clock. */
  readonly deadline?: number;
}

export type BudgetErrorCode = "too_large" | "too_slow";

/** Says at which work the budget ended. */
export class BudgetError extends Error {
  override readonly name = "BudgetError";
  readonly code: BudgetErrorCode;
  constructor(code: BudgetErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Units between two looks at the clock, which take a twentieth of a microsecond each. */
const CLOCK_UNITS = 1_000;

export class Budget {
  readonly #units: number;
  readonly #now: (() => number) | undefined;
  readonly #deadline: number;
  #spent = 0;
  #nextLook = CLOCK_UNITS;

  constructor({ units, now, deadline = Infinity }: BudgetOptions) {
    this.#units = units;
    this.#now = now;
    this.#deadline = deadline;
  }

  /** Units used so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Counts work before it is done. `what` completes the sentence "The budget ended at …". */
  spend(units: number, what: string): void {
    this.#spent += units;
    if (this.#spent > this.#units) {
      throw new BudgetError("too_large", `the work exceeds ${this.#units} units at ${what}`);
    }
    if (this.#spent >= this.#nextLook) this.#look(what);
  }

  #look(what: string): void {
    this.#nextLook = this.#spent + CLOCK_UNITS;
    if (this.#now === undefined || this.#now() <= this.#deadline) return;
    throw new BudgetError("too_slow", `the time is over at ${what}`);
  }
}

/** For callers that bound nothing, such as the command line: whoever runs it can stop it. */
export const UNLIMITED: Budget = new Budget({ units: Infinity });
