/** Port: where a log stream sends events. */
import { type Effect, Schema } from "effect"
import type { PublishedCheckpoint } from "../checkpoint/Checkpoints.ts"
import type { Micros } from "../encoding/Micros.ts"
import type { Event } from "../event/Event.ts"

/** One event on its way. */
export interface StreamRecord {
  readonly sequence: number
  readonly createdAt: Micros
  readonly event: Event
  /** The event in the stream's format, one line. */
  readonly text: string
}

/** A checkpoint of the log on its way. */
export interface StreamCheckpoint extends PublishedCheckpoint {
  /** In the stream's format, one line. */
  readonly text: string
}

/** The destination did not take the records. What it says never holds a secret. */
export class SinkFailed extends Schema.TaggedError<SinkFailed>()("SinkFailed", {
  /** One sentence for the stream's owner. */
  reason: Schema.String,
  /** How long the destination asks to be left alone; null when it does not. */
  retryAfter: Schema.NullOr(Schema.Number)
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
 *   protocol has; only then may the stream's cursor move past them.
 * - Records arrive in the order given. After a failure or an interruption none, some or all may have arrived:
 *   the caller sends the same records again from the first. At least once, in order, nothing missing.
 * - `sendCheckpoint` is there where the destination has a form for checkpoints that nobody takes for an
 *   event. It succeeds as `send` does.
 * - At most one `send` or `sendCheckpoint` at a time. It ends by itself, in success or in failure, within a
 *   minute.
 * - Every address dialled has passed the guard of outbound addresses.
 */
export interface LogStreamSinkShape {
  readonly send: (records: ReadonlyArray<StreamRecord>) => Effect.Effect<void, SinkFailed>
  readonly sendCheckpoint?: (checkpoint: StreamCheckpoint) => Effect.Effect<void, SinkFailed>
}
