/**
 * Sends the log's checkpoints through one of its streams: each after the events that it covers, as far as the
 * stream has sent.
 *
 * The stream stores which was the last, and retries the next until the destination takes it. A destination
 * that rejects checkpoints still gets its events.
 */
import type { Checkpoints, PublishedCheckpoint } from "@cairn/core/checkpoint"
import type { ConsumersShape } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import type { StorageUnavailable } from "@cairn/core/log"
import {
  CircuitBreaker,
  type LogStreamSinkShape,
  readStreamCheckpoints,
  STREAM_CHECKPOINTS_KEY,
  type StoredLogStream,
  type StreamCheckpoints,
  streamCheckpoint,
  streamCheckpointsRow,
  streamConsumer,
  takesCheckpoints
} from "@cairn/core/outbound"
import { Effect, Option, Random, Result } from "effect"
import { operatorReason, type Receiver, tellFailing, tellRecovered } from "../loop/Incidents.ts"
import type { Standing, StreamHold } from "./StreamHold.ts"

/** How often a stream looks for a new checkpoint. */
const LOOK_EVERY: Micros.Micros = 5 * Micros.SECOND

/** The checkpoints of one stream. */
export interface CheckpointSending {
  /** Sends the next one, if all of its events were sent; returns whether the destination has taken it. */
  readonly next: (standing: Standing, now: Micros.Micros) => Effect.Effect<boolean, StorageUnavailable>
}

/** Where published checkpoints are read. */
export type CheckpointStore = Pick<Checkpoints["Service"], "publishedAfter">

/** A stream, and what sending its log's checkpoints needs. */
export interface CheckpointContext {
  readonly store: CheckpointStore
  readonly consumers: ConsumersShape
  readonly stream: StoredLogStream
  readonly sink: LogStreamSinkShape
  readonly hold: StreamHold
}

/** What is stored of the checkpoints that the stream has sent. */
const remembered = ({ consumers, stream }: CheckpointContext) =>
  Effect.map(
    consumers.rows({ workspaceId: stream.workspace_id, consumer: streamConsumer(stream.id) }, [
      STREAM_CHECKPOINTS_KEY
    ]),
    (rows) => readStreamCheckpoints(rows, stream.after)
  )

/** Stores the stream's state; returns whether the commit was accepted. */
const remember = Effect.fnUntraced(function* (
  { consumers, hold }: CheckpointContext,
  { position, health }: Standing,
  state: StreamCheckpoints
) {
  const committed = yield* consumers.commit(position, {
    sequence: position.sequence,
    rows: [streamCheckpointsRow(state)],
    raised: [],
    deliveries: [],
    expiredBy: null,
    at: yield* Micros.now
  })
  hold.committed(committed, health)
  return Option.isSome(committed)
})

/** The next checkpoint that may be sent now, of a stream that has sent its events up to a sequence. */
const due = Effect.fnUntraced(function* (context: CheckpointContext, sequence: number, now: Micros.Micros) {
  const state = yield* remembered(context)
  if (!CircuitBreaker.mayTry(state.breaker, now)) return undefined
  const [found] = yield* context.store.publishedAfter(context.stream.workspace_id, state.size, 1)
  return found !== undefined && found.size <= sequence ? { found, state } : undefined
})

const receiverOf = ({ stream: { id, workspace_id } }: CheckpointContext): Receiver => ({
  what: "Sending checkpoints by the log stream",
  id,
  workspaceId: workspace_id
})

type SendCheckpoint = NonNullable<LogStreamSinkShape["sendCheckpoint"]>

/** Sends a checkpoint and stores the result; returns whether the destination has taken it. */
const send = Effect.fnUntraced(function* (
  context: CheckpointContext,
  sendCheckpoint: SendCheckpoint,
  mine: Standing,
  checkpoint: PublishedCheckpoint,
  state: StreamCheckpoints
) {
  const { settings, workspace_id } = context.stream
  const sending = sendCheckpoint(streamCheckpoint(settings, workspace_id, checkpoint))
  const sent = yield* Effect.result(context.hold.during(sending))
  if (Result.isSuccess(sent)) {
    const breaker = CircuitBreaker.noteSuccess()
    const moved = yield* remember(context, mine, { size: checkpoint.size, breaker, last_error: null })
    const since = state.breaker.failing_since
    if (moved && since !== null) yield* tellRecovered(receiverOf(context), since, yield* Micros.now)
    return moved
  }
  const { reason, retryAfter, detail } = sent.failure
  const random = yield* Random.next
  const now = yield* Micros.now
  const { state: breaker } = CircuitBreaker.noteFailure(state.breaker, { now, retryAfter, random })
  const last_error = `a checkpoint was not accepted: ${reason}`.replaceAll("\0", "\uFFFD")
  const cause = `a checkpoint was not accepted: ${operatorReason(reason, detail)}`
  const stored = yield* remember(context, mine, { size: state.size, breaker, last_error, cause })
  if (stored && state.breaker.failures === 0)
    yield* tellFailing(receiverOf(context), operatorReason(reason, detail))
  return false
})

/** The checkpoints of one stream; none if its destination or its settings do not take them. */
export const makeCheckpointSending = (context: CheckpointContext): CheckpointSending => {
  const { stream, sink, hold } = context
  const { sendCheckpoint } = sink
  if (sendCheckpoint === undefined || !takesCheckpoints(stream.settings)) {
    return { next: () => Effect.succeed(false) }
  }
  let lookedAt = Number.NEGATIVE_INFINITY

  const next = Effect.fnUntraced(function* ({ position: { sequence } }: Standing, now: Micros.Micros) {
    if (now >= lookedAt && now - lookedAt < LOOK_EVERY) return false
    lookedAt = now
    if ((yield* due(context, sequence, now)) === undefined) return false
    const mine = yield* hold.take(sequence)
    // Another process may have sent it before this one got the hold.
    const found = mine === undefined ? undefined : yield* due(context, sequence, now)
    if (mine === undefined || found === undefined) return false
    const sent = yield* send(context, sendCheckpoint, mine, found.found, found.state)
    // There may be more.
    if (sent) lookedAt = Number.NEGATIVE_INFINITY
    return sent
  })

  return { next }
}
