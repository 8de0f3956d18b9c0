/** How a log stream does: what its consumer remembers of its destination. */
import { Effect, Option, Schema } from "effect"
import { eventsAfter } from "../consumer/ConsumerRunner.ts"
import { type ConsumerRow, Consumers } from "../consumer/Consumers.ts"
import type { Micros } from "../encoding/Micros.ts"
import { EventLog } from "../log/EventLog.ts"
import { BreakerState, closedBreaker, type StreamStatus, streamStatus } from "./CircuitBreaker.ts"
import { type StoredLogStream, streamConsumer } from "./LogStreams.ts"

/** What is remembered of a destination. */
export const StreamHealth = Schema.Struct({
  breaker: BreakerState,
  /** What the destination, or the way there, said last; null after a success. */
  last_error: Schema.NullOr(Schema.String),
  /** When it last took events. */
  last_success_at: Schema.NullOr(Schema.Number)
})
export type StreamHealth = typeof StreamHealth.Type

/** The row of a stream's consumer that holds it. */
export const STREAM_HEALTH_KEY = "health"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(StreamHealth))

/** Reads it from the consumer's rows. A destination of which nothing is known is well. */
export const readStreamHealth = (rows: ReadonlyArray<ConsumerRow>): StreamHealth =>
  Option.getOrElse(
    Option.flatMap(Option.fromNullishOr(rows.find(({ key }) => key === STREAM_HEALTH_KEY)), ({ value }) =>
      decode(value)
    ),
    () => ({ breaker: closedBreaker, last_error: null, last_success_at: null })
  )

/** The row that holds it. */
export const streamHealthRow = (health: StreamHealth): ConsumerRow => ({
  key: STREAM_HEALTH_KEY,
  value: JSON.stringify(health),
  expiresAt: null
})

/**
 * What is remembered of the checkpoints that a stream sends. A destination that does not take them still gets
 * its events.
 */
export const StreamCheckpoints = Schema.Struct({
  /** The size of the last one that was sent, or of the log where the stream began. */
  size: Schema.Number,
  breaker: BreakerState,
  /** Why the next one was not taken; null after a success. */
  last_error: Schema.NullOr(Schema.String)
})
export type StreamCheckpoints = typeof StreamCheckpoints.Type

/** The row of a stream's consumer that holds it. */
export const STREAM_CHECKPOINTS_KEY = "checkpoints"

const decodeCheckpoints = Schema.decodeUnknownOption(Schema.fromJsonString(StreamCheckpoints))

/**
 * Reads it from the consumer's rows. A stream that has sent none begins with those that were signed after
 * `after`, its own beginning.
 */
export const readStreamCheckpoints = (rows: ReadonlyArray<ConsumerRow>, after: number): StreamCheckpoints =>
  Option.getOrElse(
    Option.flatMap(
      Option.fromNullishOr(rows.find(({ key }) => key === STREAM_CHECKPOINTS_KEY)),
      ({ value }) => decodeCheckpoints(value)
    ),
    () => ({ size: Math.max(0, after), breaker: closedBreaker, last_error: null })
  )

/** The row that holds it. */
export const streamCheckpointsRow = (state: StreamCheckpoints): ConsumerRow => ({
  key: STREAM_CHECKPOINTS_KEY,
  value: JSON.stringify(state),
  expiresAt: null
})

/** How a stream stands, as its owner sees it. */
export interface StreamStanding {
  readonly status: StreamStatus | "paused" | "disabled"
  readonly lastError: string | null
  readonly failingSince: Micros | null
  readonly lastSuccessAt: Micros | null
  /** Every event up to this sequence was sent, or was none of the stream's. */
  readonly sequence: number
  /** Events of the log after that, whether they are the stream's or not. */
  readonly lag: number
  /** The size of the last checkpoint that was sent, or of the log where the stream began. */
  readonly checkpointSize: number
}

/** How a stream stands now. */
export const streamStanding = Effect.fn("streamStanding")(function* (stream: StoredLogStream) {
  const consumers = yield* Consumers
  const log = yield* EventLog
  const { workspace_id: workspaceId, id, settings, after } = stream
  const key = { workspaceId, consumer: streamConsumer(id) }
  const position = (yield* consumers.list(workspaceId)).find(({ consumer }) => consumer === key.consumer)
  const rows = yield* consumers.rows(key, [STREAM_HEALTH_KEY, STREAM_CHECKPOINTS_KEY])
  const { breaker, last_error, last_success_at } = readStreamHealth(rows)
  const checkpoints = readStreamCheckpoints(rows, after)
  const sequence = position?.sequence ?? after
  return {
    status: !settings.enabled ? "disabled" : position?.paused ? "paused" : streamStatus(breaker),
    lastError: last_error ?? checkpoints.last_error,
    failingSince: breaker.failing_since,
    lastSuccessAt: last_success_at,
    sequence,
    lag: eventsAfter(sequence, yield* log.head(workspaceId)),
    checkpointSize: checkpoints.size
  } satisfies StreamStanding
})
