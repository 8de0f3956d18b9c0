/**
 * Accepting on SQLite: the requests of one commit, in one transaction of the inbox's file.
 *
 * This runs for every event: what it needs is made once for a connection, and a transaction writes its counts
 * once.
 */

import { BEFORE_FIRST_EVENT } from "@cairn/core/consumer"
import { type CalendarMonth, monthOf } from "@cairn/core/encoding"
import {
  type AcceptRequest,
  type CountedOutcome,
  InboxFull,
  LogClosed,
  type PendingEvent,
  QuotaReached
} from "@cairn/core/log"
import { encodeEvents } from "@cairn/storage-sql"
import { Exit } from "effect"
import { FilesChanged } from "./Append.ts"
import { beginSoon, type Outcome } from "./GroupCommit.ts"
import { type IdempotencyKeys, idempotencyKeys } from "./IdempotencyKeys.ts"
import type { Preparing, SqliteDatabase } from "./SqliteClient.ts"
import type { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** The outcome for one job. */
export type Accepted = Outcome<ReadonlyArray<CountedOutcome>, InboxFull | LogClosed>

/** A request, or a probe, which writes though nothing is new. */
export type Job = AcceptRequest | "probe"

/** How many new events of each workspace and month a transaction has; all are written once, at its end. */
class CountedEvents {
  readonly #counts = new Map<number, Map<CalendarMonth, number>>()

  of(workspace: number, month: CalendarMonth): number {
    return this.#counts.get(workspace)?.get(month) ?? 0
  }

  add(workspace: number, month: CalendarMonth, events: number): void {
    const counts = this.#counts.get(workspace) ?? new Map<CalendarMonth, number>()
    counts.set(month, (counts.get(month) ?? 0) + events)
    this.#counts.set(workspace, counts)
  }

  /** Gives each count, and begins again at 0. */
  take(each: (workspace: number, month: CalendarMonth, events: number) => void): void {
    for (const [workspace, counts] of this.#counts)
      for (const [month, events] of counts) each(workspace, month, events)
    this.clear()
  }

  clear(): void {
    this.#counts.clear()
  }
}

const READ_STATE = "SELECT waiting, EXISTS (SELECT 1 FROM repair) AS repair FROM state"

/** Events waiting, over all workspaces. */
export const countWaiting = ({ prepare }: Preparing): number =>
  Number(prepare(READ_STATE).get()?.waiting ?? 0)

const prepareStatements = ({ prepare }: Preparing) => ({
  insertRow: prepare("INSERT INTO inbox (workspace, accepted_at, event_count, events) VALUES (?, ?, ?, ?)"),
  readUsage: prepare("SELECT events FROM event_usage WHERE workspace = ? AND month = ?"),
  addUsage: prepare(`
    INSERT INTO event_usage (workspace, month, events) VALUES (?, ?, ?)
    ON CONFLICT (workspace, month) DO UPDATE SET events = events + excluded.events`),
  addWaiting: prepare("UPDATE state SET waiting = waiting + ?"),
  readState: prepare(READ_STATE),
  knowLog: prepare(
    "INSERT INTO log_seen (workspace, workspace_id, sequence, event_hash) VALUES (?, ?, ?, NULL) ON CONFLICT DO NOTHING"
  )
})

const prepareClosed = ({ prepare }: Preparing) => ({
  some: prepare("SELECT 1 FROM workspace WHERE closed_at IS NOT NULL LIMIT 1"),
  since: prepare("SELECT closed_at FROM workspace WHERE id = ?")
})

/** Where requests are accepted to. */
export interface AcceptPlace {
  readonly inbox: SqliteDatabase
  /** The log's file, where it is written which logs were closed. */
  readonly log: SqliteDatabase
  readonly numbers: WorkspaceNumbers["Service"]
  /** Most events that may wait. */
  readonly capacity: number
}

/** What accepting needs of one connection, and what it remembers. */
interface Accepting extends AcceptPlace {
  readonly keys: IdempotencyKeys
  readonly statements: ReturnType<typeof prepareStatements>
  readonly closed: ReturnType<typeof prepareClosed>
  /** The new events of the open transaction. */
  readonly counted: CountedEvents
  /** Logs that the inbox certainly has records of. */
  readonly known: Set<number>
}

/**
 * The depth, in a transaction that accepts. Keys are not used until they were compared with the log.
 */
const depthToAccept = ({ statements }: Accepting): number => {
  const state = statements.readState.get()
  if (Number(state?.repair) !== 0) throw new FilesChanged()
  return Number(state?.waiting ?? 0)
}

/** The number may belong to another workspace in an older log: the inbox stores whose it was. */
const know = ({ known, statements }: Accepting, workspace: number, workspaceId: string): void => {
  if (known.has(workspace)) return
  statements.knowLog.run(workspace, workspaceId, BEFORE_FIRST_EVENT)
  known.add(workspace)
}

/** Claims the event's key; returns the id of the event that already has it, if there is one. */
const claimKey = (
  { keys }: Accepting,
  workspace: number,
  { acceptedAt, keysExpireBefore }: AcceptRequest,
  { id, idempotencyKey: key }: PendingEvent
): string | undefined =>
  key === null ? undefined : keys.claim(workspace, key, { id, acceptedAt }, keysExpireBefore)

/** The event that already has this one's key; looked up before a claim if a claim may not be made. */
const keyHolder = (
  { keys }: Accepting,
  workspace: number | null,
  { keysExpireBefore }: AcceptRequest,
  { idempotencyKey: key }: PendingEvent
): string | undefined => (key === null ? undefined : keys.holder(workspace, key, keysExpireBefore))

/**
 * How many of a request's events would be new. Only computed if the room is short, because it costs a look-up
 * for each key.
 */
const countFresh = (accepting: Accepting, request: AcceptRequest): number => {
  const workspace = accepting.numbers.number(request.workspaceId) ?? null
  return request.events.filter((event) => keyHolder(accepting, workspace, request, event) === undefined)
    .length
}

/** How many more events of a month the quota allows, after those of the open transaction. */
const quotaRoom = (
  { statements, counted }: Accepting,
  workspace: number,
  month: CalendarMonth,
  quota: number
): number =>
  quota - Number(statements.readUsage.get(workspace, month)?.events ?? 0) - counted.of(workspace, month)

/** Writes one request within the open transaction. */
const write = (accepting: Accepting, request: AcceptRequest): ReadonlyArray<CountedOutcome> => {
  const { numbers, statements, counted } = accepting
  const workspace = numbers.number(request.workspaceId)
  if (workspace === undefined) throw new Error(`there is no workspace ${request.workspaceId}`)
  const { acceptedAt, isCounted = true } = request
  const quota = isCounted ? (request.quota ?? null) : null
  const month = monthOf(acceptedAt)
  const room = quota === null ? Number.POSITIVE_INFINITY : quotaRoom(accepting, workspace, month, quota)
  const fresh: Array<PendingEvent> = []
  const outcomes = request.events.map((event): CountedOutcome => {
    const full = quota !== null && fresh.length >= room
    const holder = full
      ? keyHolder(accepting, workspace, request, event)
      : claimKey(accepting, workspace, request, event)
    if (holder !== undefined) return { id: holder, duplicate: true }
    if (full) return new QuotaReached({ quota, month })
    fresh.push(event)
    return { id: event.id, duplicate: false }
  })
  if (fresh.length > 0) {
    know(accepting, workspace, request.workspaceId)
    statements.insertRow.run(workspace, acceptedAt, fresh.length, encodeEvents(fresh))
    if (isCounted) counted.add(workspace, month, fresh.length)
  }
  return outcomes
}

/**
 * What tells which of the requests are for logs that were closed. Closing one holds the inbox's lock until
 * that is written in the log's file: what is found with the lock holds until the commit.
 */
const closedLogs = ({ closed: { some, since } }: Accepting) => {
  if (some.get() === undefined) return () => undefined
  return ({ workspaceId, intoClosed = false }: AcceptRequest): LogClosed | undefined => {
    const closedAt = since.get(workspaceId)?.closed_at ?? null
    return closedAt === null || intoClosed ? undefined : new LogClosed({ closedAt: Number(closedAt) })
  }
}

/** One commit; either all of it happened or none. */
const commit = (accepting: Accepting, jobs: ReadonlyArray<Job>): ReadonlyArray<Accepted> => {
  const { inbox, capacity, keys, statements, counted, known } = accepting
  beginSoon(inbox)
  try {
    const before = depthToAccept(accepting)
    const closedOf = closedLogs(accepting)
    keys.begin()
    let added = 0
    const exits = jobs.map((job): Accepted => {
      if (job === "probe") return Exit.succeed([])
      const closed = closedOf(job)
      if (closed !== undefined) return Exit.fail(closed)
      const room = capacity - before - added
      if (job.events.length > room && countFresh(accepting, job) > room) {
        return Exit.fail(new InboxFull({ depth: before + added, capacity }))
      }
      const outcomes = write(accepting, job)
      for (const outcome of outcomes) if ("duplicate" in outcome && !outcome.duplicate) added++
      return Exit.succeed(outcomes)
    })
    counted.take((workspace, month, events) => statements.addUsage.run(workspace, month, events))
    if (added > 0 || jobs.includes("probe")) statements.addWaiting.run(added)
    inbox.db.exec("COMMIT")
    return exits
  } catch (error) {
    known.clear()
    counted.clear()
    if (inbox.db.isTransaction) inbox.db.exec("ROLLBACK")
    throw error
  }
}

/** Makes what writes jobs to an inbox: each call is one commit. */
export const makeCommit = (place: AcceptPlace): ((jobs: ReadonlyArray<Job>) => ReadonlyArray<Accepted>) => {
  const accepting: Accepting = {
    ...place,
    keys: idempotencyKeys(place.inbox),
    statements: prepareStatements(place.inbox),
    closed: prepareClosed(place.log),
    counted: new CountedEvents(),
    known: new Set()
  }
  return (jobs) => commit(accepting, jobs)
}
