/** The errors of a strategic merge, with Kubernetes' messages. */

export type StrategicMergeErrorCode =
  | "bad-document"
  | "unknown-kind"
  | "unknown-field"
  | "missing-merge-key"
  | "bad-directive"
  | "wrong-type"
  | "mixed-list"
  | "too-deep"
  /** The original panics: it has no message to match, but the merge must still fail. */
  | "panic";

/** An error of a strategic merge. Its message is Kubernetes', without a prefix. */
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
