/**
 * Stage three: compiles trees to closures. It resolves once whatever depends on the template alone:
 * the function that a name means, the number of arguments, the value of a literal as an argument,
 * and the slot of a variable. A compiled template has no state of an execution (see _state.ts), so
 * executions can run in parallel.
 *
 * Names follow Go's text/template/exec.go: walk for statements, eval for values. `s.node` is set
 * where Go sets it, because errors name the last visited node.
 */
import { formatValue } from "../fmt.ts";
import { quote } from "../strconv.ts";
import {
  ANY,
  type FunctionMap,
  type GoFunction,
  type GoType,
  isTrue,
  REFLECT_VALUE,
} from "../value.ts";
import { canBeNil, idealConstant, literalArgument, nilArgument, toArgument } from "./_arguments.ts";
import { BUILTINS } from "./_builtins.ts";
import {
  callFunction,
  callMethod,
  callValue,
  checkCount,
  keepInterface,
  type MethodOperand,
  shortCircuit,
} from "./_calls.ts";
import {
  BREAK,
  CONTINUE,
  type Eval,
  type EvalCommand,
  failing,
  type Flow,
  NEXT,
  NONE,
  notAFunction,
  type Walk,
} from "./_closures.ts";
import { evalField, type FieldAccess, type MissingKey } from "./_fields.ts";
import { iterate } from "./_iterate.ts";
import { type Body, execute, Scope, setVariable } from "./_scope.ts";
import type { State } from "./_state.ts";
import { type TemplateTrace, tracedList } from "./_trace.ts";
import { printable } from "./_values.ts";
import type {
  BranchNode,
  ChainNode,
  CommandNode,
  IdentifierNode,
  ListNode,
  Node,
  OperandNode,
  PipeNode,
  StatementNode,
  TemplateNode,
  VariableNode,
} from "./nodes.ts";
import { printNode } from "./nodes.ts";
import type { TreeSet } from "./parse.ts";

interface CompileOptions {
  readonly functions: FunctionMap;
  readonly missingKey: MissingKey;
  readonly trace?: TemplateTrace;
}

/** Evaluates `.A.B.C` on a root, which may be an element of type `interface {}`. */
type WalkChain = (s: State, root: unknown, rootIsInterface: boolean) => unknown;

/** Compiles the templates of a set of trees. */
export class Compiler {
  readonly #trees: TreeSet;
  readonly #options: CompileOptions;
  readonly #bodies = new Map<string, Body>();
  /** The number of texts that have an id so far. Ids start at 1. */
  #texts = 0;

  constructor(trees: TreeSet, options: CompileOptions) {
    this.#trees = trees;
    this.#options = options;
  }

  /** Compiles a template. The templates it calls are compiled when they are first called. */
  body(name: string): Body | undefined {
    const known = this.#bodies.get(name);
    const tree = this.#trees.get(name);
    if (known || !tree) return known;
    const scope = new Scope();
    const body: Body = { walk: this.#list(tree, scope), slots: 0 };
    body.slots = scope.count;
    this.#bodies.set(name, body);
    return body;
  }

  #list(list: ListNode, scope: Scope): Walk {
    const walks = list.nodes.map((node) => this.#statement(node, scope));
    const { trace } = this.#options;
    if (trace) return tracedList(list, { walks, trace });
    const count = walks.length;
    return (s) => {
      s.step(count);
      for (let i = 0; i < count; i++) {
        const flow = walks[i](s);
        if (flow !== NEXT) return flow;
      }
      return NEXT;
    };
  }

  #statement(node: StatementNode, scope: Scope): Walk {
    switch (node.type) {
      case "text": {
        const { text } = node;
        const id = ++this.#texts;
        return (s) => {
          s.writeText(text, id);
          return NEXT;
        };
      }
      case "break":
        return () => BREAK;
      case "continue":
        return () => CONTINUE;
      case "action": {
        const pipe = this.#pipeline(node.pipe, scope);
        if (node.pipe.decl.length > 0) return (s) => (pipe(s), NEXT);
        return (s) => {
          const value = pipe(s);
          s.node = node;
          s.writeValue(typeof value === "string" ? value : formatValue(printable(value)), node);
          return NEXT;
        };
      }
      case "if":
      case "with":
        return this.#ifOrWith(node, scope);
      case "range":
        return this.#range(node, scope);
      case "template":
        return this.#template(node, scope);
    }
  }

