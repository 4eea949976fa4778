/**
 * How much one call of a template function may make. A template is a few kilobytes and a pod is
 * refused by the API server past 1.5 MB (etcd's request size), so these bounds are far above any
 * real use and far below what hurts the process.
 */

import { FunctionError } from "../value.ts";

/** Bytes of one string made by a function. */
export const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** Elements of one list or map made by a function. */
export const MAX_ELEMENTS = 1_000_000;

/** How deep values may be nested: no pod comes near, and recursion stays far from the stack's end. */
export const MAX_DEPTH = 1000;

/**
 * Steps of one call that walks values. A value can hold another twice and that one a third twice, so
 * a short template makes values that take forever to walk.
 */
export const MAX_STEPS = 2_000_000;

/** Refuses a text that would be too long; `bytes` may be an estimate from above. */
export function checkTextBytes(bytes: number): void {
  if (bytes > MAX_TEXT_BYTES) {
    throw new FunctionError(`result of ${bytes} bytes is over the limit of ${MAX_TEXT_BYTES}`);
  }
}

/** Refuses a list that would be too long. */
export function checkElements(count: number): void {
  if (count > MAX_ELEMENTS) {
    throw new FunctionError(`result of ${count} elements is over the limit of ${MAX_ELEMENTS}`);
  }
}

/** Counts the steps of one walk through values, and refuses to go too far or too deep. */
export class Walk {
  #steps = 0;

  /** Steps so far. */
  get steps(): number {
    return this.#steps;
  }

  /** One step at some depth. Values that contain themselves end here, too. */
  step(depth: number): void {
    if (depth > MAX_DEPTH) {
      throw new FunctionError(`value is nested deeper than the limit of ${MAX_DEPTH} levels`);
    }
    if (++this.#steps > MAX_STEPS) {
      throw new FunctionError(`value is larger than the limit of ${MAX_STEPS} parts`);
    }
  }
}
