/** Parses number constants into every type that their value fits, as Go's parser does. */
import { FunctionError, recover } from "../value.ts";
import { parseFloat, parseInt, parseUint, quote, unquoteChar } from "../strconv.ts";
import type { NumberNode } from "./nodes.ts";

interface NumberToken {
  readonly pos: number;
  readonly text: string;
  readonly type: "number" | "complex" | "charConstant";
}

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
const MAX_UINT64 = 2n ** 64n - 1n;

/** Returns the node of a number token. Throws Go's error if it is not a number. */
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
  const int = orUndefined(() => parseInt(text, 0, 64));
  // An unsigned number has no sign, unless it is zero.
  const uint = int === 0n ? int : orUndefined(() => parseUint(text, 0, 64));
  if (int !== undefined || uint !== undefined) {
    return { ...node, int, uint, float: Number(int ?? uint) };
  }
  const float = tryParseFloat(text);
  if (float === undefined) throw new FunctionError(`illegal number syntax: ${quote(text)}`);
  if (!/[.eEpP]/.test(text)) throw new FunctionError(`integer overflow: ${quote(text)}`);
  return { ...node, float, ...integerForms(float) };
}

function orUndefined<T>(parse: () => T): T | undefined {
  return recover<T | undefined>(parse, () => undefined);
}

function tryParseFloat(text: string): number | undefined {
  return orUndefined(() => parseFloat(text));
}

function integerForms(float: number): { int?: bigint; uint?: bigint } {
  if (!Number.isInteger(float)) return {};
  const value = BigInt(float);
  return {
    int: value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined,
    uint: value >= 0n && value <= MAX_UINT64 ? value : undefined,
  };
}

/** Parses a complex number such as `1+2i`. The lexer ensures that it has both parts. */
function parseComplex(text: string): [number, number] {
  const split = /^[+-]?(?:0[xX][\da-fA-F_.]+(?:[pP][+-]?\d+)?|[\d_.]+(?:[eE][+-]?\d+)?)/.exec(text);
  const re = split && tryParseFloat(split[0]);
  const im = split && tryParseFloat(text.slice(split[0].length, -1));
  if (typeof re !== "number" || typeof im !== "number") {
    throw new FunctionError("syntax error scanning complex number");
  }
  return [re, im];
}

/** Returns the types that a complex constant fits, which are more if it has no imaginary part. */
function complexForms(real: number, imag: number): Partial<NumberNode> {
  const complex = { re: real, im: imag };
  return imag === 0 ? { complex, float: real, ...integerForms(real) } : { complex };
}
