/**
 * The output of an execution in parts: the texts of the source that were written, and between them what
 * actions printed. Two executions that wrote the same texts in the same order have the same trace; their
 * outputs differ by the values alone.
 */

/** A longer trace is not worth remembering; an injection template's has some hundred parts. */
const MAX_TRACE = 4096;
/** A trace is a text of 16-bit units. */
const MAX_ID = 0xffff;

export class Recording {
  /** What actions printed, in order. */
  readonly values: string[] = [];
  readonly #texts: string[] = [""];
  readonly #ids: number[] = [];
  #length = 0;
  #isTraceable = true;

  /** Takes a text of the source by its id, or with 0 what an action printed; says how long it all is. */
  add(text: string, id: number): number {
    if (id === 0) {
      this.values.push(text);
      this.#texts.push("");
    } else this.#texts[this.values.length] += text;
    if (this.#ids.length === MAX_TRACE || id > MAX_ID) this.#isTraceable = false;
    else this.#ids.push(id);
    return this.#length += text.length;
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
