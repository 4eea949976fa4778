/** The shapes that compiled code has. */
import type { Node, OperandNode } from "./nodes.ts";
import { printNode } from "./nodes.ts";
import type { State } from "./_state.ts";

/** How a statement ended: on its way, or by `break` or `continue`. */
export type Flow = 0 | 1 | 2;
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;

export type Walk = (s: State) => Flow;
export type Eval = (s: State) => unknown;
/** A command; `final` is what came down the pipe, {@link NONE} at its head. */
export type EvalCommand = (s: State, final: unknown) => unknown;

/** No value from the pipe: not even the absence of one. */
export const NONE = Symbol("none");

/** Code that does nothing but fail, as Go does at run time for what it could have told before. */
export function failing(node: Node, message: string): Eval {
  return (s) => {
    s.node = node;
    s.fail(message);
  };
}

export function notAFunction(node: OperandNode): string {
  return `can't give argument to non-function ${printNode(node)}`;
}
