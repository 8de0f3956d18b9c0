/** The health of a log stream: what its consumer has stored about its destination. */
import { Effect, Option, Schema } from "effect"
import { eventsAfter } from "../consumer/ConsumerRunner.ts"
import { type ConsumerRow, Consumers } from "../consumer/Consumers.ts"
import type { Micros } from "../encoding/Micros.ts"
import { EventLog } from "../log/EventLog.ts"
import { BreakerState, closedBreaker, type StreamStatus, streamStatus } from "./CircuitBreaker.ts"
import { type StoredLogStream, streamConsumer } from "./LogStreams.ts"

/** The stored state of a destination. */
export const StreamHealth = Schema.Struct({
  breaker: BreakerState,
  /** The last error of the destination or of the connection; null after a success. */
  last_error: Schema.NullOr(Schema.String),
  /** The same as the operator may read it; missing after a success, and where an earlier version wrote it. */
  cause: Schema.optionalKey(Schema.String),
  /** When it last accepted events. */
  last_success_at: Schema.NullOr(Schema.Number)
})
export type StreamHealth = typeof StreamHealth.Type

/** The row of a stream's consumer with this state. */
export const STREAM_HEALTH_KEY = "health"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(StreamHealth))

/** Reads the state from the consumer's rows. A destination without a row is healthy. */
export const readStreamHealth = (rows: ReadonlyArray<ConsumerRow>): StreamHealth =>
  Option.getOrElse(
    Option.flatMap(Option.fromNullishOr(rows.find(({ key }) => key === STREAM_HEALTH_KEY)), ({ value }) =>
      decode(value)
    ),
    () => ({ breaker: closedBreaker, last_error: null, last_success_at: null })
  )

/** The row with this state. */
export const streamHealthRow = (health: StreamHealth): ConsumerRow => ({
  key: STREAM_HEALTH_KEY,
  value: JSON.stringify(health),
  expiresAt: null
})

/**
 * The state of the checkpoints that a stream sends. A destination that rejects them still gets its events.
 */
export const StreamCheckpoints = Schema.Struct({
  /** The size of the last one that was sent, or of the log when the stream began. */
  size: Schema.Number,
  breaker: BreakerState,
  /** Why the next one was rejected; null after a success. */
  last_error: Schema.NullOr(Schema.String),
  /** As that of {@link StreamHealth}. */
  cause: Schema.optionalKey(Schema.String)
})
export type StreamCheckpoints = typeof StreamCheckpoints.Type

/** The row of a stream's consumer with this state. */
export const STREAM_CHECKPOINTS_KEY = "checkpoints"

const decodeCheckpoints = Schema.decodeUnknownOption(Schema.fromJsonString(StreamCheckpoints))

/**
 * Reads the state from the consumer's rows. A stream that has sent none begins with checkpoints that were
 * signed after `after`, where the stream began.
 */
export const readStreamCheckpoints = (rows: ReadonlyArray<ConsumerRow>, after: number): StreamCheckpoints =>
  Option.getOrElse(
    Option.flatMap(
      Option.fromNullishOr(rows.find(({ key }) => key === STREAM_CHECKPOINTS_KEY)),
      ({ value }) => decodeCheckpoints(value)
    ),
    () => ({ size: Math.max(0, after), breaker: closedBreaker, last_error: null })
  )

/** The row with this state. */
export const streamCheckpointsRow = (state: StreamCheckpoints): ConsumerRow => ({
  key: STREAM_CHECKPOINTS_KEY,
  value: JSON.stringify(state),
  expiresAt: null
})

/** The status of a stream, as its owner sees it. */
export interface StreamStanding {
  readonly status: StreamStatus | "paused" | "disabled"
  readonly lastError: string | null
  readonly failingSince: Micros | null
  readonly lastSuccessAt: Micros | null
  /** Every event up to this sequence was sent, or is excluded by the stream's filters. */
  readonly sequence: number
  /** Events of the log after that, whether the stream sends them or not. */
  readonly lag: number
  /** The size of the last checkpoint that was sent, or of the log when the stream began. */
  readonly checkpointSize: number
}

/** The present status of a stream. */
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

/** What is logged of a stream whose destination fails. */
export interface StreamFailure {
  /** When the first of the failures was. */
  readonly since: Micros | null
  /** It is not tried before this. */
  readonly nextAttempt: Micros | null
  /** On one line, without secrets; with what `last_error` keeps from the stream's owner. */
  readonly reason: string
}

/** How a stream fails, by its consumer's rows: with its events or, if those are taken, with checkpoints. */
export const streamFailure = (rows: ReadonlyArray<ConsumerRow>): StreamFailure | null => {
  const failing = [readStreamHealth(rows), readStreamCheckpoints(rows, 0)].find(
    ({ breaker }) => breaker.failures > 0
  )
  if (failing === undefined) return null
  const { breaker, last_error, cause } = failing
  return {
    since: breaker.failing_since,
    nextAttempt: breaker.open_until,
    reason: cause ?? last_error ?? "the reason is not known"
  }
}
