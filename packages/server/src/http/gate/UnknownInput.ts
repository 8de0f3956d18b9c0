/**
 * Rejects what a request holds that its endpoint does not know: a misspelt restriction, or one where none is
 * read, would restrict nothing.
 */

import { nearestName, StrictJson } from "@cairn/core/encoding"
import { InvalidInput, unknownName } from "@cairn/core/event"
import { Effect } from "effect"
import { ApiError } from "../plumbing/ApiError.ts"
import { readJsonText } from "../plumbing/Body.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import type { Exchange } from "../plumbing/Exchange.ts"
import { readQuery, unknownParameter } from "../plumbing/QueryParameters.ts"
import type { Route } from "../plumbing/Routes.ts"

/** Most characters of a name that an error repeats. */
const MAX_SHOWN = 100

/** Most unknown members that an error lists. */
const MAX_NAMED = 100

/** Most bytes of a body where the contract has none: enough for an object without members. */
const MAX_EMPTY_BYTES = 64 * 1024

const checkQuery = (query: string, known: ReadonlySet<string>): Effect.Effect<void, ApiError> => {
  if (query === "") return Effect.void
  return Effect.flatMap(
    readQuery(query, () => unknownParameter(query, known)),
    (name) =>
      name === undefined
        ? Effect.void
        : Effect.fail(
            new ApiError({
              code: "invalid_parameter",
              message: `${name.slice(0, MAX_SHOWN)}: ${unknownName(nearestName(name, known))}`
            })
          )
  )
}

/** A body where the contract has none may be empty, or an object without members. */
const checkBody = Effect.fnUntraced(function* ({ message, response }: Exchange) {
  const text = yield* readJsonText(message, response, MAX_EMPTY_BYTES)
  if (text.trim() === "") return
  const body = yield* Effect.fromResult(StrictJson.parse(text))
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return yield* new InvalidInput({ path: "", reason: "must be empty; this endpoint takes no body" })
  const names = Object.keys(body).slice(0, MAX_NAMED)
  const unknown = names.map((name) => name.slice(0, MAX_SHOWN))
  const [path] = unknown
  if (path === undefined) return
  return yield* new InvalidInput({ path, reason: "is not known; this endpoint takes no body", unknown })
}, asApiError)

/** Whether a request has a body: one of two headers says so (RFC 9112 section 6). */
const hasBody = ({ message: { headers } }: Exchange): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/**
 * Fails for a request with an unknown parameter, or with a body that its endpoint does not take. What is
 * within a known body its decoder checks.
 */
export const rejectUnknown = (exchange: Exchange, route: Route): Effect.Effect<void, ApiError> => {
  const checked = checkQuery(exchange.query, route.parameters)
  return route.hasBody || !hasBody(exchange) ? checked : Effect.andThen(checked, checkBody(exchange))
}
