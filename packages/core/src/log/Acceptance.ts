/**
 * Accepting: from the text of a request to a durable place in the inbox.
 *
 * Every check of an event happens here, so that nothing can fail after the client has its response.
 */
import { Context, Effect, Exit, Layer, PartitionedSemaphore, Result } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { makePace, type Pace, TURN_SIZE } from "../encoding/Pace.ts"
import type * as StrictJson from "../encoding/StrictJson.ts"
import { copyOfEvent, decodeEvent, decodeOwnEvent } from "../event/EventDecoding.ts"
import type { InvalidInput } from "../event/InvalidInput.ts"
import type { ValidEvent } from "../event/ValidEvent.ts"
import { Randomness, type RandomnessShape, uuid } from "../hashing/Randomness.ts"
import {
  type AcceptContext,
  type AcceptedBatch,
  type AcceptedEvent,
  type BatchRefused,
  NOTHING_LEFT_OUT,
  type Prepared,
  pending,
  prepareBatch,
  prepareOne,
  requestOf
} from "./AcceptRequests.ts"
import {
  type DecodeEvent,
  decodeBatchText,
  decodeBatchValue,
  decodeLargeBatch,
  decodeText
} from "./BodyDecoding.ts"
import { type ClockAhead, ClockGuard } from "./ClockGuard.ts"
import { EventLog } from "./EventLog.ts"
import { type AcceptOutcome, Inbox, type InboxFull, type LogClosed, type QuotaReached } from "./Inbox.ts"
import { holdsTheSame } from "./KeyHolder.ts"
import { AcceptMeters } from "./metric/AcceptMeters.ts"
import { Meters } from "./metric/Meters.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"
import { traceAccept } from "./trace/EventTraces.ts"
import { Tracing, type TracingShape } from "./trace/Tracing.ts"

type Failure = InboxFull | ClockAhead | StorageUnavailable

/** Why one event is not accepted. */
type OneFailure = StrictJson.MalformedJson | InvalidInput | QuotaReached | LogClosed | Failure

/** Why an event of the service's own is not accepted. */
type OwnFailure = Exclude<OneFailure, QuotaReached | LogClosed>

/** Why a batch is not accepted. */
type BatchFailure = OneFailure | BatchRefused

/** What to accept: JSON text from a client, or a value from code. */
type AcceptBody = string | object

/**
 * The use case *accept*. A text is rejected if a number in it would be stored as a different number, or if a
 * key is repeated in an object. In a value, what JSON cannot express is left out or replaced, as
 * `JSON.stringify` does.
 */
interface AcceptanceShape {
  /** Accepts one event body. */
  readonly one: (context: AcceptContext, body: AcceptBody) => Effect.Effect<AcceptedEvent, OneFailure>
  /**
   * Accepts an event that the service writes by itself, whose action begins with `cairn.`. Never pass it what
   * a client sends: readers rely on such events coming from the service. No quota limits it. It is a
   * duplicate only of an event with its key, action and actor: where another event holds its key, which a
   * client of an older version could claim, it gets another one. In a log that was closed it writes nothing
   * and returns a duplicate, unless the context is for closed logs too.
   */
  readonly own: (context: AcceptContext, body: AcceptBody) => Effect.Effect<AcceptedEvent, OwnFailure>
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
  readonly batch: (context: AcceptContext, body: AcceptBody) => Effect.Effect<AcceptedBatch, BatchFailure>
  /** `one` and `batch` of texts without an Effect; undefined where the inbox or the clock needs one. */
  readonly promptly?: PromptAcceptance | undefined
}

/**
 * Accepting without an Effect: everything up to the inbox's queue happens at once. `done` is called once, at
 * once or later, with what makes the exit; it is to be called where a defect does not reach the inbox.
 */
export interface PromptAcceptance {
  readonly one: (
    context: AcceptContext,
    body: string,
    done: (exit: () => Exit.Exit<AcceptedEvent, OneFailure>) => void
  ) => void
  /** Of a text of at most {@link TURN_SIZE} characters; a longer one is read in turns, by `batch`. */
  readonly batch: (
    context: AcceptContext,
    body: string,
    done: (exit: () => Exit.Exit<AcceptedBatch, BatchFailure>) => void
  ) => void
}

/** Large batches that are read at the same time: reading a body of 8 MiB may take some hundred megabytes. */
const MOST_READ_AT_ONCE = 2

/** What the functions of this module share. */
interface Accepting {
  readonly inbox: Inbox["Service"]
  readonly log: EventLog["Service"]
  readonly clock: ClockGuard["Service"]
  readonly random: RandomnessShape
  readonly pace: Pace
  readonly meters: AcceptMeters
  readonly tracing: TracingShape | undefined
  /** Workspaces take turns, however many bodies one of them sends. */
  readonly reading: PartitionedSemaphore.PartitionedSemaphore<string>
}

const decodeOne = (body: AcceptBody, { unknownMembers }: AcceptContext) => {
  const decode: DecodeEvent = (value) => decodeEvent(value, [], unknownMembers)
  return typeof body === "string" ? decodeText(body, decode) : decode(copyOfEvent(body))
}

/** An error, by its name. */
interface Tagged {
  readonly _tag: string
}

