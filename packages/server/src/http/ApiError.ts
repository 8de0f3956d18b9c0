/** The one error a handler fails with, and its two spellings. */
import { ERROR_STATUS, type ErrorCode } from "@cairn/api"
import { Data } from "effect"
import { HttpServerResponse } from "effect/http"

/** What the client is told. */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly code: ErrorCode
  readonly message: string
  readonly headers?: Record<string, string>
  /** Members of the body beside `error` and `message`. */
  readonly details?: Record<string, unknown>
}> {}

const TITLES: Record<ErrorCode, string> = {
  malformed_json: "Malformed JSON",
  invalid_parameter: "Invalid parameter",
  unauthenticated: "Unauthenticated",
  ip_not_allowed: "Address not allowed",
  insufficient_scope: "Insufficient scope",
  plan_limit_reached: "Plan limit reached",
  not_found: "Not found",
  method_not_allowed: "Method not allowed",
  conflict: "Conflict",
  export_not_ready: "Export not ready",
  link_expired: "Link expired",
  payload_too_large: "Payload too large",
  unsupported_media_type: "Unsupported media type",
  validation_failed: "Validation failed",
  rate_limited: "Rate limited",
  quota_exceeded: "Quota exceeded",
  internal: "Internal error",
  unavailable: "Unavailable"
}

/** The response: Cairn's own form, or RFC 9457's for a client that asks for it. */
export const errorResponse = (
  error: ApiError,
  accept: string | undefined
): HttpServerResponse.HttpServerResponse => {
  const { code, message, details } = error
  const status = ERROR_STATUS[code]
  const problem = accept?.includes("application/problem+json") ?? false
  const body = problem
    ? { type: "about:blank", title: TITLES[code], status, detail: message, error: code, ...details }
    : { error: code, message, ...details }
  return HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: problem ? "application/problem+json" : "application/json",
    ...(error.headers === undefined ? {} : { headers: error.headers })
  })
}
