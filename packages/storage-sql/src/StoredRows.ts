/**
 * Whole rows of the log, for a verification, decoded by hand from plain lists of values. It reads every row,
 * and decoding with a schema, or even an object for each row, takes longer than reading.
 */
import type { FilterColumns } from "@cairn/core/event"
import type { LogEntry, StoredEvent } from "@cairn/core/log"
import { CONTENT_AT, ENTRY_COLUMNS } from "./EventRows.ts"

/**
 * The columns of `event e`, in the order that {@link readStoredEvents} expects. The first are those of an
 * entry.
 */
export const STORED_COLUMNS = `${ENTRY_COLUMNS}, e.action, e.actor_id, e.resource_type, e.resource_id, e.tenant_id, e.session_id`

/** The columns of `event_target`, in the order that {@link readStoredEvents} expects. */
export const STORED_TARGET_COLUMNS = "sequence, type, id"

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

const readStoredEvent = (row: RowValues, targets: FilterColumns["targets"]): StoredEvent => ({
  ...readEntry(row),
  columns: {
    action: text(row[8]),
    actorId: text(row[9]),
    resourceType: textOrNull(row[10]),
    resourceId: textOrNull(row[11]),
    tenantId: textOrNull(row[12]),
    sessionId: textOrNull(row[13]),
    targets
  }
})

/** The events of rows in ascending sequence, with their targets in ascending sequence and order. */
export const readStoredEvents = (
  rows: ReadonlyArray<RowValues>,
  targets: ReadonlyArray<RowValues>
): ReadonlyArray<StoredEvent> => {
  let at = 0
  const sequenceAt = (index: number): number => {
    const target = targets[index]
    return target === undefined ? Number.POSITIVE_INFINITY : Number(target[0])
  }
  return rows.map((row) => {
    const sequence = Number(row[0])
    const own: Array<{ readonly type: string; readonly id: string | null }> = []
    while (sequenceAt(at) < sequence) at++
    for (; sequenceAt(at) === sequence; at++) {
      own.push({ type: text(targets[at]?.[1]), id: textOrNull(targets[at]?.[2]) })
    }
    return readStoredEvent(row, own)
  })
}
