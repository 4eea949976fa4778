/** Calls of functions, methods, and the built-in functions that need more than their arguments. */
import {
  ANY,
  type GoFunction,
  type GoMethod,
  type GoType,
  isTrue,
  Typed,
  typeName,
} from "../value.ts";
import { canBeNil, literalArgument, nilArgument, toArgument } from "./_arguments.ts";
import { type Eval, type EvalCommand, NONE } from "./_closures.ts";
import type { State } from "./_state.ts";
import type { Node, OperandNode } from "./nodes.ts";

interface FunctionCall {
  readonly node: Node;
  readonly name: string;
  readonly evals: readonly Eval[];
  /** The type of the parameter that takes the piped value, if there is one. */
  readonly finalType?: GoType;
}

/** Returns code that evaluates the arguments and calls a function, noting its name for errors. */
export function callFunction({ call, cost }: GoFunction, target: FunctionCall): EvalCommand {
  const { node, name, evals, finalType } = target;
  const enter = (s: State) => {
    s.callNode = node;
    s.callName = name;
  };
  const measure = (s: State, value: unknown) => {
    if (typeof value === "string" || Array.isArray(value)) s.size(value.length);
  };
  if (finalType || cost) {
    return (s, final) => {
      const argv: unknown[] = [];
      for (let i = 0; i < evals.length; i++) argv.push(evals[i](s));
      if (finalType) argv.push(toArgument(s, final, finalType));
      enter(s);
      for (const value of argv) measure(s, value);
      if (cost) s.spend(cost(...argv));
      return call(...argv);
    };
  }
  // Most calls have few arguments and need no list of them.
  const [a, b, c] = evals;
  switch (evals.length) {
    case 1:
      return (s) => {
        const x = a(s);
        enter(s);
        measure(s, x);
        return call(x);
      };
    case 2:
      return (s) => {
        const x = a(s);
        const y = b(s);
        enter(s);
        measure(s, x);
        measure(s, y);
        return call(x, y);
      };
    case 3:
      return (s) => {
        const x = a(s);
        const y = b(s);
        const z = c(s);
        enter(s);
        measure(s, x);
        measure(s, y);
        measure(s, z);
        return call(x, y, z);
      };
  }
  return (s) => {
    const argv = evals.map((evaluate) => evaluate(s));
    enter(s);
    for (const value of argv) measure(s, value);
    return call(...argv);
  };
}

export interface MethodOperand {
  readonly node: OperandNode;
  /** Absent for a literal. */
  readonly evaluate?: Eval;
}

interface MethodCall {
  readonly node: Node;
  readonly name: string;
  readonly receiver: unknown;
  readonly operands: readonly MethodOperand[];
  readonly final: unknown;
}

/** Calls a method. Its type is only known at run time, so arguments are checked then. */
export function callMethod(s: State, method: GoMethod, call: MethodCall): unknown {
  const { node, name, operands } = call;
  const { params, variadic } = method;
  const given = operands.length + (call.final === NONE ? 0 : 1);
  checkCount(s, method, { name, given, written: operands.length });
  if (method.unusable !== undefined) s.fail(method.unusable);
  const typeAt = (i: number) => i < params.length ? params[i] : variadic!;
  const argv = operands.map(({ node, evaluate }, i) => {
    s.node = node;
    const type = typeAt(i);
    if (evaluate) return toArgument(s, evaluate(s), type);
    if (node.type === "nil") {
      return canBeNil(type) ? nilArgument(type) : s.fail(`cannot assign nil to ${type.name}`);
    }
    const literal = literalArgument(node, type)!;
    return "error" in literal ? s.fail(literal.error) : literal.value;
  });
  if (call.final !== NONE) argv.push(toArgument(s, call.final, typeAt(given - 1)));
  s.callNode = node;
  s.callName = name;
  return method.call(call.receiver, ...argv);
}

/** Fails with Go's error if the number of arguments is wrong. */
export function checkCount(
  s: State,
  { params, variadic }: Pick<GoFunction, "params" | "variadic">,
  { name, given, written }: { name: string; given: number; written: number },
): void {
  if (variadic ? given >= params.length : given === params.length) return;
  // Go counts the piped value in only one of its two messages.
  const want = variadic
    ? `at least ${params.length} got ${written}`
    : `${params.length} got ${given}`;
  s.fail(`wrong number of args for ${name}: want ${want}`);
}

/** Returns code for `and` and `or`, which stop at the first argument whose truth is `until`. */
export function shortCircuit(
  evals: readonly Eval[],
  until: boolean,
  hasFinal: boolean,
): EvalCommand {
  return (s, final) => {
    let value: unknown;
    for (let i = 0; i < evals.length; i++) {
      value = evals[i](s);
      if (isTrue(value) === until) return value;
    }
    return hasFinal ? final : value;
  };
}

/**
 * Returns an index for `slice` as Go passes it. Unlike other built-in functions, `slice` does not
 * unwrap an `interface {}`, so it refuses even an int from an untyped list.
 */
export function keepInterface(node: OperandNode, evaluate: Eval): Eval {
  const direct = ["dot", "field", "chain", "variable"].includes(node.type);
  if (!direct) return evaluate;
  return (s) => {
    const value = evaluate(s);
    return s.fieldIsInterface && value !== undefined ? new Typed(ANY, value) : value;
  };
}

/** Returns code for `call`. It always fails, because no data contains functions. */
export function callValue(
  evals: readonly Eval[],
  node: Node,
  name: string | undefined,
): EvalCommand {
  return (s, final) => {
    const values = evals.map((evaluate) => evaluate(s));
    const callee = evals.length > 0 ? values[0] : final;
    s.node = node;
    if (callee === undefined || callee === null) s.fail("error calling call: call of nil");
    // A piped value has no source text, so Go prints it as reflect does.
    const text = name ?? (typeof callee === "string" ? callee : `<${typeName(callee)} Value>`);
    s.fail(`error calling call: non-function ${text} of type ${typeName(callee)}`);
  };
}
