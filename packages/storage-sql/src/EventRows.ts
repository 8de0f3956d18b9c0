/** Entries of the log as rows. */
import type { LogEntry } from "@cairn/core/log"
import { Schema } from "effect"

/** A row of `event`, as far as a list needs it. */
export const EntryRow = Schema.Struct({
  sequence: Schema.Number,
  id: Schema.String,
  created_at: Schema.Number,
  content: Schema.NullOr(Schema.String),
  previous_event_hash: Schema.NullOr(Schema.String),
  event_hash: Schema.NullOr(Schema.String)
})

/** The columns of {@link EntryRow}, of the table that is named `e`. */
export const ENTRY_COLUMNS = "e.sequence, e.id, e.created_at, e.content, e.previous_event_hash, e.event_hash"

/** Where the content is among the values of {@link ENTRY_COLUMNS}. */
export const CONTENT_AT = 3

/** The entry of a row. */
export const toEntry = (row: typeof EntryRow.Type): LogEntry => ({
  sequence: row.sequence,
  id: row.id,
  createdAt: row.created_at,
  content: row.content,
  previousEventHash: row.previous_event_hash,
  eventHash: row.event_hash
})
