/** The types of compiled code. */
import type { Node, OperandNode } from "./nodes.ts";
import { printNode } from "./nodes.ts";
import type { State } from "./_state.ts";

/** How a statement ended: normally, or by `break` or `continue`. */
export type Flow = 0 | 1 | 2;
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;

export type Walk = (s: State) => Flow;
export type Eval = (s: State) => unknown;
/** A command. `final` is the piped value, or {@link NONE} for the first command. */
export type EvalCommand = (s: State, final: unknown) => unknown;

/** No piped value, as opposed to a piped value that is missing. */
export const NONE = Symbol("none");

/** Returns code that fails. Go reports these errors at run time, too. */
export function failing(node: Node, message: string): Eval {
  return (s) => {
    s.node = node;
    s.fail(message);
  };
}

/** Returns Go's error for arguments to an operand that is not a function. */
export function notAFunction(node: OperandNode): string {
  return `can't give argument to non-function ${printNode(node)}`;
}
