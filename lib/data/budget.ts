/**
 * The budget of one review: limits the work that all stages together may do for it, and the time
 * after which nobody waits for the answer. Each stage reports work before doing it; the stage that
 * exceeds the budget gets a BudgetError.
 *
 * Work is counted in units, so that slow and fast machines refuse the same pods. The deadline only
 * stops work whose units underestimate its time.
 * @module
 */

export interface BudgetOptions {
  /** The units of work allowed; one takes about a microsecond on a core of a small server. */
  readonly units: number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
  /** When to stop, on that clock. */
  readonly deadline?: number;
}

export type BudgetErrorCode = "too_large" | "too_slow";

/** The error of exceeding a budget; its message names the work. */
export class BudgetError extends Error {
  override readonly name = "BudgetError";
  readonly code: BudgetErrorCode;
  constructor(code: BudgetErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Units between two checks of the clock. A check takes a twentieth of a microsecond. */
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

  /** The units used so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Counts work before it is done. `what` names the work in the error message. */
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
    throw new BudgetError("too_slow", `deadline exceeded at ${what}`);
  }
}

/** The budget of callers that need no limit, such as the command line, which the user can stop. */
export const UNLIMITED: Budget = new Budget({ units: Infinity });