/** What a checked body becomes, once the time is known. */
type Prepare<Decoded, A, E> = (
  random: RandomnessShape,
  context: AcceptContext,
  decoded: Decoded,
  acceptedAt: Micros
) => Result.Result<Prepared<A>, E>

/** Accepts what was decoded. */
const acceptDecoded = Effect.fnUntraced(function* <Decoded, A, E extends Tagged, F extends Tagged>(
  { inbox, clock, random, meters, tracing }: Accepting,
  context: AcceptContext,
  decoding: Effect.Effect<Decoded, E>,
  prepare: Prepare<Decoded, A, F>
) {
  const prepared = Effect.gen(function* () {
    const decoded = yield* decoding
    const acceptedAt = yield* clock.now
    return yield* Effect.fromResult(prepare(random, context, decoded, acceptedAt))
  })
  const given = yield* Effect.tapError(prepared, (error) => Effect.sync(() => meters.refused(error)))
  const { request, resultOf } = given
  const endTrace = tracing && context.span && traceAccept(tracing, context.span, request.events)
  const outcomes = yield* Effect.onExit(inbox.accept(request), (exit) =>
    Effect.sync(() => {
      meters.answered(exit, request.events.length, given)
      endTrace?.(exit)
    })
  )
  return yield* Effect.fromResult(resultOf(outcomes))
})

/** The outcome for an event of the service's own in a log that was closed. */
const NOT_WRITTEN: AcceptOutcome = { id: "", duplicate: true }

/** An event of the service's own whose key another event holds. */
interface KeyTaken {
  readonly index: number
  readonly event: ValidEvent
  readonly holder: string
}

/**
 * The event with another idempotency key. At the first attempt all processes choose the same key; after that
 * it is random, so that a client that has guessed the first key cannot block the event.
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
  const { inbox, clock, random, meters } = accepting
  const { workspaceId } = context
  const acceptedAt = yield* clock.now
  const given = events.map((event) => pending(random, context, event, acceptedAt))
  const request = { ...requestOf(context), quota: null, acceptedAt, events: given }
  const accepted = yield* inbox.accept(request).pipe(
    Effect.onExit((exit) => Effect.sync(() => meters.answered(exit, given.length, NOTHING_LEFT_OUT))),
    Effect.catchTag("LogClosed", () => Effect.undefined)
  )
  if (accepted === undefined) return events.map(() => NOT_WRITTEN)
  // Without a quota none of them has been reached.
  const outcomes = accepted as ReadonlyArray<AcceptOutcome>
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

const exitOf = <A, E>(result: Result.Result<A, E>): Exit.Exit<A, E> =>
  Result.isSuccess(result) ? Exit.succeed(result.success) : Exit.fail(result.failure)

/** `acceptDecoded` without an Effect, where the inbox and the clock need none. */
const acceptPromptly = ({
  inbox,
  clock,
  random,
  meters,
  tracing
}: Accepting): PromptAcceptance | undefined => {
  const { read } = clock
  const { promptly } = inbox.accept
  if (read === undefined || promptly === undefined) return undefined
  const accept = <Decoded, A, E extends Tagged, F extends Tagged>(
    context: AcceptContext,
    decoded: Result.Result<Decoded, E>,
    prepare: Prepare<Decoded, A, F>,
    done: (exit: () => Exit.Exit<A, E | F | QuotaReached | LogClosed | Failure>) => void
  ) => {
    const refuse = <Refusal extends E | F | ClockAhead>(error: Refusal) => {
      meters.refused(error)
      done(() => Exit.fail(error))
    }
    if (Result.isFailure(decoded)) return refuse(decoded.failure)
    const acceptedAt = read()
    if (Result.isFailure(acceptedAt)) return refuse(acceptedAt.failure)
    const prepared = prepare(random, context, decoded.success, acceptedAt.success)
    if (Result.isFailure(prepared)) return refuse(prepared.failure)
    const { request, resultOf } = prepared.success
    const endTrace = tracing && context.span && traceAccept(tracing, context.span, request.events)
    promptly(request, (exit) => {
      meters.answered(exit, request.events.length, prepared.success)
      endTrace?.(exit)
      done(() => (Exit.isFailure(exit) ? Exit.failCause(exit.cause) : exitOf(resultOf(exit.value))))
    })
  }
  return {
    one: (context, body, done) => accept(context, decodeOne(body, context), prepareOne, done),
    batch: (context, body, done) =>
      accept(context, decodeBatchText(body, context.unknownMembers ?? "reject"), prepareBatch, done)
  }
}

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
        meters: new AcceptMeters(yield* Meters),
        tracing: yield* Tracing,
        reading: PartitionedSemaphore.makeUnsafe<string>({ permits: MOST_READ_AT_ONCE })
      }
      return Acceptance.of({
        one: (context, body) =>
          acceptDecoded(
            accepting,
            context,
            Effect.suspend(() => Effect.fromResult(decodeOne(body, context))),
            prepareOne
          ),
        own: (context, body) => acceptOwn(accepting, context, body),
        ownBatch: (context, bodies) => acceptOwnBatch(accepting, context, bodies),
        batch: (context, body) =>
          acceptDecoded(
            accepting,
            context,
            Effect.suspend(() => decodeBatch(accepting, context, body)),
            prepareBatch
          ),
        promptly: acceptPromptly(accepting)
      })
    })
  )
}