  #ifOrWith(node: BranchNode, scope: Scope): Walk {
    const mark = scope.mark();
    const pipe = this.#pipeline(node.pipe, scope);
    const [list, elseList] = this.#branches(node, scope);
    scope.release(mark);
    const otherwise: Walk = elseList ?? (() => NEXT);
    if (node.type === "if") return (s) => isTrue(pipe(s)) ? list(s) : otherwise(s);
    return (s) => {
      const value = pipe(s);
      if (!isTrue(value)) return otherwise(s);
      const { dot, dotIsInterface } = s;
      s.dot = value;
      s.dotIsInterface = false;
      const flow = list(s);
      s.dot = dot;
      s.dotIsInterface = dotIsInterface;
      return flow;
    };
  }

  /** Compiles both branches of a node. Neither sees the variables of the other. */
  #branches(node: BranchNode, scope: Scope): [list: Walk, elseList: Walk | undefined] {
    const mark = scope.mark();
    const list = this.#list(node.list, scope);
    scope.release(mark);
    return [list, node.elseList && this.#list(node.elseList, scope)];
  }

  #range(node: BranchNode, scope: Scope): Walk {
    const mark = scope.mark();
    const pipe = this.#pipeline(node.pipe, scope);
    const { decl } = node.pipe;
    const elemSlot = decl.length > 0 ? scope.slot(decl[decl.length - 1].ident[0]) : -1;
    const indexSlot = decl.length > 1 ? scope.slot(decl[0].ident[0]) : -1;
    const [list, elseList] = this.#branches(node, scope);
    scope.release(mark);

    const body = (s: State, index: unknown, elem: unknown, isInterface: boolean): Flow => {
      s.step(1);
      if (elemSlot >= 0) setVariable(s, elemSlot, elem, isInterface);
      if (indexSlot >= 0) setVariable(s, indexSlot, index, false);
      s.dot = elem;
      s.dotIsInterface = isInterface;
      const flow = list(s);
      return flow === BREAK ? BREAK : NEXT;
    };

    return (s) => {
      s.node = node;
      const value = pipe(s);
      const { dot, dotIsInterface } = s;
      const empty = !iterate(s, value, decl.length > 1, body);
      s.dot = dot;
      s.dotIsInterface = dotIsInterface;
      return empty && elseList ? elseList(s) : NEXT;
    };
  }

  #template(node: TemplateNode, scope: Scope): Walk {
    const pipe = node.pipe && this.#pipeline(node.pipe, scope);
    const { name } = node;
    return (s) => {
      s.node = node;
      const body = this.body(name);
      if (!body) return s.fail(`template ${quote(name)} not defined`);
      if (s.depth >= s.limits.depth) {
        s.fail(`exceeded maximum template depth (${s.limits.depth})`);
      }
      const argument = pipe?.(s);
      const { node: at, dot, dotIsInterface, vars, template } = s;
      s.depth++;
      s.template = name;
      execute(s, body, argument);
      s.depth--;
      s.node = at;
      s.dot = dot;
      s.dotIsInterface = dotIsInterface;
      s.vars = vars;
      s.template = template;
      return NEXT;
    };
  }

  #pipeline(pipe: PipeNode, scope: Scope): Eval {
    const commands = pipe.cmds.map((cmd, i) => this.#command(cmd, i > 0, scope));
    const slots = pipe.decl.map(({ ident: [name] }) => {
      return pipe.isAssign ? scope.slot(name) : scope.declare(name);
    });
    const first = commands[0];
    const only = commands.length === 1;
    return (s) => {
      s.node = pipe;
      // Go unwraps interfaces here, so a nil interface becomes no value.
      let value = first(s, NONE) ?? undefined;
      if (!only) {
        for (let i = 1; i < commands.length; i++) value = commands[i](s, value) ?? undefined;
      }
      for (let i = 0; i < slots.length; i++) {
        if (slots[i] < 0) s.fail(`undefined variable: ${pipe.decl[i].ident[0]}`);
        setVariable(s, slots[i], value, false);
      }
      return value;
    };
  }

  #command(cmd: CommandNode, hasFinal: boolean, scope: Scope): EvalCommand {
    const [first] = cmd.args;
    const hasArgs = hasFinal || cmd.args.length > 1;
    switch (first.type) {
      case "field":
      case "chain":
      case "variable":
        return this.#fields(first, scope, { args: cmd.args.slice(1), hasFinal });
      case "identifier":
        return this.#function(first, scope, { node: cmd, args: cmd.args.slice(1), hasFinal });
      case "pipe": {
        if (hasArgs) return (s) => s.fail(notAFunction(first));
        return this.#pipeline(first, scope);
      }
    }
    if (hasArgs) return failing(first, notAFunction(first));
    switch (first.type) {
      case "dot":
        return (s) => {
          s.node = first;
          return s.dot;
        };
      case "nil":
        return failing(first, "nil is not a command");
    }
    const literal = first.type === "number"
      ? idealConstant(first)
      : { value: first.type === "bool" ? first.value : first.text };
    if ("error" in literal) return failing(first, literal.error);
    return (s) => {
      s.node = first;
      return literal.value;
    };
  }

  /** Compiles `.A.B`, `$x.A.B` or `(pipeline).A.B`. The last name can be a method. */
  #fields(
    node: Extract<OperandNode, { type: "field" | "chain" | "variable" }>,
    scope: Scope,
    call: { args: readonly OperandNode[]; hasFinal: boolean },
  ): EvalCommand {
    const hasArgs = call.hasFinal || call.args.length > 0;
    const names = node.type === "field"
      ? node.ident
      : node.type === "chain"
      ? node.field
      : node.ident.slice(1);
    const operands = call.args.map((arg) => this.#methodOperand(arg, scope));
    const accesses = names.map((name, i): FieldAccess => {
      const last = i === names.length - 1;
      const target = { node, name, operands: last ? operands : [] };
      return {
        name,
        missingKey: this.#options.missingKey,
        hasArgs: last && hasArgs,
        knownJson: "",
        callMethod: (s, method, receiver) =>
          callMethod(s, method, { ...target, receiver, final: last ? s.final : NONE }),
      };
    });
    const walk: WalkChain = (s, root, rootIsInterface) => {
      let value = root;
      let isInterface = rootIsInterface;
      for (let i = 0; i < accesses.length; i++) {
        value = evalField(s, value, isInterface, accesses[i]);
        isInterface = s.fieldIsInterface;
      }
      return value;
    };
    switch (node.type) {
      case "field":
        return (s, final) => {
          s.node = node;
          s.final = final;
          return walk(s, s.dot, s.dotIsInterface);
        };
      case "variable":
        return this.#variable(node, scope, { walk, hasArgs });
      case "chain":
        return this.#chain(node, scope, walk);
    }
  }

  #variable(
    node: VariableNode,
    scope: Scope,
    { walk, hasArgs }: { walk: WalkChain; hasArgs: boolean },
  ): EvalCommand {
    const slot = scope.slot(node.ident[0]) * 2;
    if (slot < 0) return failing(node, `undefined variable: ${node.ident[0]}`);
    if (node.ident.length === 1) {
      if (hasArgs) return failing(node, notAFunction(node));
      return (s) => {
        s.node = node;
        s.fieldIsInterface = s.vars[slot + 1] === true;
        return s.vars[slot];
      };
    }
    return (s, final) => {
      s.node = node;
      s.final = final;
      return walk(s, s.vars[slot], s.vars[slot + 1] === true);
    };
  }

  #chain(node: ChainNode, scope: Scope, walk: WalkChain): EvalCommand {
    if (node.node.type === "nil") {
      return failing(node, `indirection through explicit nil in ${printNode(node)}`);
    }
    const root = this.#operand(node.node, scope);
    return (s, final) => {
      s.node = node;
      const value = root(s);
      s.final = final;
      return walk(s, value, false);
    };
  }

  #function(
    node: IdentifierNode,
    scope: Scope,
    call: { node: Node; args: readonly OperandNode[]; hasFinal: boolean },
  ): EvalCommand {
    const name = node.ident;
    const own = Object.hasOwn(this.#options.functions, name);
    const fn = own ? this.#options.functions[name] : BUILTINS[name];
    const evaluate = this.#call(fn, scope, { ...call, name, isBuiltin: !own });
    return (s, final) => {
      s.node = node;
      return evaluate(s, final);
    };
  }

  /** Compiles an argument of a method, whose parameter types are only known at run time. */
  #methodOperand(node: OperandNode, scope: Scope): MethodOperand {
    const isLiteral = literalArgument(node, ANY) !== undefined || node.type === "nil";
    return { node, evaluate: isLiteral ? undefined : this.#operand(node, scope) };
  }

  #call(
    fn: GoFunction,
    scope: Scope,
    target: {
      node: Node;
      name: string;
      args: readonly OperandNode[];
      hasFinal: boolean;
      isBuiltin: boolean;
    },
  ): EvalCommand {
    const { node, name, args, hasFinal, isBuiltin } = target;
    const { params, variadic } = fn;
    const given = args.length + (hasFinal ? 1 : 0);
    const count = { name, given, written: args.length };
    if (variadic ? given < params.length : given !== params.length) {
      return (s) => checkCount(s, fn, count);
    }
    const typeAt = (i: number) => i < params.length ? params[i] : variadic!;
    const evals = args.map((arg, i) => this.#argument(arg, typeAt(i), scope));
    if (isBuiltin && (name === "and" || name === "or")) {
      return shortCircuit(evals, name === "or", hasFinal);
    }
    if (isBuiltin && name === "slice") {
      for (let i = 1; i < args.length; i++) evals[i] = keepInterface(args[i], evals[i]);
    }
    if (isBuiltin && name === "call") {
      return callValue(evals, node, args.length > 0 ? printNode(args[0]) : undefined);
    }
    const finalType = hasFinal ? typeAt(given - 1) : undefined;
    return callFunction(fn, { node, name, evals, finalType });
  }

  /** Compiles an operand as an argument, which is checked against the type of the parameter. */
  #argument(node: OperandNode, type: GoType, scope: Scope): Eval {
    if (node.type === "nil") {
      if (!canBeNil(type)) return failing(node, `cannot assign nil to ${type.name}`);
      const nil = nilArgument(type);
      return (s) => {
        s.node = node;
        return nil;
      };
    }
    const literal = literalArgument(node, type);
    if (literal) {
      if ("error" in literal) return failing(node, literal.error);
      const { value } = literal;
      return (s) => {
        s.node = node;
        return value;
      };
    }
    const operand = this.#operand(node, scope);
    if (type === REFLECT_VALUE) return operand;
    if (type === ANY) {
      return (s) => {
        const value = operand(s);
        return value === undefined ? null : value;
      };
    }
    return (s) => toArgument(s, operand(s), type);
  }

  /** Compiles an operand that is not a literal. */
  #operand(node: OperandNode, scope: Scope): Eval {
    switch (node.type) {
      case "dot":
        return (s) => {
          s.node = node;
          s.fieldIsInterface = s.dotIsInterface;
          return s.dot;
        };
      case "field":
      case "chain":
      case "variable": {
        const fields = this.#fields(node, scope, { args: [], hasFinal: false });
        return (s) => fields(s, NONE);
      }
      case "identifier": {
        const call = this.#function(node, scope, { node, args: [], hasFinal: false });
        return (s) => call(s, NONE);
      }
      case "pipe":
        return this.#pipeline(node, scope);
    }
    throw new Error(`not an operand: ${node.type}`);
  }
}
