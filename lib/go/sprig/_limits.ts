/**
 * Limits on what one call of a template function can create. Templates are a few kilobytes, and the
 * API server refuses pods of more than 1.5 MB (the request size of etcd). So these limits are far
 * above real use, and still far below what would hurt the process.
 */

import { FunctionError } from "../value.ts";

/** The maximum bytes of a string. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** The maximum elements of a list or map. */
export const MAX_ELEMENTS = 1_000_000;

/** The maximum nesting depth of a value, far above that of a pod and safe for recursion. */
export const MAX_DEPTH = 1000;

/**
 * The maximum steps of a walk through a value. A value can contain another twice, which contains a
 * third twice, and so on, so a short template can make values that take forever to walk.
 */
const MAX_STEPS = 2_000_000;

/** Fails if a text would be too long. `bytes` can be an upper estimate. */
export function checkTextBytes(bytes: number): void {
  if (bytes > MAX_TEXT_BYTES) {
    throw new FunctionError(`result of ${bytes} bytes is over the limit of ${MAX_TEXT_BYTES}`);
  }
}

/** Fails if a list would be too long. */
export function checkElements(count: number): void {
  if (count > MAX_ELEMENTS) {
    throw new FunctionError(`result of ${count} elements is over the limit of ${MAX_ELEMENTS}`);
  }
}

/** Counts the steps of a walk through values, and fails if it is too long or too deep. */
export class Walk {
  #steps = 0;

  /** The number of steps so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Counts a step at the given depth. This also stops at values that contain themselves. */
  step(depth: number): void {
    if (depth > MAX_DEPTH) {
      throw new FunctionError(`value is nested deeper than the limit of ${MAX_DEPTH} levels`);
    }
    if (++this.#steps > MAX_STEPS) {
      throw new FunctionError(`value is larger than the limit of ${MAX_STEPS} parts`);
    }
  }
}
