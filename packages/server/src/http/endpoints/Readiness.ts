/** Whether the server takes requests, for a supervisor. */
import { ClockGuard, Continuity, Inbox } from "@cairn/core/log"
import { Effect, Option, Ref } from "effect"
import { SecretsReadable } from "../../secret/SecretsReadable.ts"
import { type Answer, jsonAnswer } from "../plumbing/Answer.ts"
import { type ApiError, unavailable } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { Draining } from "../plumbing/Draining.ts"

/**
 * Makes the check: `503` with the reason when draining, by its clock, without its store, with a full inbox or
 * secrets that it cannot open, or on a database that lacks events which were seen in it.
 */
export const makeReadiness = Effect.fnUntraced(function* (inboxCapacity: number) {
  const clock = yield* ClockGuard
  const inbox = yield* Inbox
  const draining = yield* Draining
  const continuity = yield* Effect.serviceOption(Continuity)
  const secrets = yield* Effect.serviceOption(SecretsReadable)

  const readiness: Effect.Effect<Answer, ApiError> = Effect.gen(function* () {
    if (yield* Ref.get(draining)) return yield* unavailable("The server is shutting down", 5)
    yield* clock.now
    const depth = yield* inbox.depth
    if (depth >= inboxCapacity)
      return yield* unavailable(`${depth} events wait to be sequenced; the inbox is full`, 1)
    if (Option.isSome(continuity)) yield* continuity.value.check
    if (Option.isSome(secrets)) yield* secrets.value.check
    return jsonAnswer({ status: "ready" })
  }).pipe(asApiError)
  return readiness
})
