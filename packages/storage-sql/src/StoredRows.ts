/**
 * Rows of the log, decoded by hand from plain lists of values. A verification reads every row, and decoding
 * with a schema, or even an object for each row, takes longer than reading.
 */
import type { LogEntry } from "@cairn/core/log"
import { CONTENT_AT, ENTRY_COLUMNS } from "./EventRows.ts"

/** The values of a row, in the order of its columns. */
export type RowValues = ReadonlyArray<unknown>

/** A column that must be text. Any other value was put there by somebody else, and matches no hash. */
const text = (value: unknown): string => (typeof value === "string" ? value : String(value))
const textOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : text(value)

/** The entry from a row of {@link ENTRY_COLUMNS}, or from a row that begins with them. */
export const readEntry = (row: RowValues): LogEntry => ({
  sequence: Number(row[0]),
  id: text(row[1]),
  createdAt: Number(row[2]),
  content: textOrNull(row[CONTENT_AT]),
  previousEventHash: textOrNull(row[4]),
  eventHash: textOrNull(row[5]),
  salt: textOrNull(row[6]),
  contentHash: textOrNull(row[7])
})
