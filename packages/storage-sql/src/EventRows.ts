/** Entries of the log as rows. */
import type { LogEntry } from "@cairn/core/log"
import { Schema } from "effect"

/** The part of a row of `event` that a list needs. */
export const EntryRow = Schema.Struct({
  sequence: Schema.Number,
  id: Schema.String,
  created_at: Schema.Number,
  content: Schema.NullOr(Schema.String),
  previous_event_hash: Schema.NullOr(Schema.String),
  event_hash: Schema.NullOr(Schema.String),
  salt: Schema.NullOr(Schema.String),
  content_hash: Schema.NullOr(Schema.String)
})

/** The columns of {@link EntryRow}, of the table `e`. */
export const ENTRY_COLUMNS =
  "e.sequence, e.id, e.created_at, e.content, e.previous_event_hash, e.event_hash, e.salt, e.content_hash"

/** The index of the content among the values of {@link ENTRY_COLUMNS}. */
export const CONTENT_AT = 3

/** The entry of a row. */
export const toEntry = (row: typeof EntryRow.Type): LogEntry => ({
  sequence: row.sequence,
  id: row.id,
  createdAt: row.created_at,
  content: row.content,
  previousEventHash: row.previous_event_hash,
  eventHash: row.event_hash,
  salt: row.salt,
  contentHash: row.content_hash
})
