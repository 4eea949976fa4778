/** The error of I/O operations: a sentence for people and a code for programs, the same on every runtime. */

export type HostErrorCode =
  | "not_found"
  | "denied"
  | "wrong_kind"
  | "too_large"
  | "not_text"
  | "closed"
  | "failed";

export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const KNOWN: ReadonlyMap<string, readonly [HostErrorCode, string]> = new Map([
  ["ENOENT", ["not_found", "no such file or directory"]],
  ["EACCES", ["denied", "permission denied"]],
  ["EPERM", ["denied", "operation not permitted"]],
  ["EISDIR", ["wrong_kind", "it is a directory"]],
  ["ENOTDIR", ["wrong_kind", "not a directory"]],
  ["EPIPE", ["closed", "broken pipe"]],
]);

/** Returns a runtime's error as a HostError: `Cannot <action>: <reason>`. */
export function hostErrorFrom(cause: unknown, action: string): HostError {
  if (cause instanceof HostError) return cause;
  const errno = errorCode(cause);
  const known = errno === undefined ? undefined : KNOWN.get(errno);
  if (known !== undefined) {
    return new HostError(known[0], `Cannot ${action}: ${known[1]}`, { cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HostError("failed", `Cannot ${action}: ${reason}`, { cause });
}

/** Returns the code of a system error: `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
