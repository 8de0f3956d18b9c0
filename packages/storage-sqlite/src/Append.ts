/**
 * Appending on SQLite: from the inbox's file to the log's, in two transactions that a crash may separate.
 *
 * 1. In the log: insert the events and move the head, which also stores the inbox position that it has
 *    reached.
 * 2. In the inbox: remove the rows up to that position.
 *
 * A crash before 1 leaves the rows waiting. A crash between 1 and 2 leaves rows whose position the head has
 * passed: the next run ignores and removes them. The position belongs to the inbox that the epoch names, and
 * to no other. Whether the files are from the same time is checked when they are opened (`FileRecovery`), and
 * an append fails for files that are not. Only one process is inside 1 for any workspace (`BEGIN IMMEDIATE`),
 * so the chain never forks.
 */
import {
  type Append,
  type Appended,
  ENOUGH_TO_APPEND,
  type Head,
  type InboxRow,
  type StoredEvent
} from "@cairn/core/log"
import { decodeEvents, HeadRow, headValues, toHead } from "@cairn/storage-sql"
import { Schema } from "effect"
import { beginSoon } from "./GroupCommit.ts"
import { consumersState, type InboxState, inboxState, noteFile, seenFile } from "./SeenFiles.ts"
import type { SqliteDatabase } from "./SqliteClient.ts"

/** The head's row; the position is in the inbox that the epoch names. */
const PositionedHeadRow = Schema.Struct({
  ...HeadRow.fields,
  inbox_epoch: Schema.NullOr(Schema.String),
  inbox_id: Schema.Number
})
const decodeHead = Schema.decodeUnknownSync(PositionedHeadRow)

/** Reads a head's row. */
export const readHead = ({ prepare }: SqliteDatabase, workspace: number): typeof PositionedHeadRow.Type =>
  decodeHead(prepare("SELECT * FROM head WHERE workspace = ?").get(workspace))

/** Moves the head; without a position, the position is not changed. */
export const writeHead = (
  { prepare }: SqliteDatabase,
  workspace: number,
  head: Head,
  position?: { readonly epoch: string; readonly inboxId: number }
): void => {
  prepare(`
    UPDATE head SET sequence = ?, event_hash = ?, event_id = ?, created_at = ?, legacy_count = ?, legacy_frontier = ?,
      inbox_epoch = coalesce(?, inbox_epoch), inbox_id = coalesce(?, inbox_id)
    WHERE workspace = ?`).run(
    ...headValues(head),
    position?.epoch ?? null,
    position?.inboxId ?? null,
    workspace
  )
}

