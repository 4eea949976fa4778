/**
 * The nodes of a parsed template, with Go's names, and their source form. Errors of an execution
 * quote it (`at <.Values.hub>`), and it parses back to the same tree.
 */
import type { Complex } from "../fmt.ts";
import { quote } from "../strconv.ts";

interface At {
  /** The offset in the source, in UTF-16 code units. */
  readonly pos: number;
}

interface TextNode extends At {
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
/** A node in a list. */
export type StatementNode = TextNode | ActionNode | BranchNode | LoopControlNode | TemplateNode;

export interface PipeNode extends At {
  readonly type: "pipe";
  /** The variables that are declared or assigned, including their `$`. */
  readonly decl: readonly VariableNode[];
  /** Whether the operator is `=` and not `:=`. */
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
  /** The variable including its `$`, followed by fields. */
  readonly ident: readonly string[];
}
interface FieldNode extends At {
  readonly type: "field";
  readonly ident: readonly string[];
}
export interface ChainNode extends At {
  readonly type: "chain";
  readonly node: OperandNode;
  readonly field: readonly string[];
}
interface DotNode extends At {
  readonly type: "dot";
}
interface NilNode extends At {
  readonly type: "nil";
}
interface BoolNode extends At {
  readonly type: "bool";
  readonly value: boolean;
}
interface StringNode extends At {
  readonly type: "string";
  readonly quoted: string;
  readonly text: string;
}
export interface NumberNode extends At {
  readonly type: "number";
  readonly text: string;
  /** The constant in each type that it fits. Where it is used decides which type it has. */
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

/** Reports whether a tree contains only space, so that another definition can replace it. */
export function isEmptyTree(list: ListNode): boolean {
  return list.nodes.every((node) => node.type === "text" && node.text.trim() === "");
}

/** The delimiters to print. */
interface PrintOptions {
  readonly leftDelim?: string;
  readonly rightDelim?: string;
}

/** Returns the source form of a node, as Go's `Node.String` does. */
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
