/**
 * The tree between parser and compiler, with Go's names for its nodes, and its printed form, which
 * Go's execution errors quote (`at <.Values.hub>`) and which parses back to the same tree.
 */
import type { Complex } from "../fmt.ts";
import { quote } from "../strconv.ts";

interface At {
  /** Offset in the source, in UTF-16 units. */
  readonly pos: number;
}

export interface TextNode extends At {
  readonly type: "text";
  readonly text: string;
}
export interface ActionNode extends At {
  readonly type: "action";
  readonly pipe: PipeNode;
}
export interface BranchNode extends At {
  readonly type: "if" | "range" | "with";
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList?: ListNode;
}
export interface LoopControlNode extends At {
  readonly type: "break" | "continue";
}
export interface TemplateNode extends At {
  readonly type: "template";
  readonly name: string;
  readonly pipe?: PipeNode;
}
export interface ListNode extends At {
  readonly type: "list";
  readonly nodes: readonly StatementNode[];
}
/** What a list holds. */
export type StatementNode = TextNode | ActionNode | BranchNode | LoopControlNode | TemplateNode;

export interface PipeNode extends At {
  readonly type: "pipe";
  /** Names of variables declared or assigned, `$` included. */
  readonly decl: readonly VariableNode[];
  /** `=` rather than `:=`. */
  readonly isAssign: boolean;
  readonly cmds: readonly CommandNode[];
}
export interface CommandNode extends At {
  readonly type: "command";
  readonly args: readonly OperandNode[];
}
export interface IdentifierNode extends At {
  readonly type: "identifier";
  readonly ident: string;
}
export interface VariableNode extends At {
  readonly type: "variable";
  /** The variable with its `$`, then fields. */
  readonly ident: readonly string[];
}
export interface FieldNode extends At {
  readonly type: "field";
  readonly ident: readonly string[];
}
export interface ChainNode extends At {
  readonly type: "chain";
  readonly node: OperandNode;
  readonly field: readonly string[];
}
export interface DotNode extends At {
  readonly type: "dot";
}
export interface NilNode extends At {
  readonly type: "nil";
}
export interface BoolNode extends At {
  readonly type: "bool";
  readonly value: boolean;
}
export interface StringNode extends At {
  readonly type: "string";
  readonly quoted: string;
  readonly text: string;
}
export interface NumberNode extends At {
  readonly type: "number";
  readonly text: string;
  /** Each form the constant can take; which one it takes depends on where it is used. */
  readonly int?: bigint;
  readonly uint?: bigint;
  readonly float?: number;
  readonly complex?: Complex;
}
export type OperandNode =
  | PipeNode
  | IdentifierNode
  | VariableNode
  | FieldNode
  | ChainNode
  | DotNode
  | NilNode
  | BoolNode
  | StringNode
  | NumberNode;

export type Node = ListNode | StatementNode | CommandNode | OperandNode;

/** Whether a tree has nothing but space, so that a later definition may replace it. */
export function isEmptyTree(list: ListNode): boolean {
  return list.nodes.every((node) => node.type === "text" && node.text.trim() === "");
}

/** Delimiters to print with; Go's errors always show `{{` and `}}`. */
export interface PrintOptions {
  readonly leftDelim?: string;
  readonly rightDelim?: string;
}

/** The source form of a node, as Go prints it. */
export function printNode(node: Node, options: PrintOptions = {}): string {
  const { leftDelim = "{{", rightDelim = "}}" } = options;
  const action = (text: string) => leftDelim + text + rightDelim;
  const print = (node: Node): string => {
    switch (node.type) {
      case "list":
        return node.nodes.map(print).join("");
      case "text":
        return node.text;
      case "action":
        return action(print(node.pipe));
      case "break":
      case "continue":
        return action(node.type);
      case "if":
      case "range":
      case "with":
        return action(`${node.type} ${print(node.pipe)}`) + print(node.list) +
          (node.elseList ? action("else") + print(node.elseList) : "") + action("end");
      case "template":
        return action(
          `template ${quote(node.name)}${node.pipe ? ` ${print(node.pipe)}` : ""}`,
        );
      case "pipe": {
        const decl = node.decl.map(print).join(", ");
        return (decl && `${decl} ${node.isAssign ? "=" : ":="} `) +
          node.cmds.map(print).join(" | ");
      }
      case "command":
        return node.args.map(operand).join(" ");
      case "identifier":
        return node.ident;
      case "variable":
        return node.ident.join(".");
      case "field":
        return node.ident.map((name) => `.${name}`).join("");
      case "chain":
        return operand(node.node) + node.field.map((name) => `.${name}`).join("");
      case "dot":
        return ".";
      case "nil":
        return "nil";
      case "bool":
        return String(node.value);
      case "string":
        return node.quoted;
      case "number":
        return node.text;
    }
  };
  const operand = (node: OperandNode) => node.type === "pipe" ? `(${print(node)})` : print(node);
  return print(node);
}
