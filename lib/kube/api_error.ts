/** Why the API server did not do what it was asked to, or why nobody knows whether it did. */

import { visibleLine } from "../data/visible.ts";
import type { HttpClientErrorCode } from "../host/mod.ts";

export type ApiErrorCode =
  | "not_found"
  | "already_exists"
  | "conflict"
  | "invalid"
  | "unauthorized"
  | "forbidden"
  /** A resource version is too old, or a page's continuation. */
  | "expired"
  | "too_many_requests"
  /** Any other refusal; `status` and `reason` tell more. */
  | "refused"
  /** What came is no answer of an API server. */
  | "bad_answer"
  /** No answer at all. */
  | HttpClientErrorCode;

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiErrorCode;
  /** Of HTTP; 0 where there was no answer. */
  readonly status: number;
  /** The server's word for it, as in `NotFound`; "" where it gave none. */
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

/** By the server's word: one status may have several meanings, 409 and 410 among them. */
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

/** Reads a refusal, a `Status` object as a rule; `action` is what could not be done, as in `get Pod "a/b"`. */
export function refusal(
  action: string,
  { status, body }: { readonly status: number; readonly body: string },
): ApiError {
  const said = readStatus(body);
  const code = BY_REASON.get(said.reason) ?? BY_STATUS.get(status) ?? "refused";
  // A gateway's page says nothing, its status something.
  const message = visibleLine(said.message, MAX_MESSAGE) ||
    `the server answered with status ${status}`;
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

/** Long enough for the server's longest lists of invalid fields to be of use. */
const MAX_MESSAGE = 4000;
