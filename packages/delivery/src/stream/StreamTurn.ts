/**
 * One turn of a stream: reads on, sends the next batch if one is due, and moves once the destination has
 * acknowledged it.
 */

import type { ConsumerPosition, ConsumersShape, NewDelivery } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import type { StorageUnavailable, Tracing } from "@cairn/core/log"
import {
  type BatchLimits,
  CircuitBreaker,
  decideBatch,
  type LogStreamSinkShape,
  type SinkFailed,
  type StreamHealth,
  type StreamRecord,
  streamHealthRow
} from "@cairn/core/outbound"
import { Effect, Option, Random, Result } from "effect"
import { traceDelivery } from "../loop/DeliveryTrace.ts"
import { operatorReason, type Receiver, tellFailing, tellRecovered } from "../loop/Incidents.ts"
import type { CheckpointSending } from "./CheckpointSending.ts"
import type { BufferedRecords, StreamBuffer } from "./StreamBuffer.ts"
import type { StreamHold } from "./StreamHold.ts"
import type { LagLook, StreamMeters } from "./StreamMeters.ts"

/**
 * Records that were read longer ago are read again before they are sent, by this stream or within a second by
 * another reader.
 */
const FRESH: Micros.Micros = Micros.SECOND

/** What came of one turn of a stream. */
export type StreamTurn =
  /** Events were sent, or skipped because the stream's filter excludes them; there may be more at once. */
  | { readonly _tag: "Moved"; readonly sent: number }
  /** The destination did not take them. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** Nothing is due before this time, unless more events arrive; null if there is nothing to wait for. */
  | { readonly _tag: "Waiting"; readonly until: Micros.Micros | null }

/** A stream whose destination is open, and what its turns need. */
export interface TurnContext {
  readonly consumers: ConsumersShape
  /** The stream, as the log names it. */
  readonly receiver: Receiver
  readonly sink: LogStreamSinkShape
  readonly limits: BatchLimits
  readonly hold: StreamHold
  readonly buffer: StreamBuffer
  readonly checkpoints: CheckpointSending
  readonly meters: StreamMeters
  readonly lookAtLag: LagLook
  readonly tracing: (typeof Tracing)["Service"]
  /** The mails about a stream that has been down for a while. */
  readonly downMails: (
    health: StreamHealth,
    at: Micros.Micros
  ) => Effect.Effect<ReadonlyArray<NewDelivery>, StorageUnavailable>
}

/** What is stored with a stream's position. */
interface Commit {
  readonly sequence: number
  /** Undefined where it stays as it is. */
  readonly health: StreamHealth | undefined
  readonly deliveries: ReadonlyArray<NewDelivery>
  readonly at: Micros.Micros
}

const waiting = (until: Micros.Micros | null): StreamTurn => ({ _tag: "Waiting", until })

const moved = (sent: number): StreamTurn => ({ _tag: "Moved", sent })

const commit = (
  { consumers }: TurnContext,
  position: ConsumerPosition,
  { sequence, health, deliveries, at }: Commit
) =>
  consumers.commit(position, {
    sequence,
    rows: health === undefined ? [] : [streamHealthRow(health)],
    raised: [],
    deliveries,
    expiredBy: null,
    at
  })

/** Notes that the destination did not take a batch. */
const noteFailure = Effect.fnUntraced(function* (
  context: TurnContext,
  position: ConsumerPosition,
  health: StreamHealth,
  failure: SinkFailed
) {
  const { reason, retryAfter, detail } = failure
  const at = yield* Micros.now
  const { state, tell } = CircuitBreaker.noteFailure(health.breaker, {
    now: at,
    retryAfter,
    random: yield* Random.next
  })
  const cause = operatorReason(reason, detail)
  const after = { ...health, breaker: state, last_error: reason.replaceAll("\0", "\uFFFD"), cause }
  const deliveries = tell ? yield* context.downMails(after, at) : []
  const { sequence } = position
  const committed = yield* commit(context, position, { sequence, health: after, deliveries, at })
  if (Option.isSome(committed) && health.breaker.failures === 0) yield* tellFailing(context.receiver, cause)
  return { _tag: "Failed", reason } satisfies StreamTurn
})

