/**
 * Accepting: from the text of a request to a durable place in the inbox.
 *
 * Everything that can be wrong with an event is found here, so that nothing can fail once the client has its answer.
 */
import { Context, Effect, Layer, PartitionedSemaphore, Result, Schema } from "effect"
import { readLarge } from "../encoding/LargeJson.ts"
import type { Micros } from "../encoding/Micros.ts"
import { finished, makePace, type Steps, TURN_SIZE } from "../encoding/Pace.ts"
import * as StrictJson from "../encoding/StrictJson.ts"
import { contentParts } from "../event/EventContent.ts"
import {
  decodeEvent,
  decodeOwnEvent,
  decodingEvent,
  INPUT_NAMES,
  refuseInexact
} from "../event/EventDecoding.ts"
import { InvalidInput, MAX_BATCH, MAX_METADATA_BYTES } from "../event/EventInput.ts"
import type { ValidEvent } from "../event/ValidEvent.ts"
import { Randomness, type RandomnessShape, uuid } from "../hashing/Randomness.ts"
import { type ClockAhead, ClockGuard } from "./ClockGuard.ts"
import {
  type AcceptOutcome,
  type CountedOutcome,
  Inbox,
  type InboxFull,
  type PendingEvent,
  QuotaReached
} from "./Inbox.ts"
import type { StorageUnavailable } from "./Storage.ts"

/** For whom, and from where. */
export interface AcceptContext {
  readonly workspaceId: string
  /** The client's address; an `ip_address` in the body goes before it. */
  readonly clientAddress: string | null
  /** Idempotency keys older than this are free again. */
  readonly keysExpireBefore: Micros | null
  /** Events that the workspace may have a month; null, or left out, is unlimited. */
  readonly eventsPerMonth?: number | null
}

/** One item of a batch: accepted, or refused on its own. */
export type BatchOutcome = CountedOutcome | InvalidInput

/** Every item of a batch was refused. */
export class BatchRefused extends Schema.TaggedError<BatchRefused>()("BatchRefused", {
  items: Schema.Array(InvalidInput)
}) {}

type Failure = InboxFull | ClockAhead | StorageUnavailable

/** The use case *accept*. */
export interface AcceptanceShape {
  /** Accepts one event body, given as JSON text. */
  readonly one: (
    context: AcceptContext,
    body: string
  ) => Effect.Effect<AcceptOutcome, StrictJson.MalformedJson | InvalidInput | QuotaReached | Failure>
  /**
   * Accepts an event that the service writes of itself, whose action begins with `cairn.`, given as JSON text. Never for what a client
   * sends: only by it are those events the service's word.
   */
  readonly own: AcceptanceShape["one"]
  /**
   * Accepts a batch, given as JSON text of `{ events: [...] }`; one outcome an item, in order. An invalid item does not
   * stop the others. Of items that share an idempotency key the first wins. Items that the month's quota has no room for are refused, the last
   * ones first; if it has room for none, so is the batch.
   */
  readonly batch: (
    context: AcceptContext,
    body: string
  ) => Effect.Effect<
    ReadonlyArray<BatchOutcome>,
    StrictJson.MalformedJson | InvalidInput | BatchRefused | QuotaReached | Failure
  >
}

const pending = (
  random: RandomnessShape,
  context: AcceptContext,
  event: ValidEvent,
  acceptedAt: Micros
): PendingEvent => ({
  id: uuid(random),
  // An empty key is what a client sends that has none.
  idempotencyKey: event.input.idempotency_key || null,
  clientAddress: event.input.ip_address ?? context.clientAddress,
  content: contentParts(event, acceptedAt)
})

const requestOf = ({ workspaceId, keysExpireBefore, eventsPerMonth = null }: AcceptContext) => ({
  workspaceId,
  keysExpireBefore,
  quota: eventsPerMonth
})

const items = (value: unknown): Result.Result<ReadonlyArray<unknown>, InvalidInput> => {
  const refuse = (path: string, reason: string) => Result.fail(new InvalidInput({ path, reason }))
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refuse("", "must be an object")
  const events: unknown = "events" in value ? value.events : undefined
  if (events === undefined) return refuse("events", "is required")
  if (!Array.isArray(events)) return refuse("events", "must be an array")
  if (events.length === 0) return refuse("events", "must have at least one item")
  return events.length > MAX_BATCH
    ? refuse("events", `must have at most ${MAX_BATCH} items`)
    : Result.succeed(events)
}

/** The inexact numbers of each item, by its place in the batch. */
const inexactByItem = (inexact: StrictJson.Inexact | undefined): ReadonlyMap<number, StrictJson.Inexact> => {
  const events = inexact instanceof Map ? inexact.get("events") : undefined
  return new Map(Array.isArray(events) ? events : [])
}

