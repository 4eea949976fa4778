/** Sets a key of a map. Keys can come from templates and data, so this handles `__proto__`. */
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
