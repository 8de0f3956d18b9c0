/** How a log stream writes an event: one line of text, in a format that other people's systems read. */

import type { SignedCheckpointView } from "../../note/SignedCheckpointView.ts"
import type { Event } from "../Event.ts"

/** What a format may say besides the event. */
export interface EventOrigin {
  readonly workspaceId: string
  /** The event's place in the chain; legacy events stand below 1. */
  readonly sequence: number
}

/** A format. Its text never holds a line break, and depends on nothing but the event and its origin. */
export interface EventFormat {
  /** Whether the text is a JSON value. */
  readonly json: boolean
  /** Of the text by itself, without parameters. */
  readonly mediaType: string
  readonly encode: (event: Event, origin: EventOrigin) => string
  /** A checkpoint of the log, so that whoever reads events can tell it from one. */
  readonly encodeCheckpoint: (checkpoint: SignedCheckpointView, workspaceId: string) => string
}
