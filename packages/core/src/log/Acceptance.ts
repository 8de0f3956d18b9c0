/**
 * Accepting: from the text of a request to a durable place in the inbox.
 *
 * Every check of an event happens here, so that nothing can fail after the client has its response.
 */
import { Context, Effect, Layer, PartitionedSemaphore, Result, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { makePace, type Pace, TURN_SIZE } from "../encoding/Pace.ts"
import type * as StrictJson from "../encoding/StrictJson.ts"
import { contentParts } from "../event/ContentWriter.ts"
import { copyOfEvent, decodeEvent, decodeOwnEvent, type UnknownMembers } from "../event/EventDecoding.ts"
import { InvalidInput } from "../event/InvalidInput.ts"
import type { ValidEvent } from "../event/ValidEvent.ts"
import { Randomness, type RandomnessShape, uuid } from "../hashing/Randomness.ts"
import {
  type DecodeEvent,
  decodeBatchText,
  decodeBatchValue,
  decodeLargeBatch,
  decodeText,
  type MAX_WARNINGS
} from "./BodyDecoding.ts"
import { type ClockAhead, ClockGuard } from "./ClockGuard.ts"
import { newEventId } from "./EventId.ts"
import { EventLog } from "./EventLog.ts"
import {
  type AcceptOutcome,
  type CountedOutcome,
  Inbox,
  type InboxFull,
  type PendingEvent,
  QuotaReached
} from "./Inbox.ts"
import { holdsTheSame } from "./KeyHolder.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

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
  /** What to do about members that no event has; they are an error by default. */
  readonly unknownMembers?: UnknownMembers
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
  /** Which members of the body were left out; at most {@link MAX_WARNINGS}. */
  readonly warnings: ReadonlyArray<string>
}

/** Every item of a batch was rejected. */
export class BatchRefused extends Schema.TaggedError<BatchRefused>()("BatchRefused", {
  items: Schema.Array(InvalidInput)
}) {}

type Failure = InboxFull | ClockAhead | StorageUnavailable

/** What to accept: JSON text from a client, or a value from code. */
type AcceptBody = string | object

/**
 * The use case *accept*. A text is rejected if a number in it would be stored as a different number, or if a
 * key is repeated in an object. In a value, what JSON cannot express is left out or replaced, as
 * `JSON.stringify` does.
 */
interface AcceptanceShape {
  /** Accepts one event body. */
  readonly one: (
    context: AcceptContext,
    body: AcceptBody
  ) => Effect.Effect<AcceptedEvent, StrictJson.MalformedJson | InvalidInput | QuotaReached | Failure>
  /**
   * Accepts an event that the service writes by itself, whose action begins with `cairn.`. Never pass it what
   * a client sends: readers rely on such events coming from the service. No quota limits it. It is a
   * duplicate only of an event with its key, action and actor: where another event holds its key, which a
   * client of an older version could claim, it gets another one.
   */
  readonly own: AcceptanceShape["one"]
  /**
   * Accepts many such events in one commit, and returns one outcome a body, in order. At least one body; no
   * two share an idempotency key. If a body is invalid none of them is accepted. No quota limits them.
   */
  readonly ownBatch: (
    context: AcceptContext,
    bodies: ReadonlyArray<object>
  ) => Effect.Effect<ReadonlyArray<AcceptOutcome>, InvalidInput | Failure>
  /**
   * Accepts a batch, `{ events: [...] }`, and returns one outcome an item, in order. An invalid item does not
   * stop the others. Of items that share an idempotency key, the first wins. Items beyond the month's quota
   * are rejected, from the last one on; if the quota allows none, the whole batch is rejected.
   */
  readonly batch: (
    context: AcceptContext,
    body: AcceptBody
  ) => Effect.Effect<
    AcceptedBatch,
    StrictJson.MalformedJson | InvalidInput | BatchRefused | QuotaReached | Failure
  >
}

