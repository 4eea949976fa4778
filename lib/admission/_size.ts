/**
 * Limits of a review's JSON, checked before it is parsed: a parsed value takes many times the memory of its text, and
 * every later stage takes time for it.
 */
import type { Budget } from "../data/budget.ts";
import type { Review } from "./review.ts";

/**
 * Values in one review. A pod of 100 containers with 100 environment variables each has 30,000. The API server takes
 * objects of 3 MiB, and the objects of Kubernetes have 30 bytes for each value or more.
 */
export const MAX_VALUES = 100_000;

/**
 * Distinct sequences of keys in which objects begin: a map of 100 labels has 100, a list of 100 variables has 2. No map of
 * an ordinary pod has as many keys as this; Kubernetes limits annotations to 256 KiB together.
 */
export const MAX_SHAPES = 10_000;

/**
 * Levels of lists and objects, as for YAML. Kubernetes objects stay below 30. Every recursive walk over a review ends far
 * from the end of the stack.
 */
export const MAX_DEPTH = 1000;

/** Units for parsing a value, and for every stage that a value passes which no template prints. */
const VALUE_UNITS = 0.7;

/** Units for a shape: the runtime makes a hidden class, or a hash table, of each. */
const SHAPE_UNITS = 5;

export interface ReviewSize {
  readonly values: number;
  readonly shapes: number;
  /** The limit that the text exceeds, if any. Counting ends there. */
  readonly excess?: string;
}

/** Counts the work for a review against its budget. */
export function spendOnReview({ values, shapes }: ReviewSize, budget: Budget): void {
  budget.spend(values * VALUE_UNITS + shapes * SHAPE_UNITS, "reading the review");
}

/**
 * Counts the values and shapes of a JSON text. The seed keeps callers from writing shapes that have the same hash. For a
 * text that is not JSON the counts mean nothing.
 */
export function sizeOf(text: string, seed = 0): ReviewSize {
  // A text has fewer members than characters.
  const seen = new Uint8Array(1 << Math.min(HASH_BITS, 32 - Math.clz32(text.length)));
  const mask = seen.length - 1;
  /** By the depth of an object, the hash of its keys so far. */
  const chains: number[] = [];
  let values = 0;
  let shapes = 0;
  let depth = 0;
  let strings = 0;
  /** The last string, which is a key when a colon follows. */
  let start = 0;
  let end = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        // JSON has a comma or a bracket for each two strings. Whatever this is, parsing it ends soon.
        if (++strings > 2 * values + 1) return { values, shapes };
        start = i + 1;
        end = i = endOfString(text, start);
        break;
      case COLON: {
        const at = depth % DEPTHS;
        const chain = chains[at] = Math.imul(
          chains[at] ^ hashOf(text, { start, end, seed }),
          PRIME,
        );
        const place = (chain ^ chain >>> 16) & mask;
        if (seen[place] === 0 && ++shapes > MAX_SHAPES) {
          return { values, shapes, excess: `it has more than ${MAX_SHAPES} different keys` };
        }
        seen[place] = 1;
        // Colons that follow no string of their own cost nothing.
        start = end;
        break;
      }
      case BRACE:
        chains[(depth + 1) % DEPTHS] = seed;
        // fall through
      case BRACKET:
        if (++depth > MAX_DEPTH) {
          return { values, shapes, excess: `it nests deeper than ${MAX_DEPTH} levels` };
        }
        values++;
        break;
      case BRACE_END:
      case BRACKET_END:
        depth--;
        break;
      case COMMA:
        values++;
        break;
    }
    if (values > MAX_VALUES) {
      return { values, shapes, excess: `it has more than ${MAX_VALUES} values` };
    }
  }
  return { values, shapes };
}

/** Returns the place of the quote that ends a string, or the text's length. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start);
  if (end < 0) return text.length;
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
  // Escapes have to be told from backslashes that are escaped themselves.
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i;
    if (code === BACKSLASH) i++;
  }
  return text.length;
}

/** FNV-1a of a key: its length, and characters enough that no body has room for MAX_SHAPES keys that begin alike. */
function hashOf(
  text: string,
  { start, end, seed }: { start: number; end: number; seed: number },
): number {
  let hash = Math.imul(seed ^ (end - start), PRIME);
  const last = Math.min(end, start + HASHED_CHARACTERS);
  for (let i = start; i < last; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

const HASHED_CHARACTERS = 1024;
/** FNV's. */
const PRIME = 16_777_619;
/** Hashes are a few times as many as the shapes that are allowed. */
const HASH_BITS = 16;
/** Objects inside each other whose keys are told apart; a pod has fewer. */
const DEPTHS = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** Characters at the beginning of a review in which the API server names it. */
const HEAD_LENGTH = 1024;

/** Returns what an answer needs of a review that is not parsed, as the API server writes it. */
export function headOf(text: string): Review {
  const head = text.slice(0, HEAD_LENGTH);
  const apiVersion = /^\{[^{]*"apiVersion":"([^"\\]+)"/.exec(head)?.[1];
  const uid = /"request":\{"uid":"([^"\\]{1,256})"/.exec(head)?.[1];
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(uid === undefined ? {} : { request: { uid } }),
  };
}
