/** The rows of the inbox, as an append reads, removes and parks them. */
import type { Head, InboxRow } from "@cairn/core/log"
import { decodeWhole } from "@cairn/storage-sql"
import { inboxState } from "./SeenFiles.ts"
import type { SqliteDatabase } from "./SqliteClient.ts"

/** Runs `body` over one state of a file, which others may be writing to. */
export const reading = <A>({ db }: Pick<SqliteDatabase, "db">, body: () => A): A => {
  db.exec("BEGIN")
  try {
    return body()
  } finally {
    if (db.isTransaction) db.exec("END")
  }
}

/** A row of the inbox; the text is read once it is certain that it is appended. */
export interface WaitingRow {
  readonly inboxId: number
  readonly acceptedAt: number
  readonly eventCount: number
  readonly text: string
}

/** The row as the port has it; throws if its text is not a row's. */
export const toInboxRow = ({ inboxId, acceptedAt, eventCount, text }: WaitingRow): InboxRow => ({
  inboxId,
  acceptedAt,
  events: decodeWhole(text, eventCount)
})

/** How much an append may still take. */
export interface Room {
  readonly events: number
  /** Characters. */
  readonly size: number
}

/** What waits for one workspace. */
interface Waiting {
  /** The oldest ones: as many as there is room for, and not much more. */
  readonly rows: ReadonlyArray<WaitingRow>
  /** Whether there are more. */
  readonly more: boolean
  /** Whether there are rows that are in the log already. */
  readonly stale: boolean
  /** The room that is left without these rows. */
  readonly left: Room
}

/** Reads the rows after a position, and one more to find whether there are more. */
export const readRows = (inbox: SqliteDatabase, workspace: number, passed: number, room: Room): Waiting => {
  const rows: Array<WaitingRow> = []
  let { events, size } = room
  let stale = false
  const statement = inbox.prepare(
    "SELECT id, accepted_at, event_count, events FROM inbox WHERE workspace = ? ORDER BY id"
  )
  for (const row of statement.iterate(workspace)) {
    const inboxId = Number(row.id)
    if (inboxId <= passed) {
      stale = true
      continue
    }
    if (events <= 0 || size <= 0) return { rows, more: true, stale, left: { events, size } }
    const text = String(row.events)
    const eventCount = Number(row.event_count)
    size -= text.length
    events -= eventCount
    rows.push({ inboxId, acceptedAt: Number(row.accepted_at), eventCount, text })
  }
  return { rows, more: false, stale, left: { events, size } }
}

/** Rows to remove: those of a workspace up to one, which are in the log. */
export interface Removal {
  readonly workspace: number
  readonly upTo: number
  /** Where the log ends. */
  readonly head: Head
}

/** Removes rows, and records the last event of each log, in an open transaction of the inbox. */
export const removeRows = (inbox: SqliteDatabase, epoch: string, removals: ReadonlyArray<Removal>): void => {
  if (inboxState(inbox).identity !== epoch) return
  const see = inbox.prepare("UPDATE log_seen SET sequence = ?, event_hash = ? WHERE workspace = ?")
  // Another process may have removed some of them, so only those that were still there are counted.
  const remove = inbox.prepare("DELETE FROM inbox WHERE workspace = ? AND id <= ? RETURNING event_count")
  let removed = 0
  for (const { workspace, upTo, head } of removals) {
    see.run(head.sequence, head.eventHash, workspace)
    for (const { event_count } of remove.all(workspace, upTo)) removed += Number(event_count)
  }
  inbox.prepare("UPDATE state SET waiting = waiting - ?").run(removed)
}

/** Parks one row, for the operator to examine, in an open transaction of the inbox. */
export const parkRow = (inbox: SqliteDatabase, workspace: number, row: WaitingRow, reason: string): void => {
  inbox
    .prepare(
      "INSERT OR IGNORE INTO parked SELECT id, workspace, accepted_at, event_count, events, ? FROM inbox WHERE workspace = ? AND id = ?"
    )
    .run(reason, workspace, row.inboxId)
  const { changes } = inbox
    .prepare("DELETE FROM inbox WHERE workspace = ? AND id = ?")
    .run(workspace, row.inboxId)
  if (changes > 0) inbox.prepare("UPDATE state SET waiting = waiting - ?").run(row.eventCount)
}
