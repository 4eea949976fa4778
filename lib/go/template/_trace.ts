/**
 * Traces executions: which lists of statements ran, and which part of the output each statement
 * wrote. Only templates that are compiled with a trace have this code.
 */
import { NEXT, type Walk } from "./_closures.ts";
import type { ListNode, StatementNode } from "./nodes.ts";
import type { TreeSet } from "./parse.ts";

export interface TemplateTrace {
  /** Called with the trees of the template after it is parsed. */
  trees?(trees: TreeSet): void;
  /** Called before each execution of a list: a template, a branch, or the body of a `range`. */
  list(list: ListNode): void;
  /** Called after a statement, with the part of the output it wrote. */
  statement(node: StatementNode, range: { readonly start: number; readonly end: number }): void;
}

/** Returns code that executes a list and reports it to the trace. */
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
