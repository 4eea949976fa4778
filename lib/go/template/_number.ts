/** Number constants of templates: every form that a literal can take, as Go's parser works out. */
import { FunctionError } from "../value.ts";
import { parseFloat, quote, unquoteChar } from "../strconv.ts";
import type { NumberNode } from "./nodes.ts";

interface NumberToken {
  readonly pos: number;
  readonly text: string;
  readonly type: "number" | "complex" | "charConstant";
}

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
const MAX_UINT64 = 2n ** 64n - 1n;

export function parseNumber(token: NumberToken): NumberNode {
  const { pos, text } = token;
  const node = { type: "number", pos, text } as const;
  switch (token.type) {
    case "charConstant": {
      const code = BigInt(unquoteChar(text));
      return { ...node, int: code, uint: code, float: Number(code) };
    }
    case "complex":
      return { ...node, ...complexForms(...parseComplex(text)) };
  }
  if (text.endsWith("i")) {
    const imaginary = tryParseFloat(text.slice(0, -1));
    if (imaginary !== undefined) return { ...node, ...complexForms(0, imaginary) };
  }
  const integer = parseInteger(text);
  if (integer !== undefined) {
    const int = integer >= MIN_INT64 && integer <= MAX_INT64 ? integer : undefined;
    // Go reads no sign into an unsigned number, except that ±0 is one.
    const unsigned = !/^[+-]/.test(text) || int === 0n;
    const uint = unsigned && integer <= MAX_UINT64 ? integer : undefined;
    if (int !== undefined || uint !== undefined) {
      return { ...node, int, uint, float: Number(integer) };
    }
  }
  const float = tryParseFloat(text);
  if (float === undefined) throw new FunctionError(`illegal number syntax: ${quote(text)}`);
  if (!/[.eEpP]/.test(text)) throw new FunctionError(`integer overflow: ${quote(text)}`);
  return { ...node, float, ...integerForms(float) };
}

/** Go's ParseInt with base 0: prefixes, and underscores where Go allows them in a literal. */
function parseInteger(text: string): bigint | undefined {
  const match =
    /^([+-]?)(0[xX]_?[\da-fA-F]+(?:_[\da-fA-F]+)*|0[oO]?_?[0-7]+(?:_[0-7]+)*|0[bB]_?[01]+(?:_[01]+)*|0|[1-9]\d*(?:_\d+)*)$/
      .exec(text);
  if (!match) return undefined;
  let digits = match[2].replaceAll("_", "");
  if (/^0\d/.test(digits)) digits = `0o${digits.slice(1)}`;
  const value = BigInt(digits);
  return match[1] === "-" ? -value : value;
}

function tryParseFloat(text: string): number | undefined {
  try {
    return parseFloat(text);
  } catch {
    return undefined;
  }
}

function integerForms(float: number): { int?: bigint; uint?: bigint } {
  if (!Number.isInteger(float)) return {};
  const value = BigInt(float);
  return {
    int: value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined,
    uint: value >= 0n && value <= MAX_UINT64 ? value : undefined,
  };
}

/** `1+2i`: the lexer has seen to it that both parts are there. */
function parseComplex(text: string): [number, number] {
  const split = /^[+-]?(?:0[xX][\da-fA-F_.]+(?:[pP][+-]?\d+)?|[\d_.]+(?:[eE][+-]?\d+)?)/.exec(text);
  const re = split && tryParseFloat(split[0]);
  const im = split && tryParseFloat(text.slice(split[0].length, -1));
  if (typeof re !== "number" || typeof im !== "number") {
    throw new FunctionError("syntax error scanning complex number");
  }
  return [re, im];
}

/** A complex constant without imaginary part can stand for a simpler one. */
function complexForms(real: number, imag: number): Partial<NumberNode> {
  const complex = { re: real, im: imag };
  return imag === 0 ? { complex, float: real, ...integerForms(real) } : { complex };
}
