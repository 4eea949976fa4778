/** How far a long work has come: one line on standard error, on a terminal only, gone when it is over. */

import type { Host } from "../host/mod.ts";

/** Fewer are done before a line about them could be read. */
const MANY = 50;

/** Milliseconds between two states of the line; the eye follows ten a second. */
const PACE = 100;

const CLEAR = "\r\x1b[K";

export interface ProgressOptions {
  /** How many there will be. */
  readonly total: number;
  /** Of what, as in `documents`. */
  readonly what: string;
  /** Whether the result goes to the same terminal while the work is under way. */
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

  /** One more is done. */
  async add(): Promise<void> {
    this.#done++;
    if (!this.#shows || this.#host.now() - this.#shownAt < PACE) return;
    this.#shownAt = this.#host.now();
    const { total, what } = this.#options;
    await this.#host.stderr.write(`${CLEAR}${this.#done} of ${total} ${what}`);
  }

  /** Takes the line away; whatever is printed next begins at the margin. */
  async finish(): Promise<void> {
    if (this.#shownAt === -Infinity) return;
    this.#shownAt = -Infinity;
    await this.#host.stderr.write(CLEAR);
  }
}
