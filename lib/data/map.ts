/** JSON objects as the maps they stand for. */

/** Reports whether a JSON value is an object, rather than null, an array or a scalar. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a key that may come from a request or a template, and so may be `__proto__`. */
export function setKey<T>(map: Record<string, T>, key: string, value: T): void {
  if (key !== "__proto__") map[key] = value;
  else {
    Object.defineProperty(map, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}
