/** How a log stream writes an event: one line of text, in a format that other people's systems read. */

import type { SignedCheckpointView } from "../../note/SignedCheckpointView.ts"
import type { Event } from "../Event.ts"

/** What a format may write in addition to the event. */
export interface EventOrigin {
  readonly workspaceId: string
  /** The event's place in the chain; below 1 for legacy events. */
  readonly sequence: number
  /** What the chain's hash covers beside the event; null for legacy events. Lower-case hexadecimal. */
  readonly contentHash: string | null
  readonly salt: string | null
}

/** A record that tests where a stream sends to. It is no event, and no part of the log. */
export interface TestRecord {
  /** The same at each attempt. */
  readonly id: string
  readonly sent_at: string
  readonly message: string
}

/** A format. Its text has no line break and depends only on the event and its origin. */
export interface EventFormat {
  /** Whether the text is a JSON value. */
  readonly json: boolean
  /** The media type of the text, without parameters. */
  readonly mediaType: string
  readonly encode: (event: Event, origin: EventOrigin) => string
  /** A checkpoint of the log, written so that a reader can distinguish it from an event. */
  readonly encodeCheckpoint: (checkpoint: SignedCheckpointView, workspaceId: string) => string
  /** A test, written so that a reader can distinguish it from an event and from a checkpoint. */
  readonly encodeTest: (test: TestRecord, workspaceId: string) => string
}
