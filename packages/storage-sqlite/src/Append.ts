/**
 * Appending on SQLite: from the inbox's file to the log's, in two transactions that a crash may separate, of
 * many workspaces together.
 *
 * 1. In the log: for each workspace, insert the events and move the head, which also stores the inbox
 *    position that it has reached.
 * 2. In the inbox: remove the rows of each up to that position.
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
  type LogEntry,
  MOST_WORKSPACES
} from "@cairn/core/log"
import { HeadRow, headValues, toHead } from "@cairn/storage-sql"
import { Schema } from "effect"
import { beginSoon } from "./GroupCommit.ts"
import { consumersState, type InboxState, inboxState, noteFile, seenFile } from "./SeenFiles.ts"
import type { SqliteDatabase } from "./SqliteClient.ts"
import {
  parkRow,
  type Removal,
  type Room,
  reading,
  readRows,
  removeRows,
  toInboxRow,
  type WaitingRow
} from "./WaitingRows.ts"

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

/** Inserts events. */
export const insertEvents = (
  { prepare }: SqliteDatabase,
  workspace: number,
  events: ReadonlyArray<LogEntry>
): void => {
  const insert = prepare(`
    INSERT INTO event (workspace, sequence, id, created_at, content, salt, content_hash, previous_event_hash, event_hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  for (const event of events) {
    insert.run(
      workspace,
      event.sequence,
      event.id,
      event.createdAt,
      event.content,
      event.salt,
      event.contentHash,
      event.previousEventHash,
      event.eventHash
    )
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
 * How long removing rows waits for the lock of the inbox: accepting has it for milliseconds. Meanwhile this
 * thread does nothing else; where somebody keeps the lock for longer, the next attempt waits again.
 */
const REMOVAL_WAIT_MILLIS = 200

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

/** What was done for one workspace. */
interface Outcome extends Appended {
  readonly parked: ReadonlyArray<Parked>
}

/** One workspace's part of an append. */
export interface AppendTurn {
  readonly workspace: number
  readonly chain: (head: Head, rows: ReadonlyArray<InboxRow>) => Append
}

/** What was appended for one workspace, and the rows that this makes superfluous. */
interface Step {
  readonly appended: Appended
  readonly removal: Removal | undefined
  readonly left: Room
}

/** Where an append is, in case it fails. */
interface Progress {
  /** The index of the workspace; undefined before the first and after the last. */
  at: number | undefined
  /** The rows that were read last. */
  rows: ReadonlyArray<WaitingRow>
}

/** An append in the log's open transaction. */
interface Appending extends Files {
  readonly epoch: string
  readonly progress: Progress
}

/** Appends the rows of one workspace; undefined if it has more than there is room for beside others. */
const appendOwn = (
  { log, inbox, epoch, progress }: Appending,
  { workspace, chain }: AppendTurn,
  room: Room,
  isShared: boolean
): Step | undefined => {
  progress.rows = []
  const row = readHead(log, workspace)
  const passed = row.inbox_epoch === epoch ? row.inbox_id : 0
  const { rows, more, stale, left } = readRows(inbox, workspace, passed, room)
  if (more && isShared) return undefined
  progress.rows = rows
  const before = toHead(row)
  const old = stale ? { workspace, upTo: passed, head: before } : undefined
  const last = rows.at(-1)
  if (last === undefined) return { appended: { count: 0, more: false }, removal: old, left }
  const { events, head } = chain(before, rows.map(toInboxRow))
  insertEvents(log, workspace, events)
  writeHead(log, workspace, head, { epoch, inboxId: last.inboxId })
  return {
    appended: { count: events.length, more },
    removal: { workspace, upTo: last.inboxId, head },
    left
  }
}

/** Appends the rows of the first of these workspaces. */
const appendTogether = (
  appending: Appending,
  turns: ReadonlyArray<AppendTurn>,
  maxEvents: number
): ReadonlyArray<Step> => {
  const { progress } = appending
  const steps: Array<Step> = []
  let room: Room = { events: maxEvents, size: ENOUGH_TO_APPEND }
  for (const [index, turn] of turns.slice(0, MOST_WORKSPACES).entries()) {
    if (room.events <= 0 || room.size <= 0) break
    progress.at = index
    const step = appendOwn(appending, turn, room, room.events < maxEvents)
    if (step === undefined) break
    steps.push(step)
    room = step.left
  }
  progress.at = undefined
  return steps
}

/** The first of the two transactions. */
const appendToLog = (
  files: Files,
  turns: ReadonlyArray<AppendTurn>,
  maxEvents: number,
  progress: Progress
): { readonly epoch: string; readonly steps: ReadonlyArray<Step> } =>
  transaction(files.log, () =>
    reading(files.inbox, () => {
      const state = ownInbox(files)
      const epoch = state.identity
      const steps = appendTogether({ ...files, epoch, progress }, turns, maxEvents)
      if (steps.some(({ appended }) => appended.count > 0)) {
        noteFile(files.log, "inbox", state)
        noteFile(files.log, "consumers", consumersState(files.consumers))
      }
      return { epoch, steps }
    })
  )

/**
 * Appends the oldest rows of the first of these workspaces, and returns what was done for each of those.
 *
 * An error that is not the store's is caused by a row. The workspaces before that row's are then appended
 * without it, so that it comes first the next time; there it is found by bisection and parked. So a row costs
 * one more transaction than it would if its workspace were alone, and holds up no other.
 */
export const appendRows = (
  files: Files,
  turns: ReadonlyArray<AppendTurn>,
  maxEvents: number
): ReadonlyArray<Outcome> => {
  const { inbox } = files
  const [first] = turns
  if (first === undefined) return []
  const progress: Progress = { at: undefined, rows: [] }
  try {
    const { epoch, steps } = appendToLog(files, turns, maxEvents, progress)
    const removals = steps.flatMap(({ removal }) => removal ?? [])
    if (removals.length > 0) transaction(inbox, () => removeRows(inbox, epoch, removals), REMOVAL_WAIT_MILLIS)
    return steps.map(({ appended }) => ({ ...appended, parked: [] }))
  } catch (error) {
    const { at, rows } = progress
    if (error instanceof FilesChanged || isTransient(error)) throw error
    if (at !== undefined && at > 0) return appendRows(files, turns.slice(0, at), maxEvents)
    const [culprit, ...others] = rows
    if (culprit === undefined) throw error
    if (at === undefined && turns.length > 1)
      return appendRows(files, turns.slice(0, Math.floor(turns.length / 2)), maxEvents)
    if (others.length > 0) {
      const events = rows.reduce((sum, { eventCount }) => sum + eventCount, 0)
      return appendRows(files, [first], Math.max(1, Math.floor(Math.min(maxEvents, events) / 2)))
    }
    const reason = error instanceof Error ? error.message : String(error)
    transaction(inbox, () => parkRow(inbox, first.workspace, culprit, reason))
    return [{ count: 0, more: true, parked: [{ inboxId: culprit.inboxId, reason }] }]
  }
}
