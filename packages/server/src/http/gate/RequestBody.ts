/** The body of a request, which the gate reads between admitting the request and running its endpoint. */
import type { EndpointName } from "@cairn/api"
import { StrictJson } from "@cairn/core/encoding"
import { InvalidInput, MAX_EVENT_BYTES } from "@cairn/core/event"
import { Effect } from "effect"
import type { ApiError } from "../plumbing/ApiError.ts"
import { readJsonText } from "../plumbing/Body.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import type { Exchange } from "../plumbing/Exchange.ts"
import type { Route } from "../plumbing/Routes.ts"

/** Most characters of a name that an error repeats. */
const MAX_SHOWN = 100

/** Most unknown members that an error lists. */
const MAX_NAMED = 100

/** Most bytes of a body where the contract has none: enough for an object without members. */
const MAX_EMPTY_BYTES = 64 * 1024

/** Most bytes of a body that settings are in: an allowlist at its longest is half of it. */
const MAX_SETTINGS_BYTES = 64 * 1024

/** Most bytes of the other bodies: an event, a batch of them, and a hundred ids with some space. */
const LIMITS: Partial<Record<EndpointName, number>> = {
  ingest: MAX_EVENT_BYTES,
  ingestBatch: 8 * 1024 * 1024,
  eventProofs: 16 * 1024
}

/** A body where the contract has none may be empty, or an object without members. */
const readEmpty = Effect.fnUntraced(function* ({ message, response }: Exchange) {
  const text = yield* readJsonText(message, response, MAX_EMPTY_BYTES)
  if (text.trim() === "") return ""
  const body = yield* Effect.fromResult(StrictJson.parse(text))
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return yield* new InvalidInput({ path: "", reason: "must be empty; this endpoint takes no body" })
  const names = Object.keys(body).slice(0, MAX_NAMED)
  const unknown = names.map((name) => name.slice(0, MAX_SHOWN))
  const [path] = unknown
  if (path === undefined) return ""
  return yield* new InvalidInput({ path, reason: "is not known; this endpoint takes no body", unknown })
}, asApiError)

/** Most bytes of the body that the contract gives a route. */
export const bodyLimit = (name: EndpointName): number => LIMITS[name] ?? MAX_SETTINGS_BYTES

/** Whether a request has a body: one of two headers says so (RFC 9112 section 6). */
export const hasBody = ({ message: { headers } }: Exchange): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/**
 * The text of the body that the contract gives a route, as `readJsonText` reads it; empty where the contract
 * gives none, after what was sent all the same was seen to say nothing. How long it takes is the client's to
 * decide.
 */
export const readRequestBody = (exchange: Exchange, { name, hasBody: isWanted }: Route) => {
  if (isWanted) return readJsonText(exchange.message, exchange.response, bodyLimit(name))
  return hasBody(exchange) ? readEmpty(exchange) : (Effect.succeed("") as Effect.Effect<string, ApiError>)
}
