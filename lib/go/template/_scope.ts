/** Template variables. The compiler assigns each a slot; an execution sets its value. */
import type { Walk } from "./_closures.ts";
import type { State } from "./_state.ts";

/** A compiled template, and the number of its variables. */
export interface Body {
  walk: Walk;
  slots: number;
}

/** The variables in scope while a template is compiled. No two variables share a slot. */
export class Scope {
  readonly #names: string[] = ["$"];
  readonly #slots: number[] = [0];
  count = 1;

  declare(name: string): number {
    this.#names.push(name);
    this.#slots.push(this.count);
    return this.count++;
  }

  /** Returns the slot of a variable; -1 if it was never declared, which the parser ignores. */
  slot(name: string): number {
    return this.#slots[this.#names.lastIndexOf(name)] ?? -1;
  }

  mark(): number {
    return this.#names.length;
  }

  release(mark: number): void {
    this.#names.length = this.#slots.length = mark;
  }
}

/** Executes a template with a new dot and no variables except `$`. */
export function execute(s: State, body: Body, dot: unknown): void {
  s.vars = new Array(body.slots * 2);
  s.vars[0] = s.dot = dot;
  s.dotIsInterface = false;
  body.walk(s);
}

export function setVariable(s: State, slot: number, value: unknown, isInterface: boolean): void {
  s.vars[slot * 2] = value;
  s.vars[slot * 2 + 1] = isInterface;
}