/** Sends a batch that nobody else is sending. */
const sendBatch = Effect.fnUntraced(function* (
  context: TurnContext,
  buffered: BufferedRecords,
  batch: ReadonlyArray<StreamRecord>
) {
  const { hold, sink, buffer } = context
  const mine = yield* hold.take(buffered.after)
  if (mine === undefined) return waiting(null)
  const sent = yield* traceDelivery(
    context.tracing,
    {
      channel: "stream",
      eventIds: () => batch.map(({ event }) => event.id),
      outcomeOf: (result) => (Result.isSuccess(result) ? "delivered" : "failed")
    },
    Effect.result(hold.during(sink.send(batch)))
  )
  const stream = context.receiver.id
  if (Result.isFailure(sent)) {
    context.meters.failed(stream)
    return yield* noteFailure(context, mine.position, mine.health, sent.failure)
  }
  context.meters.sent(stream, batch.length)
  const at = yield* Micros.now
  const isAll = batch.length === buffered.records.length
  const sequence = isAll ? buffered.readTo : (batch.at(-1)?.sequence ?? buffered.readTo)
  const health = { breaker: CircuitBreaker.noteSuccess(), last_error: null, last_success_at: at }
  const committed = yield* commit(context, mine.position, { sequence, health, deliveries: [], at })
  hold.committed(committed, health)
  const since = mine.health.breaker.failing_since
  if (Option.isSome(committed) && since !== null) yield* tellRecovered(context.receiver, since, at)
  buffer.keepAfter(sequence, batch.length, buffered)
  return moved(batch.length)
})

/** Moves a stream past events that its filter excludes. */
const passOver = Effect.fnUntraced(function* (
  context: TurnContext,
  { after, readTo: sequence }: BufferedRecords,
  at: Micros.Micros
) {
  if (sequence === after) return waiting(null)
  // If another process held the stream, it would find the position moved and send its batch again.
  const mine = yield* context.hold.take(after)
  if (mine === undefined) return waiting(null)
  const committed = yield* commit(context, mine.position, { sequence, health: undefined, deliveries: [], at })
  context.hold.committed(committed, mine.health)
  return moved(0)
})

// If there are more rows than one batch may look at, the records found so far are sent.
const decide = ({ limits }: TurnContext, { atEnd, records }: BufferedRecords, now: Micros.Micros) =>
  decideBatch(atEnd ? limits : { ...limits, seconds: 0 }, records, now)

/** Reads what is there after a position, and decides what of it to send now. */
const nextBatch = Effect.fnUntraced(function* (context: TurnContext, after: number, now: Micros.Micros) {
  const buffered = yield* context.buffer.fill(after, now)
  const decided = decide(context, buffered, now)
  if (decided._tag !== "Send" || now - buffered.since <= FRESH) return { buffered, decided }
  // The batch has waited. It is read again, so that events that were erased in the meantime are not sent.
  const again = yield* context.buffer.refill(after, now)
  return { buffered: again, decided: decide(context, again, now) }
})

/** Sends the next batch, if one is due. */
export const takeTurn = Effect.fnUntraced(function* (
  context: TurnContext
): Effect.fn.Return<StreamTurn, StorageUnavailable> {
  const now = yield* Micros.now
  const standing = yield* context.hold.standing(now)
  if (standing === undefined || standing.position.paused) return waiting(null)
  const { position, health } = standing
  yield* context.lookAtLag(position.sequence, now)
  if (!CircuitBreaker.mayTry(health.breaker, now)) return waiting(health.breaker.open_until)
  if (yield* context.checkpoints.next(standing, now)) return moved(0)
  const { buffered, decided } = yield* nextBatch(context, position.sequence, now)
  if (buffered.records.length === 0) return yield* passOver(context, buffered, now)
  if (decided._tag === "Wait") return waiting(decided.until)
  return yield* sendBatch(context, buffered, decided.records)
})
