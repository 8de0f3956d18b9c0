/** The one error that an endpoint fails with, and its two spellings. */
import { STATUS_CODES } from "node:http"
import { ERROR_STATUS, type ErrorCode } from "@cairn/api"
import { Data } from "effect"
import type { LimitKind } from "../../metrics/ServerFamilies.ts"
import type { Answer, AnswerHeaders } from "./Answer.ts"

/** An error as the client sees it. */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly code: ErrorCode
  readonly message: string
  /** By their names in lower case. */
  readonly headers?: AnswerHeaders
  /** Members of the body beside `error` and `message`. */
  readonly details?: Readonly<Record<string, unknown>>
  /** The limit that was reached, for the operator; the client gets the message. */
  readonly limit?: LimitKind
}> {}

/** `503`, with when to try again. */
export const unavailable = (message: string, retryAfterSeconds: number, headers?: AnswerHeaders): ApiError =>
  new ApiError({
    code: "unavailable",
    message,
    headers: { "retry-after": String(retryAfterSeconds), ...headers }
  })

/** `400` for a parameter of the query, or a header, which the body names for programs too. */
export const invalidParameter = (name: string, reason: string): ApiError =>
  new ApiError({
    code: "invalid_parameter",
    message: `${name}: ${reason}`,
    details: { errors: [{ field: name, message: reason }] }
  })

/** `503` where a limit is why, with when to try again. */
export const overLimit = (limit: LimitKind, message: string, retryAfterSeconds: number): ApiError =>
  new ApiError({
    code: "unavailable",
    message,
    headers: { "retry-after": String(retryAfterSeconds) },
    limit
  })

const PROBLEM = "application/problem+json"

/** The weight of a media type in an `Accept` header; 0 when it is not named (RFC 9110 section 12.5.1). */
const weight = (accept: string, type: string): number => {
  for (const range of accept.toLowerCase().split(",")) {
    const [name, ...parameters] = range.split(";").map((part) => part.trim())
    if (name !== type) continue
    const quality = parameters.find((parameter) => parameter.startsWith("q="))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}

/** Whether the client asks for problem details, by name and before plain JSON. */
const wantsProblem = (accept: string | undefined): boolean => {
  if (accept === undefined || !accept.includes("problem")) return false
  const problem = weight(accept, PROBLEM)
  return problem > 0 && problem >= weight(accept, "application/json")
}

/**
 * The response: Cairn's own form, or that of RFC 9457, with the code and the message as extension members,
 * for a client that requests it.
 */
export const errorAnswer = (
  { code, message, headers, details }: ApiError,
  accept: string | undefined
): Answer => {
  const status = ERROR_STATUS[code]
  const problem = wantsProblem(accept)
  const body = problem
    ? {
        type: "about:blank",
        title: STATUS_CODES[status],
        status,
        detail: message,
        error: code,
        message,
        ...details
      }
    : { error: code, message, ...details }
  return {
    status,
    body: JSON.stringify(body),
    contentType: problem ? PROBLEM : "application/json",
    ...(headers === undefined ? {} : { headers })
  }
}
