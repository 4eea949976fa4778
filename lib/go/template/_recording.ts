/**
 * The output of an execution in parts: the texts of the source that were written, and between them what
 * actions printed. Two executions that wrote the same texts in the same order have the same trace; their
 * outputs differ by the values alone.
 */

import type { ActionNode } from "./nodes.ts";

/** A longer trace is not worth remembering; an injection template's has some hundred parts. */
const MAX_TRACE = 4096;
/** A trace is a text of 16-bit units. */
const MAX_ID = 0xffff;

export class Recording {
  /** What actions printed, in order. */
  readonly values: string[] = [];
  /** The actions that printed the values. */
  readonly actions: ActionNode[] = [];
  readonly #texts: string[] = [""];
  readonly #ids: number[] = [];
  #length = 0;
  #isTraceable = true;

  /** Characters of the output so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds a text of the source by its id. */
  addText(text: string, id: number): void {
    this.#texts[this.values.length] += text;
    this.#trace(text, id);
  }

  /** Adds what an action printed. */
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

  /** Fixed text, before, between and after the values. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** What was written, but for the values; `undefined` if that is too long to tell. */
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
