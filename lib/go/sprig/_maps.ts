/** Keys of maps come from templates and data, so `__proto__` has to be a key like any other. */

/** Sets a key of a map. */
export function setKey(map: Record<string, unknown>, key: string, value: unknown): void {
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