/** An item of a batch, checked. */
function* decodeItem(
  item: unknown,
  index: number,
  inexact: StrictJson.Inexact | undefined
): Generator<number, ValidEvent | InvalidInput> {
  const at = ["events", index]
  const decoded = yield* decodingEvent(item, at)
  if (Result.isSuccess(decoded)) return refuseInexact(inexact, at) ?? decoded.success
  yield MAX_METADATA_BYTES
  return decoded.failure
}

/** Checks the items one after the other, and pauses where they are large. */
function* decodeItems(
  bodies: ReadonlyArray<unknown>,
  inexact: StrictJson.Inexact | undefined
): Steps<ReadonlyArray<ValidEvent | InvalidInput>> {
  const byItem = inexactByItem(inexact)
  const decoded: Array<ValidEvent | InvalidInput> = []
  let size = 0
  for (const [index, item] of bodies.entries()) {
    const decoding = decodeItem(item, index, byItem.get(index))
    let step = decoding.next()
    for (; step.done !== true; step = decoding.next()) {
      size += step.value
      if (size <= TURN_SIZE) continue
      size = 0
      yield
    }
    decoded.push(step.value)
  }
  return decoded
}

const decodeSmall = (body: string) =>
  Result.gen(function* () {
    const { value, inexact } = yield* StrictJson.read(body)
    return finished(decodeItems(yield* items(value), inexact))
  })

/** Large batches that are read at once: a body of 8 MiB may take some hundred megabytes while it is. */
const MOST_READ_AT_ONCE = 2

/** Accepting over an inbox. */
export class Acceptance extends Context.Service<Acceptance, AcceptanceShape>()("@cairn/core/Acceptance") {
  static readonly layer = Layer.effect(
    Acceptance,
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const clock = yield* ClockGuard
      const random = yield* Randomness
      const pace = makePace()
      // Each workspace in its turn, however many bodies one of them sends.
      const reading = PartitionedSemaphore.makeUnsafe<string>({ permits: MOST_READ_AT_ONCE })

      const decodeLarge = Effect.fnUntraced(function* (body: string) {
        const read = yield* pace.finish(readLarge(body, INPUT_NAMES))
        const { value, inexact } = yield* Effect.fromResult(read)
        return yield* pace.finish(decodeItems(yield* Effect.fromResult(items(value)), inexact))
      })

      const single = Effect.fnUntraced(function* (
        context: AcceptContext,
        body: string,
        decode: (value: unknown) => Result.Result<ValidEvent, InvalidInput>
      ) {
        const value = yield* Effect.fromResult(StrictJson.parse(body))
        const event = yield* Effect.fromResult(decode(value))
        const inexact = refuseInexact(StrictJson.inexactNumbers(body, value))
        if (inexact !== undefined) return yield* inexact
        const acceptedAt = yield* clock.now
        const events = [pending(random, context, event, acceptedAt)]
        const outcomes = yield* inbox.accept({ ...requestOf(context), acceptedAt, events })
        const [outcome] = outcomes
        return outcome instanceof QuotaReached ? yield* outcome : (outcome as AcceptOutcome)
      })

      const batch = Effect.fnUntraced(function* (context: AcceptContext, body: string) {
        const decoded = yield* body.length > TURN_SIZE
          ? reading.withPermit(context.workspaceId)(decodeLarge(body))
          : Effect.fromResult(decodeSmall(body))
        const acceptedAt = yield* clock.now
        const outcomes: Array<BatchOutcome | undefined> = []
        const fresh: Array<PendingEvent> = []
        /** Where in the answer each fresh event, and each later item with its key, stands. */
        const places: Array<Array<number>> = []
        const byKey = new Map<string, number>()
        for (const [index, item] of decoded.entries()) {
          if (item instanceof InvalidInput) {
            outcomes.push(item)
            continue
          }
          outcomes.push(undefined)
          const event = pending(random, context, item, acceptedAt)
          const first = event.idempotencyKey === null ? undefined : byKey.get(event.idempotencyKey)
          if (first !== undefined) {
            places[first]?.push(index)
            continue
          }
          if (event.idempotencyKey !== null) byKey.set(event.idempotencyKey, fresh.length)
          fresh.push(event)
          places.push([index])
        }
        if (fresh.length === 0) {
          return yield* new BatchRefused({
            items: outcomes.filter((outcome) => outcome instanceof InvalidInput)
          })
        }
        const accepted = yield* inbox.accept({ ...requestOf(context), acceptedAt, events: fresh })
        const [first] = accepted
        if (first instanceof QuotaReached && accepted.every((outcome) => outcome instanceof QuotaReached)) {
          return yield* first
        }
        for (const [index, outcome] of accepted.entries()) {
          for (const [repeat, place] of (places[index] ?? []).entries()) {
            outcomes[place] =
              repeat === 0 || outcome instanceof QuotaReached ? outcome : { id: outcome.id, duplicate: true }
          }
        }
        return outcomes as ReadonlyArray<BatchOutcome>
      })

      return Acceptance.of({
        one: (context, body) => single(context, body, decodeEvent),
        own: (context, body) => single(context, body, decodeOwnEvent),
        batch
      })
    })
  )
}
