/** Reports whether a JSON value is an object, rather than null, an array or a scalar. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
