/** From checked events to what the inbox is given, and from its outcomes to those of the request. */
import { Result, Schema, type Tracer } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { contentParts } from "../event/ContentWriter.ts"
import type { UnknownMembers } from "../event/EventDecoding.ts"
import { InvalidInput } from "../event/InvalidInput.ts"
import type { ValidEvent } from "../event/ValidEvent.ts"
import type { RandomnessShape } from "../hashing/Randomness.ts"
import type { DecodedBatch } from "./BodyDecoding.ts"
import { newEventId } from "./EventId.ts"
import {
  type AcceptOutcome,
  type AcceptRequest,
  type CountedOutcome,
  type PendingEvent,
  QuotaReached
} from "./Inbox.ts"
import type { LeftOut } from "./metric/AcceptMeters.ts"

/** The workspace that accepts, and the client's address. */
export interface AcceptContext {
  readonly workspaceId: string
  /** The client's address; an `ip_address` in the body takes precedence. */
  readonly clientAddress: string | null
  /** Idempotency keys that are older can be used again. */
  readonly keysExpireBefore: Micros | null
  /** The most events of the workspace in a month; null or absent is unlimited. */
  readonly eventsPerMonth?: number | null
  /** Whether the events count against the month, as they do unless set to false. */
  readonly isCounted?: boolean
  /** Whether the events go into a log that was closed too. */
  readonly intoClosed?: boolean
  /** What to do about members that no event has; they are an error by default. */
  readonly unknownMembers?: UnknownMembers
  /** The request's span; absent or undefined for one that is not traced. */
  readonly span?: Tracer.AnySpan | undefined
}

/** The outcome of one item of a batch: accepted or rejected. */
export type BatchOutcome = CountedOutcome | InvalidInput

/** The outcome of one event. */
export interface AcceptedEvent extends AcceptOutcome {
  /** Which members of the body were left out, if any. */
  readonly warnings?: ReadonlyArray<string>
}

/** The outcomes of a batch. */
export interface AcceptedBatch {
  /** One for each item, in order. */
  readonly outcomes: ReadonlyArray<BatchOutcome>
  /** Which members of the body were left out; at most `MAX_WARNINGS`. */
  readonly warnings: ReadonlyArray<string>
}

/** Every item of a batch was rejected. */
export class BatchRefused extends Schema.TaggedError<BatchRefused>()("BatchRefused", {
  items: Schema.Array(InvalidInput)
}) {}

/** The event as it waits. */
export const pending = (
  random: RandomnessShape,
  context: AcceptContext,
  event: ValidEvent,
  acceptedAt: Micros
): PendingEvent => ({
  id: newEventId(random, context.isCounted ?? true),
  // An empty key counts as no key: clients without one send it.
  idempotencyKey: event.input.idempotency_key || null,
  clientAddress: event.input.ip_address ?? context.clientAddress,
  content: contentParts(event, acceptedAt)
})

/** Of what is asked of the inbox, all but the events and their time. */
export const requestOf = ({
  workspaceId,
  keysExpireBefore,
  eventsPerMonth = null,
  isCounted = true,
  intoClosed = false
}: AcceptContext) => ({ workspaceId, keysExpireBefore, quota: eventsPerMonth, isCounted, intoClosed })

/** The inbox's input for a request of a client, and the answer to the request by the inbox's outcomes. */
export interface Prepared<A> extends LeftOut {
  readonly request: AcceptRequest
  readonly resultOf: (outcomes: ReadonlyArray<CountedOutcome>) => Result.Result<A, QuotaReached>
}

/** What is left out of a request whose events all go to the inbox. */
export const NOTHING_LEFT_OUT: LeftOut = { refused: 0, repeats: 0 }

/** Prepares one event. */
export const prepareOne = (
  random: RandomnessShape,
  context: AcceptContext,
  event: ValidEvent,
  acceptedAt: Micros
): Result.Result<Prepared<AcceptedEvent>> => {
  const { warnings } = event
  const events = [pending(random, context, event, acceptedAt)]
  return Result.succeed({
    ...NOTHING_LEFT_OUT,
    request: { ...requestOf(context), acceptedAt, events },
    resultOf: ([outcome]) => {
      if (outcome instanceof QuotaReached) return Result.fail(outcome)
      const { id, duplicate } = outcome as AcceptOutcome
      return Result.succeed(warnings === undefined ? { id, duplicate } : { id, duplicate, warnings })
    }
  })
}

/** The items of a batch before they are written to the inbox. */
interface Arranged {
  /** The error of each rejected item. */
  readonly refused: ReadonlyArray<InvalidInput | undefined>
  readonly fresh: ReadonlyArray<PendingEvent>
  /** The index in the batch of each new event, and of each later item with the same key. */
  readonly places: ReadonlyArray<ReadonlyArray<number>>
}

const arrange = (
  decoded: ReadonlyArray<ValidEvent | InvalidInput>,
  pendingOf: (event: ValidEvent) => PendingEvent
): Arranged => {
  const fresh: Array<PendingEvent> = []
  const places: Array<Array<number>> = []
  const byKey = new Map<string, Array<number>>()
  const refused = decoded.map((item, index) => {
    if (item instanceof InvalidInput) return item
    const event = pendingOf(item)
    const key = event.idempotencyKey
    const first = key === null ? undefined : byKey.get(key)
    if (first !== undefined) first.push(index)
    else {
      const place = [index]
      if (key !== null) byKey.set(key, place)
      fresh.push(event)
      places.push(place)
    }
    return undefined
  })
  return { refused, fresh, places }
}

/** The outcome of each item, given the outcomes of the new events. */
const outcomesOf = (
  { refused, places }: Arranged,
  accepted: ReadonlyArray<CountedOutcome>
): ReadonlyArray<BatchOutcome> => {
  const outcomes: Array<BatchOutcome | undefined> = [...refused]
  for (const [index, outcome] of accepted.entries()) {
    for (const [repeat, place] of (places[index] ?? []).entries()) {
      outcomes[place] =
        repeat === 0 || outcome instanceof QuotaReached ? outcome : { id: outcome.id, duplicate: true }
    }
  }
  return outcomes as ReadonlyArray<BatchOutcome>
}

/** Prepares a batch, unless all of its items are rejected. */
export const prepareBatch = (
  random: RandomnessShape,
  context: AcceptContext,
  { items, warnings }: DecodedBatch,
  acceptedAt: Micros
): Result.Result<Prepared<AcceptedBatch>, BatchRefused> => {
  const arranged = arrange(items, (event) => pending(random, context, event, acceptedAt))
  const { refused, fresh } = arranged
  if (fresh.length === 0)
    return Result.fail(new BatchRefused({ items: refused.filter((item) => item !== undefined) }))
  const valid = items.length - refused.filter((item) => item !== undefined).length
  return Result.succeed({
    refused: items.length - valid,
    repeats: valid - fresh.length,
    request: { ...requestOf(context), acceptedAt, events: fresh },
    resultOf: (accepted) => {
      const [first] = accepted
      return first instanceof QuotaReached && accepted.every((outcome) => outcome instanceof QuotaReached)
        ? Result.fail(first)
        : Result.succeed({ outcomes: outcomesOf(arranged, accepted), warnings })
    }
  })
}
