/** Freezes plain JSON trees, so that all requests can share one config. */

/** Freezes a value deeply and returns it. Skips parts that are already frozen. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}
