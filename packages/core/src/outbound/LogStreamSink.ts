/** Port: where a log stream sends events. */
import { type Effect, Schema } from "effect"
import type { PublishedCheckpoint } from "../checkpoint/Checkpoints.ts"
import type { Micros } from "../encoding/Micros.ts"
import type { Event } from "../event/Event.ts"

/** One event to send. */
export interface StreamRecord {
  readonly sequence: number
  readonly createdAt: Micros
  readonly event: Event
  /** The event in the stream's format, one line. */
  readonly text: string
}

/** A checkpoint of the log to send. */
export interface StreamCheckpoint extends PublishedCheckpoint {
  /** In the stream's format, one line. */
  readonly text: string
}

/** A record that tests the destination. It is no event. */
export interface StreamTest {
  /** The same at each attempt. */
  readonly id: string
  readonly at: Micros
  /** In the stream's format, one line. */
  readonly text: string
}

/** What the destination said to a test. It never contains a secret. */
export interface SinkAnswer {
  readonly accepted: boolean
  /** The status of the HTTP response; null where the protocol has none. */
  readonly status: number | null
  /** The first 1,024 bytes of the response, or what happened where the protocol has none. */
  readonly text: string
}

/** The destination did not accept the records. The message never contains a secret. */
export class SinkFailed extends Schema.TaggedError<SinkFailed>()("SinkFailed", {
  /** One sentence for the stream's owner. */
  reason: Schema.String,
  /** How long the destination asks for no calls; null if it does not. */
  retryAfter: Schema.NullOr(Schema.Number),
  /** What only the operator may see of the reason; see `OutboundRefused`. */
  detail: Schema.optionalKey(Schema.String)
}) {
  /** The reason. */
  override get message(): string {
    return this.reason
  }
}

/**
 * Contract:
 *
 * - `send` succeeds once the destination has acknowledged every record, in the strongest way that its
 *   protocol has. Only then may the stream's position move past them.
 * - Records arrive in the given order. After a failure or an interruption none, some or all may have arrived,
 *   and the caller sends the same records again from the first: at least once, in order, nothing missing.
 * - `sendCheckpoint` exists if the destination has a form for checkpoints that cannot be mistaken for an
 *   event. It succeeds as `send` does.
 * - `sendTest` sends a record that is no event the way that `send` sends events, and succeeds with what the
 *   destination said, whether it accepted the record or not. It fails if nothing was said. The destination
 *   may keep the record.
 * - At most one `send` or `sendCheckpoint` runs at a time; a test has a sink of its own. Each ends by itself,
 *   in success or in failure, within a minute.
 * - Every address that is called has passed the guard of outbound addresses.
 */
export interface LogStreamSinkShape {
  readonly send: (records: ReadonlyArray<StreamRecord>) => Effect.Effect<void, SinkFailed>
  readonly sendCheckpoint?: (checkpoint: StreamCheckpoint) => Effect.Effect<void, SinkFailed>
  readonly sendTest: (test: StreamTest) => Effect.Effect<SinkAnswer, SinkFailed>
}
