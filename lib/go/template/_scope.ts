/** Variables: slots given out while a body is compiled, and filled while it runs. */
import type { Walk } from "./_closures.ts";
import type { State } from "./_state.ts";

/** A template body and the number of variables it needs room for. */
export interface Body {
  walk: Walk;
  slots: number;
}

/** Variables in scope while a body is compiled. A slot is never used twice in one body. */
export class Scope {
  readonly #names: string[] = ["$"];
  readonly #slots: number[] = [0];
  count = 1;

  declare(name: string): number {
    this.#names.push(name);
    this.#slots.push(this.count);
    return this.count++;
  }

  /** The slot of a name; -1 for one that was only ever assigned, which the parser lets pass. */
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

/** Runs a body with a dot of its own and no variables but `$`. */
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
