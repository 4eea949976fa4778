/** Whether a JSON value is an object, as Kubernetes' maps and messages are. */

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