/** Inserts events and their targets. */
export const insertEvents = (
  { prepare }: SqliteDatabase,
  workspace: number,
  events: ReadonlyArray<StoredEvent>
): void => {
  const insertEvent = prepare(`
    INSERT INTO event (workspace, sequence, id, created_at, content, salt, content_hash, previous_event_hash, event_hash,
      action, actor_id, resource_type, resource_id, tenant_id, session_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const insertTarget = prepare(
    "INSERT INTO event_target (workspace, sequence, ordinal, type, id) VALUES (?, ?, ?, ?, ?)"
  )
  for (const event of events) {
    const { columns } = event
    insertEvent.run(
      workspace,
      event.sequence,
      event.id,
      event.createdAt,
      event.content,
      event.salt,
      event.contentHash,
      event.previousEventHash,
      event.eventHash,
      columns.action,
      columns.actorId,
      columns.resourceType,
      columns.resourceId,
      columns.tenantId,
      columns.sessionId
    )
    for (let ordinal = 0; ordinal < columns.targets.length; ordinal++) {
      const target = columns.targets[ordinal]
      if (target !== undefined) insertTarget.run(workspace, event.sequence, ordinal, target.type, target.id)
    }
  }
}

/**
 * Runs `body` in a transaction that takes the write lock at its beginning, for which it waits as long as the
 * connection does, or for so many milliseconds.
 */
export const transaction = <A>({ db }: Pick<SqliteDatabase, "db">, body: () => A, waitMillis?: number): A => {
  if (waitMillis === undefined) db.exec("BEGIN IMMEDIATE")
  else beginSoon({ db }, waitMillis)
  try {
    const result = body()
    db.exec("COMMIT")
    return result
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw error
  }
}

/**
 * The oldest rows after a position: about `maxEvents` events, and not much more than the size limit. One more
 * is read to find whether there are more.
 */
const readRows = (inbox: SqliteDatabase, workspace: number, after: number, maxEvents: number) => {
  const rows: Array<InboxRow> = []
  let events = 0
  let size = 0
  const statement = inbox.prepare(
    "SELECT id, accepted_at, event_count, events FROM inbox WHERE workspace = ? AND id > ? ORDER BY id LIMIT ?"
  )
  for (const row of statement.iterate(workspace, after, maxEvents + 1)) {
    if (events >= maxEvents || size >= ENOUGH_TO_APPEND) return { rows, more: true }
    const text = String(row.events)
    size += text.length
    events += Number(row.event_count)
    rows.push({
      inboxId: Number(row.id),
      acceptedAt: Number(row.accepted_at),
      events: decodeEvents(text)
    })
  }
  return { rows, more: false }
}

/** The progress of an append. */
interface Position {
  readonly epoch: string
  readonly inboxId: number
  readonly head: Head
}

/**
 * How long removing rows waits for the lock of the inbox: accepting has it for milliseconds. Meanwhile this
 * thread does nothing else; where somebody keeps the lock for longer, the next attempt waits again.
 */
const REMOVAL_WAIT_MILLIS = 200

/** Removes the rows up to a position, which are in the log, and records the last event of the log. */
const removeRows = (
  inbox: SqliteDatabase,
  workspace: number,
  { epoch, inboxId: upTo, head }: Position
): void => {
  transaction(
    inbox,
    () => {
      if (inboxState(inbox).identity !== epoch) return
      inbox
        .prepare("UPDATE log_seen SET sequence = ?, event_hash = ? WHERE workspace = ?")
        .run(head.sequence, head.eventHash, workspace)
      inbox
        .prepare(
          "UPDATE state SET waiting = waiting - (SELECT coalesce(sum(event_count), 0) FROM inbox WHERE workspace = ? AND id <= ?)"
        )
        .run(workspace, upTo)
      inbox.prepare("DELETE FROM inbox WHERE workspace = ? AND id <= ?").run(workspace, upTo)
    },
    REMOVAL_WAIT_MILLIS
  )
}

/** Parks one row, for the operator to examine. */
const parkRow = (inbox: SqliteDatabase, workspace: number, row: InboxRow, reason: string): void => {
  transaction(inbox, () => {
    inbox
      .prepare(
        "INSERT OR IGNORE INTO parked SELECT id, workspace, accepted_at, event_count, events, ? FROM inbox WHERE workspace = ? AND id = ?"
      )
      .run(reason, workspace, row.inboxId)
    inbox.prepare("UPDATE state SET waiting = waiting - ?").run(row.events.length)
    inbox.prepare("DELETE FROM inbox WHERE workspace = ? AND id = ?").run(workspace, row.inboxId)
  })
}

/**
 * Errors that mean "not now": SQLITE_BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL,
 * CANTOPEN, PROTOCOL.
 */
const TRANSIENT = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15])

const isTransient = (error: unknown): boolean =>
  error instanceof Error &&
  "errcode" in error &&
  typeof error.errcode === "number" &&
  TRANSIENT.has(error.errcode & 0xff)

/** A row that cannot be appended at all. */
export interface Parked {
  readonly inboxId: number
  readonly reason: string
}

interface Files {
  readonly log: SqliteDatabase
  readonly inbox: SqliteDatabase
  readonly consumers: SqliteDatabase
}

/** A file was exchanged or restored while it was in use. */
export class FilesChanged extends Error {
  override get message(): string {
    return "the inbox and the log are not of one time any more: stop every process that uses them, and start again"
  }
}

/** The state of the inbox, if it is the one that this log is used with. */
const ownInbox = ({ log, inbox }: Files): InboxState => {
  const known = seenFile(log, "inbox")
  const state = inboxState(inbox)
  const isOwn = known?.identity === state.identity && known.progress <= state.progress
  if (!isOwn || state.isInRepair) throw new FilesChanged()
  return state
}

/** The result of {@link appendRows}. */
interface Outcome extends Appended {
  readonly parked: ReadonlyArray<Parked>
}

/**
 * Appends the oldest rows. An error that is not the store's is caused by a row: that row is found by
 * bisection and parked, so that it does not hold up the others.
 */
export const appendRows = (
  files: Files,
  workspace: number,
  maxEvents: number,
  chain: (head: Head, rows: ReadonlyArray<InboxRow>) => Append | undefined
): Outcome => {
  const { log, inbox, consumers } = files
  let position: Position | undefined
  let culprit: InboxRow | undefined
  let tried = 0
  try {
    const result = transaction(log, () => {
      const row = readHead(log, workspace)
      const state = ownInbox(files)
      const { identity: epoch } = state
      const passed = row.inbox_epoch === epoch ? row.inbox_id : 0
      if (passed > 0) position = { epoch, inboxId: passed, head: toHead(row) }
      const { rows, more } = readRows(inbox, workspace, passed, maxEvents)
      tried = rows.length
      const [only] = rows
      culprit = rows.length === 1 ? only : undefined
      const last = rows.at(-1)
      if (last === undefined) return { count: 0, more: false }
      const chained = chain(toHead(row), rows)
      if (chained === undefined) return { count: 0, more: true }
      const { events, head } = chained
      insertEvents(log, workspace, events)
      writeHead(log, workspace, head, { epoch, inboxId: last.inboxId })
      noteFile(log, "inbox", state)
      noteFile(log, "consumers", consumersState(consumers))
      position = { epoch, inboxId: last.inboxId, head }
      return { count: events.length, more }
    })
    if (position !== undefined) removeRows(inbox, workspace, position)
    return { ...result, parked: [] }
  } catch (error) {
    if (error instanceof FilesChanged || isTransient(error) || tried === 0) throw error
    if (culprit === undefined)
      return appendRows(files, workspace, Math.max(1, Math.floor(maxEvents / 2)), chain)
    const reason = error instanceof Error ? error.message : String(error)
    parkRow(inbox, workspace, culprit, reason)
    return { count: 0, more: true, parked: [{ inboxId: culprit.inboxId, reason }] }
  }
}
