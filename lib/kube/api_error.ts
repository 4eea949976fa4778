/** Errors of requests to the API server: refusals, unusable responses, and missing responses. */

import { visibleLine } from "../data/visible.ts";
import type { HttpClientErrorCode } from "../host/mod.ts";

export type ApiErrorCode =
  | "not_found"
  | "already_exists"
  | "conflict"
  | "invalid"
  | "unauthorized"
  | "forbidden"
  /** The resource version or the continue token is too old. */
  | "expired"
  | "too_many_requests"
  /** Any other refusal; see `status` and `reason`. */
  | "refused"
  /** The response is not one of an API server. */
  | "bad_response"
  /** There was no response. */
  | HttpClientErrorCode;

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiErrorCode;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The reason from the server's Status object, such as `NotFound`; empty if there is none. */
  readonly reason: string;

  constructor(
    code: ApiErrorCode,
    message: string,
    options: ErrorOptions & { readonly status?: number; readonly reason?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.status = options.status ?? 0;
    this.reason = options.reason ?? "";
  }
}

/** Reports whether an error is an ApiError with the given code. */
export function isApiError(error: unknown, code: ApiErrorCode): boolean {
  return error instanceof ApiError && error.code === code;
}

/** Returns undefined for a `not_found` error and throws any other: for `.catch()`. */
export function unlessNotFound(error: unknown): undefined {
  if (!isApiError(error, "not_found")) throw error;
}

/** The reason takes precedence over the status, because 409 and 410 have several meanings. */
const BY_REASON: ReadonlyMap<string, ApiErrorCode> = new Map([
  ["NotFound", "not_found"],
  ["AlreadyExists", "already_exists"],
  ["Conflict", "conflict"],
  ["Invalid", "invalid"],
  ["Unauthorized", "unauthorized"],
  ["Forbidden", "forbidden"],
  ["Expired", "expired"],
  ["Gone", "expired"],
  ["TooManyRequests", "too_many_requests"],
]);

const BY_STATUS: ReadonlyMap<number, ApiErrorCode> = new Map([
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not_found"],
  [409, "conflict"],
  [410, "expired"],
  [422, "invalid"],
  [429, "too_many_requests"],
]);

/** Reads an error response, usually a `Status` object; `action` is what failed: `get Pod "a/b"`. */
export function refusal(
  action: string,
  { status, body }: { readonly status: number; readonly body: string },
): ApiError {
  const said = readStatus(body);
  const code = BY_REASON.get(said.reason) ?? BY_STATUS.get(status) ?? "refused";
  // The HTML page of a gateway has no message, but its status is useful.
  const message = visibleLine(said.message, MAX_MESSAGE) || `the server returned status ${status}`;
  return new ApiError(code, `Cannot ${action}: ${message}`, { status, reason: said.reason });
}

function readStatus(body: string): { reason: string; message: string } {
  const none = { reason: "", message: "" };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return none;
  }
  if (typeof value !== "object" || value === null || !("kind" in value)) return none;
  if (value.kind !== "Status") return none;
  const text = (field: unknown) => typeof field === "string" ? field : "";
  return {
    reason: "reason" in value ? text(value.reason) : "",
    message: "message" in value ? text(value.message) : "",
  };
}

/** Leaves room for long lists of invalid fields. */
const MAX_MESSAGE = 4000;
