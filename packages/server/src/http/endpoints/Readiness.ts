/** Whether the server takes requests, for a supervisor. */
import { ClockGuard, Continuity, Inbox, storeCause } from "@cairn/core/log"
import { Effect, Option, Ref } from "effect"
import { SecretsReadable } from "../../secret/SecretsReadable.ts"
import { type Answer, jsonAnswer } from "../plumbing/Answer.ts"
import { type ApiError, invalidParameter, unavailable } from "../plumbing/ApiError.ts"
import { ClockLag } from "../plumbing/ClockLag.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { Draining } from "../plumbing/Draining.ts"
import { WriteHealth } from "../plumbing/WriteHealth.ts"

/** A clock that is behind by more than this is worth a word. */
const LAG_SECONDS = 60

/** What a supervisor asks for: `?for=write`. Other parameters are ignored, as they are by every page. */
const isForWrites = (query: string): Effect.Effect<boolean, ApiError> => {
  const wanted = new URLSearchParams(query).getAll("for")
  if (wanted.length === 0) return Effect.succeed(false)
  return wanted.length === 1 && wanted[0] === "write"
    ? Effect.succeed(true)
    : Effect.fail(invalidParameter("for", "must be write, or left out"))
}

/**
 * Makes the check: `503` with the reason when draining, by its clock, without its store, with a full inbox or
 * secrets that it cannot open, or on a database that lacks events which were seen in it. While the store
 * takes no writes it is `200` and says so in `writes`; for a supervisor that asks `for=write` it is `503`.
 */
export const makeReadiness = Effect.fnUntraced(function* (inboxCapacity: number) {
  const clock = yield* ClockGuard
  const inbox = yield* Inbox
  const draining = yield* Draining
  const writes = yield* WriteHealth
  const lag = yield* ClockLag
  const continuity = yield* Effect.serviceOption(Continuity)
  const secrets = yield* Effect.serviceOption(SecretsReadable)

  const depth = inbox.depth.pipe(
    Effect.catchTag("StorageUnavailable", ({ cause }) =>
      Effect.fail(unavailable(`The store is not available: ${storeCause(cause).says}`, 2))
    )
  )

  const check = Effect.fnUntraced(function* (query: string) {
    const forWrites = yield* isForWrites(query)
    if ((yield* Ref.get(draining)) !== "serving") return yield* unavailable("The server is shutting down", 5)
    yield* clock.now
    const waiting = yield* depth
    if (waiting >= inboxCapacity)
      return yield* unavailable(`${waiting} events wait to be sequenced; the inbox is full`, 1)
    if (Option.isSome(continuity)) yield* continuity.value.check
    if (Option.isSome(secrets)) yield* secrets.value.check
    const refusal = yield* writes.reason(forWrites)
    if (Option.isSome(refusal) && forWrites)
      return yield* unavailable(`The store takes no writes: ${refusal.value.says}`, 5)
    const behind = yield* lag.seconds
    return jsonAnswer({
      status: "ready",
      ...(behind > LAG_SECONDS ? { clock: `${behind} seconds behind the newest record` } : {}),
      writes: Option.match(refusal, { onNone: () => "ok", onSome: ({ name }) => name })
    })
  })
  return (query: string): Effect.Effect<Answer, ApiError> => asApiError(check(query))
})
