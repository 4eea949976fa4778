/** What makes a strategic merge fail, and the words of Kubernetes for it. */

export type StrategicMergeErrorCode =
  | "bad-document"
  | "unknown-kind"
  | "unknown-field"
  | "missing-merge-key"
  | "bad-directive"
  | "wrong-type"
  | "mixed-list"
  | "too-deep"
  /** Where the original panics: there is no message to keep, but the merge must still fail. */
  | "panic";

/** The message is that of Kubernetes, without a prefix: callers put it into theirs. */
export class StrategicMergeError extends Error {
  override readonly name = "StrategicMergeError";
  readonly code: StrategicMergeErrorCode;
  constructor(code: StrategicMergeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the name of a JSON value's Go type, as an error prints it. */
export function printType(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "object":
      return "map[string]interface {}";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return "string";
  }
}
