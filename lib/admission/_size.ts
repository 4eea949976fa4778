/**
 * What the JSON of a review will take once it is parsed, told from its bytes: a list of empty objects takes many times
 * its length, and each object with members of its own takes a runtime longer than a hundred that are alike.
 */
import type { Review } from "./review.ts";

/**
 * Values in one review. Each takes about half a microsecond and up to 100 bytes over all stages. The API server takes
 * objects of 3 MiB, and in those of Kubernetes a value takes some 20 bytes with its key.
 */
export const MAX_VALUES = 200_000;

/**
 * Ways in which the review's objects begin, by their keys in order: a map of a hundred labels has a hundred, and so has
 * a list of a hundred variables only two. Each takes about 5 microseconds. Kubernetes limits annotations to 256 KiB
 * together; no map of a pod has as many keys as that allows.
 */
export const MAX_SHAPES = 15_000;

/** Shorter bodies cannot hold much more than the limits. */
const SMALL_BODY = 128 * 1024;

export interface ReviewSize {
  readonly values: number;
  readonly shapes: number;
}

/** Counts values and shapes; `seed` keeps anyone from making shapes that look alike here. */
export function sizeOf(body: Uint8Array, seed = 0): ReviewSize {
  if (body.length < SMALL_BODY) return { values: 0, shapes: 0 };
  const seen = new Uint8Array(HASHES);
  /** By the depth of an object, the hash of its keys so far. */
  const chains: number[] = [];
  let values = 0;
  let shapes = 0;
  let hash = 0;
  let depth = 0;
  for (let i = 0; i < body.length; i++) {
    switch (body[i]) {
      case QUOTE:
        hash = seed;
        for (i++; i < body.length && body[i] !== QUOTE; i++) {
          hash = Math.imul(hash ^ body[i], PRIME);
          if (body[i] === BACKSLASH) i++;
        }
        break;
      case COLON: {
        const at = depth % DEPTHS;
        const chain = chains[at] = Math.imul(chains[at] ^ hash, PRIME);
        const place = (chain ^ chain >>> 16) & (HASHES - 1);
        if (seen[place] === 0) shapes++;
        seen[place] = 1;
        break;
      }
      case BRACE:
        depth++;
        chains[depth % DEPTHS] = seed;
        values++;
        break;
      case BRACE_END:
        depth--;
        break;
      case BRACKET:
      case COMMA:
        values++;
        break;
    }
  }
  return { values, shapes };
}

/** FNV's; the hashes are a few times as many as shapes are allowed. */
const PRIME = 16_777_619;
const HASHES = 1 << 16;
/** Objects inside each other whose keys are told apart; a pod has fewer. */
const DEPTHS = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** Characters at the beginning of a review in which the API server names it. */
const HEAD_LENGTH = 1024;

/** What an answer needs of a review that is not parsed, as the API server writes it. */
export function headOf(body: Uint8Array): Review {
  const head = new TextDecoder().decode(body.subarray(0, HEAD_LENGTH));
  const apiVersion = /^\{[^{]*"apiVersion":"([^"\\]+)"/.exec(head)?.[1];
  const uid = /"request":\{"uid":"([^"\\]+)"/.exec(head)?.[1];
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(uid === undefined ? {} : { request: { uid } }),
  };
}
