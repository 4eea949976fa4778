/**
 * Equality of JSON values. Values come from `JSON.parse` or the YAML reader; they hold no classes,
 * functions or cycles.
 * @module
 */

/**
 * The depth limit of the YAML reader. Kubernetes objects stay below 30; the limit protects these
 * recursive functions from stack overflow.
 */
const MAX_DEPTH = 1000;

/**
 * Reports whether two JSON values are equal. The order of a map's keys and the sign of zero are
 * ignored.
 */
export function equalJson(a: unknown, b: unknown): boolean {
  return equalAt(a, b, 0);
}

function equalAt(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth >= MAX_DEPTH) {
    throw new TypeError(`Cannot compare JSON: it nests deeper than ${MAX_DEPTH} levels`);
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      if (!equalAt(a[i], b[i], depth + 1)) return false;
    }
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !equalAt(left[key], right[key], depth + 1)) return false;
  }
  return true;
}