const pending = (
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

const requestOf = ({
  workspaceId,
  keysExpireBefore,
  eventsPerMonth = null,
  isCounted = true
}: AcceptContext) => ({ workspaceId, keysExpireBefore, quota: eventsPerMonth, isCounted })

/** Large batches that are read at the same time: reading a body of 8 MiB may take some hundred megabytes. */
const MOST_READ_AT_ONCE = 2

/** What the functions of this module share. */
interface Accepting {
  readonly inbox: Inbox["Service"]
  readonly log: EventLog["Service"]
  readonly clock: ClockGuard["Service"]
  readonly random: RandomnessShape
  readonly pace: Pace
  /** Workspaces take turns, however many bodies one of them sends. */
  readonly reading: PartitionedSemaphore.PartitionedSemaphore<string>
}

const acceptOne = Effect.fnUntraced(function* (
  { inbox, clock, random }: Accepting,
  context: AcceptContext,
  body: AcceptBody,
  decode: DecodeEvent
) {
  const event = yield* Effect.fromResult(
    typeof body === "string" ? decodeText(body, decode) : decode(copyOfEvent(body))
  )
  const acceptedAt = yield* clock.now
  const events = [pending(random, context, event, acceptedAt)]
  const outcomes = yield* inbox.accept({ ...requestOf(context), acceptedAt, events })
  const [outcome] = outcomes
  if (outcome instanceof QuotaReached) return yield* outcome
  const { warnings } = event
  return { ...(outcome as AcceptOutcome), ...(warnings === undefined ? {} : { warnings }) }
})

/** An event of the service's own whose key another event holds. */
interface KeyTaken {
  readonly index: number
  readonly event: ValidEvent
  readonly holder: string
}

/**
 * The event with another key: the first time one that all processes give it, then one of its own, so that
 * whoever foresaw the first cannot hold it up.
 */
const withOtherKey = (random: RandomnessShape, { event, holder }: KeyTaken, attempt: number): ValidEvent => ({
  ...event,
  input: {
    ...event.input,
    idempotency_key: `${event.input.idempotency_key} ${attempt === 0 ? holder : uuid(random)}`
  }
})

const acceptOwnEvents = Effect.fnUntraced(function* (
  accepting: Accepting,
  context: AcceptContext,
  events: ReadonlyArray<ValidEvent>,
  attempt = 0
): Effect.fn.Return<ReadonlyArray<AcceptOutcome>, Failure> {
  const { inbox, clock, random } = accepting
  const { workspaceId } = context
  const acceptedAt = yield* clock.now
  const given = events.map((event) => pending(random, context, event, acceptedAt))
  const request = { ...requestOf(context), quota: null, acceptedAt, events: given }
  // Without a quota none of them has been reached.
  const outcomes = (yield* inbox.accept(request)) as ReadonlyArray<AcceptOutcome>
  const taken: Array<KeyTaken> = []
  for (const [index, event] of events.entries()) {
    const { id: holder, duplicate } = outcomes[index] as AcceptOutcome
    if (!duplicate || (yield* holdsTheSame(accepting, workspaceId, holder, event))) continue
    taken.push({ index, event, holder })
  }
  if (taken.length === 0) return outcomes
  const others = taken.map((one) => withOtherKey(random, one, attempt))
  const again = yield* acceptOwnEvents(accepting, context, others, attempt + 1)
  const found = new Map(taken.map(({ index }, at) => [index, again[at]]))
  return outcomes.map((outcome, index) => found.get(index) ?? outcome)
})

const acceptOwnBatch = Effect.fnUntraced(function* (
  accepting: Accepting,
  context: AcceptContext,
  bodies: ReadonlyArray<object>
) {
  const events = yield* Effect.fromResult(Result.all(bodies.map((body) => decodeOwnEvent(copyOfEvent(body)))))
  return yield* acceptOwnEvents(accepting, context, events)
})

const acceptOwn = Effect.fnUntraced(function* (
  accepting: Accepting,
  context: AcceptContext,
  body: AcceptBody
) {
  const event = yield* Effect.fromResult(
    typeof body === "string" ? decodeText(body, decodeOwnEvent) : decodeOwnEvent(copyOfEvent(body))
  )
  const [outcome] = yield* acceptOwnEvents(accepting, context, [event])
  return outcome as AcceptOutcome
})

/** The checked items of a batch: small texts at once, everything else in turns. */
const decodeBatch = (
  { pace, reading }: Accepting,
  { workspaceId, unknownMembers = "reject" }: AcceptContext,
  body: AcceptBody
) => {
  if (typeof body !== "string")
    return Effect.flatMap(pace.finish(decodeBatchValue(body, unknownMembers)), Effect.fromResult)
  return body.length > TURN_SIZE
    ? reading.withPermit(workspaceId)(
        Effect.flatMap(pace.finish(decodeLargeBatch(body, unknownMembers)), Effect.fromResult)
      )
    : Effect.fromResult(decodeBatchText(body, unknownMembers))
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

const acceptBatch = Effect.fnUntraced(function* (
  accepting: Accepting,
  context: AcceptContext,
  body: AcceptBody
) {
  const { items: decoded, warnings } = yield* decodeBatch(accepting, context, body)
  const acceptedAt = yield* accepting.clock.now
  const arranged = arrange(decoded, (event) => pending(accepting.random, context, event, acceptedAt))
  const { refused, fresh } = arranged
  if (fresh.length === 0) {
    return yield* new BatchRefused({ items: refused.filter((item) => item !== undefined) })
  }
  const accepted = yield* accepting.inbox.accept({ ...requestOf(context), acceptedAt, events: fresh })
  const [first] = accepted
  if (first instanceof QuotaReached && accepted.every((outcome) => outcome instanceof QuotaReached)) {
    return yield* first
  }
  return { outcomes: outcomesOf(arranged, accepted), warnings }
})

/** Accepting over an inbox. */
export class Acceptance extends Context.Service<Acceptance, AcceptanceShape>()("@cairn/core/Acceptance") {
  static readonly layer = Layer.effect(
    Acceptance,
    Effect.gen(function* () {
      const accepting: Accepting = {
        inbox: yield* Inbox,
        log: yield* EventLog,
        clock: yield* ClockGuard,
        random: yield* Randomness,
        pace: makePace(),
        reading: PartitionedSemaphore.makeUnsafe<string>({ permits: MOST_READ_AT_ONCE })
      }
      return Acceptance.of({
        one: (context, body) =>
          acceptOne(accepting, context, body, (value) => decodeEvent(value, [], context.unknownMembers)),
        own: (context, body) => acceptOwn(accepting, context, body),
        ownBatch: (context, bodies) => acceptOwnBatch(accepting, context, bodies),
        batch: (context, body) => acceptBatch(accepting, context, body)
      })
    })
  )
}
