/**
 * Watching an execution: which lists of statements ran, and what part of the output each statement wrote. Only a
 * template compiled to be watched has these closures; all others don't know of them.
 */
import { NEXT, type Walk } from "./_closures.ts";
import type { ListNode, StatementNode } from "./nodes.ts";
import type { TreeSet } from "./parse.ts";

export interface TemplateTrace {
  /** The template was compiled, and these are its nodes. */
  trees?(trees: TreeSet): void;
  /** A list begins: a whole template, or the branch that is taken, once a round of a `range`. */
  list(list: ListNode): void;
  /** A statement has run, and wrote this part of the output. */
  statement(node: StatementNode, range: { readonly start: number; readonly end: number }): void;
}

export function tracedList(
  list: ListNode,
  { walks, trace }: { walks: readonly Walk[]; trace: TemplateTrace },
): Walk {
  const { nodes } = list;
  return (s) => {
    trace.list(list);
    s.step(nodes.length);
    for (let i = 0; i < nodes.length; i++) {
      const start = s.output.length;
      const flow = walks[i](s);
      trace.statement(nodes[i], { start, end: s.output.length });
      if (flow !== NEXT) return flow;
    }
    return NEXT;
  };
}
