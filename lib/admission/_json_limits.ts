/**
 * Limits of a review's JSON that are checked before it is parsed: a parsed value takes many times the
 * memory of its text, and all that comes after takes time for each value.
 */

/**
 * Most values of a review. A pod of 100 containers with 100 environment variables each has 30,000; an
 * API server's largest review, of 3 MiB, stays below with 30 characters a value. Parsing takes up to 2 µs
 * and 80 bytes for each: a fifth of a second and 8 MB.
 */
const MAX_VALUES = 100_000;

/**
 * Most levels of lists and objects, as for YAML. Kubernetes objects stay below 30; every recursive walk
 * over a review ends far from the end of the stack.
 */
const MAX_DEPTH = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** `[` and `{` differ in one bit, and so do `]` and `}`. */
const CASE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Which limit a text exceeds, if any; a text that is not JSON gets no answer that means anything. */
export function exceededLimit(text: string): string | undefined {
  let values = 0;
  let depth = 0;
  let isString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) isString = false;
      continue;
    }
    if (code === QUOTE) isString = true;
    else if (code === COMMA) values++;
    else if ((code | CASE) === OPEN) {
      values++;
      if (++depth > MAX_DEPTH) return `it nests deeper than ${MAX_DEPTH} levels`;
    } else if ((code | CASE) === CLOSE) depth--;
    if (values > MAX_VALUES) return `it has more than ${MAX_VALUES} values`;
  }
}
