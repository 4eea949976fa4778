/** Freezing of plain JSON trees, so that a config can be shared by all requests. */

/** Freezes a value and all in it; gives it back. Parts that are frozen already are not entered. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}
