/** The body of every error, and the errors an endpoint may return. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { ERROR_STATUS, type ErrorCode } from "./ErrorCode.ts"

/** What each code means, for the reader of the OpenAPI document. */
export const ERROR_DESCRIPTIONS: Record<ErrorCode, string> = {
  malformed_json: "The body is not JSON in UTF-8",
  invalid_parameter: "A parameter of the query or path is not valid; the message names it",
  unauthenticated: "The API key or the session is missing, or not valid",
  ip_not_allowed: "The request comes from an address outside the workspace's allowlist",
  insufficient_scope:
    "The API key lacks the scope that the endpoint needs, or the member's role the permission",
  cross_origin: "A page of another origin may not do this with a person's session",
  other_person: "The page is of one person, and another one has signed in in this browser since",
  plan_limit_reached: "The workspace's plan allows no more of these",
  not_found: "There is no such thing",
  method_not_allowed: "The path does not answer this method; `Allow` lists those it does",
  conflict: "The resource is not in a state that allows this",
  export_not_ready: "The export is not completed",
  link_expired: "The link has expired",
  payload_too_large: "The body is too large",
  unsupported_media_type: "The body is not `application/json`",
  range_not_satisfiable: "The file has no such bytes; `Content-Range` says how many it has",
  validation_failed: "A field is missing or not valid; the message names it by its JSON path",
  rate_limited: "Too many requests; `Retry-After` says in how many seconds to try again",
  quota_exceeded: "The plan's monthly quota is used up; `Retry-After` lasts until the next month",
  internal: "The server failed; the message carries the request id",
  unavailable: "The server cannot take the request now; `Retry-After` says in how many seconds to try again"
}

/**
 * The schema of one code's error: `{ "error": "<code>", "message": "<text>" }`.
 *
 * With `Accept: application/problem+json` the server returns the same in the form of RFC 9457.
 */
const errorBody = <const Code extends ErrorCode>(code: Code) =>
  Schema.Struct({ error: Schema.Literal(code), message: Schema.String })
    .annotate({ identifier: `Error_${code}`, description: ERROR_DESCRIPTIONS[code] })
    .pipe(HttpApiSchema.status(ERROR_STATUS[code]))

/** What any endpoint that needs a key may return. */
export const COMMON_ERRORS = [
  errorBody("unauthenticated"),
  errorBody("ip_not_allowed"),
  errorBody("insufficient_scope"),
  errorBody("cross_origin"),
  errorBody("other_person"),
  errorBody("rate_limited"),
  errorBody("internal"),
  errorBody("unavailable")
] as const

/** What an endpoint with query parameters may return besides. */
export const INVALID_PARAMETER = errorBody("invalid_parameter")
/** What an endpoint with an id in its path may return besides. */
export const NOT_FOUND = errorBody("not_found")
/** What is wrong with a body, field by field. */
export const faultFields = {
  errors: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        field: Schema.String.annotate({ description: "The JSON path, such as `targets[0].type`" }),
        message: Schema.String.annotate({ description: "What is wrong with it" })
      })
    ).annotate({ description: "The wrong values; at most some twenty of each kind" })
  ),
  unknown_fields: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Members of the body that the server does not know, by their JSON paths; at most a hundred"
    })
  )
}

/** What an endpoint whose body is checked by the server may return besides. */
export const VALIDATION_FAILED = Schema.Struct({
  error: Schema.Literal("validation_failed").annotate({ description: "A stable code, to branch on" }),
  message: Schema.String.annotate({ description: "What is wrong with the body, for a person" }),
  ...faultFields
})
  .annotate({ identifier: "Error_validation_failed", description: ERROR_DESCRIPTIONS.validation_failed })
  .pipe(HttpApiSchema.status(ERROR_STATUS.validation_failed))
/** What any endpoint with a body may return besides. */
export const BODY_ERRORS = [
  errorBody("malformed_json"),
  errorBody("payload_too_large"),
  errorBody("unsupported_media_type")
] as const
/** What creating returns once the plan's limit is reached. */
export const PLAN_LIMIT_REACHED = errorBody("plan_limit_reached")
/** What an endpoint returns when the object's state does not allow it. */
export const CONFLICT = errorBody("conflict")
/** What an endpoint returns when the month's quota is used up. */
export const QUOTA_EXCEEDED = errorBody("quota_exceeded")
/** What the download of an export returns while there is no file. */
export const EXPORT_NOT_READY = errorBody("export_not_ready")
/** What the download of an export returns once it has expired. */
export const LINK_EXPIRED = errorBody("link_expired")
/** What `/readyz` returns when the server is not ready. */
export const UNAVAILABLE = errorBody("unavailable")
