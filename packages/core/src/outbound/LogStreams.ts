/**
 * Port: the log streams of each workspace. `Consumers` stores the position of each, under {@link
 * streamConsumer}.
 */
import { Context, Schema } from "effect"
import type { WorkspaceCollection } from "../workspace/WorkspaceCollection.ts"
import { LogStreamSettings } from "./LogStreamSettings.ts"

/** Most log streams of a workspace, enabled or not: each reads the whole log. */
export const MAX_LOG_STREAMS = 20

/** A log stream as stored. */
export const StoredLogStream = Schema.Struct({
  /** `str_` and a UUID. */
  id: Schema.String,
  workspace_id: Schema.String,
  settings: LogStreamSettings,
  /** The destination's configuration, with its secrets as `***`. */
  destination: Schema.Record(Schema.String, Schema.Unknown),
  /** JSON of the configuration's secret members, sealed by the `SecretBox`; null if there are none. */
  sealed: Schema.NullOr(Schema.String),
  /** It begins with the event after this sequence. */
  after: Schema.Number,
  /** Microseconds since the epoch, like the next. */
  created_at: Schema.Number,
  updated_at: Schema.Number
})
export type StoredLogStream = typeof StoredLogStream.Type

/** The name of a stream's consumer. */
export const streamConsumer = (streamId: string): string => `stream:${streamId}`

/** The streams. */
export class LogStreams extends Context.Service<LogStreams, WorkspaceCollection<StoredLogStream>>()(
  "@cairn/core/LogStreams"
) {}
