/** A progress line on standard error. Shown only on a terminal, and cleared at the end. */

import type { Host } from "../host/mod.ts";

/** The minimum total: smaller jobs finish before anyone can read the line. */
const MANY = 50;

/** The minimum time between updates in milliseconds. */
const PACE = 100;

const CLEAR = "\r\x1b[K";

export interface ProgressOptions {
  /** The expected number of items. */
  readonly total: number;
  /** The plural noun for the items, such as `documents`. */
  readonly what: string;
  /** Whether the result is printed to the same terminal at the same time. */
  readonly isTerminalTaken?: boolean;
}

export class Progress {
  readonly #host: Pick<Host, "stderr" | "now">;
  readonly #options: ProgressOptions;
  readonly #shows: boolean;
  #done = 0;
  #shownAt = -Infinity;

  constructor(host: Pick<Host, "stderr" | "now">, options: ProgressOptions) {
    this.#host = host;
    this.#options = options;
    const { total, isTerminalTaken = false } = options;
    this.#shows = host.stderr.isTerminal && !isTerminalTaken && total >= MANY;
  }

  /** Counts one more item as done. */
  async add(): Promise<void> {
    this.#done++;
    if (!this.#shows || this.#host.now() - this.#shownAt < PACE) return;
    this.#shownAt = this.#host.now();
    const { total, what } = this.#options;
    await this.#host.stderr.write(`${CLEAR}${this.#done} of ${total} ${what}`);
  }

  /** Clears the line. */
  async finish(): Promise<void> {
    if (this.#shownAt === -Infinity) return;
    this.#shownAt = -Infinity;
    await this.#host.stderr.write(CLEAR);
  }
}
