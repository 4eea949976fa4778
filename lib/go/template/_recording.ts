/**
 * Records the output of an execution in parts: text of the template, and values that actions
 * printed. Executions that write the same text in the same order have the same trace, and their
 * outputs only differ in the values.
 */

import type { ActionNode } from "./nodes.ts";

/** The maximum length of a trace. That of an injection template has some hundred parts. */
const MAX_TRACE = 4096;
/** The largest id, because a trace is a string of UTF-16 code units. */
const MAX_ID = 0xffff;

export class Recording {
  /** The values that actions printed, in order. */
  readonly values: string[] = [];
  /** The action that printed each value. */
  readonly actions: ActionNode[] = [];
  readonly #texts: string[] = [""];
  readonly #ids: number[] = [];
  #length = 0;
  #isTraceable = true;

  /** The length of the output so far, in characters. */
  get length(): number {
    return this.#length;
  }

  /** Adds text of the template, which has an id. */
  addText(text: string, id: number): void {
    this.#texts[this.values.length] += text;
    this.#trace(text, id);
  }

  /** Adds a value that an action printed. */
  addValue(text: string, action: ActionNode): void {
    this.values.push(text);
    this.actions.push(action);
    this.#texts.push("");
    this.#trace(text, 0);
  }

  #trace(text: string, id: number): void {
    if (this.#ids.length === MAX_TRACE || id > MAX_ID) this.#isTraceable = false;
    else this.#ids.push(id);
    this.#length += text.length;
  }

  /** The text of the template before, between and after the values. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Identifies the output apart from the values; `undefined` if that is too long. */
  get trace(): string | undefined {
    return this.#isTraceable ? String.fromCharCode(...this.#ids) : undefined;
  }

  /** The whole output. */
  get text(): string {
    let text = this.#texts[0];
    for (let i = 0; i < this.values.length; i++) text += this.values[i] + this.#texts[i + 1];
    return text;
  }
}
