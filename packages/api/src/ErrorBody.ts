/** The body of every error, and the errors an endpoint may answer with. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { ERROR_STATUS, type ErrorCode } from "./ErrorCode.ts"

/** `{ "error": "<code>", "message": "<text>" }`; with `Accept: application/problem+json` in the form of RFC 9457. */
const errorBody = <Code extends ErrorCode>(code: Code) =>
  Schema.Struct({ error: Schema.Literal(code), message: Schema.String })
    .annotate({ identifier: `Error_${code}` })
    .pipe(HttpApiSchema.status(ERROR_STATUS[code]))

/** What any authenticated endpoint may answer. */
export const COMMON_ERRORS = [
  errorBody("unauthenticated"),
  errorBody("ip_not_allowed"),
  errorBody("insufficient_scope"),
  errorBody("rate_limited"),
  errorBody("internal"),
  errorBody("unavailable")
] as const

/** What an endpoint with parameters may answer besides. */
export const INVALID_PARAMETER = errorBody("invalid_parameter")
/** What an endpoint with an id in its path may answer besides. */
export const NOT_FOUND = errorBody("not_found")
/** What an endpoint with a body may answer besides. */
export const BODY_ERRORS = [
  errorBody("malformed_json"),
  errorBody("payload_too_large"),
  errorBody("unsupported_media_type"),
  errorBody("validation_failed")
] as const
