/**
 * Appending on PostgreSQL: one transaction that locks the workspace's head, reads the oldest waiting rows,
 * writes the events that the chain makes of them, and removes the rows. A crash at any time leaves all of it
 * or nothing. No transaction has two workspaces, so that each may lie on a machine of its own.
 *
 * The rows are read by a separate statement after the lock, so that they include everything that was
 * committed before. A process that does not get the lock at once finds nothing to do: another one is
 * appending.
 */

import type { Micros } from "@cairn/core/encoding"
import {
  type Append,
  type Appended,
  ENOUGH_TO_APPEND,
  type Head,
  type InboxRow,
  type LogEntry,
  type StoreBehind
} from "@cairn/core/log"
import { decodeWhole, HEAD_COLUMNS, HeadRow, headValues, toHead } from "@cairn/storage-sql"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Standing } from "./LossRows.ts"
import { numbers, texts } from "./PostgresTypes.ts"
import type { LockedRow, ReadRow, SeenHeads } from "./SeenHeads.ts"
import { sqlState } from "./SqlState.ts"

const decodeHead = Schema.decodeUnknownSync(HeadRow)

/** The database server's clock. */
export const STORE_NOW = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

/** What appending to a workspace's log needs. */
export interface AppendPlace {
  readonly sql: PgClient.PgClient
  readonly seen: SeenHeads["Service"]
  readonly workspaceId: string
  readonly workspace: number
}

/** Reads a head without locking it, and records it as seen. */
export const readHead = Effect.fnUntraced(function* ({ sql, seen, workspaceId, workspace }: AppendPlace) {
  const { columns, seen: before } = seen.reading(workspaceId, workspace)
  const [row] = yield* sql.unsafe<ReadRow>(
    `SELECT ${HEAD_COLUMNS}, ${columns} FROM head WHERE workspace = $1::bigint`,
    [workspace]
  )
  const head = toHead(decodeHead(row))
  if (row !== undefined) seen.seeRead(workspaceId, before, head, row)
  return head
})

/** A head that this transaction has locked. */
export interface LockedHead {
  readonly head: Head
  /** The database server's clock. */
  readonly now: Micros.Micros
  /** The database's timeline; null if it is not known. */
  readonly timeline: number | null
}

/**
 * Reads a head and blocks every other append until the transaction ends; none if it is locked already and
 * `wait` is false. Fails if the database lacks what this process has seen in it.
 */
const lockHead = Effect.fnUntraced(function* (
  { sql, seen, workspaceId, workspace }: AppendPlace,
  wait: boolean
): Effect.fn.Return<LockedHead | undefined, SqlError | StoreBehind> {
  const { columns, seen: last, before } = yield* seen.locking(workspaceId, workspace)
  const [row] = yield* sql.unsafe<LockedRow & Standing & { readonly now: number }>(
    `SELECT ${HEAD_COLUMNS}, ${STORE_NOW} AS now, ${columns}
     FROM head WHERE workspace = $1::bigint FOR UPDATE ${wait ? "" : "SKIP LOCKED"}`,
    [workspace]
  )
  if (row === undefined) return undefined
  const head = toHead(decodeHead(row))
  yield* seen.admit(workspaceId, last, head, { ...row, ...before })
  return { head, now: row.now, timeline: row.timeline }
})

/** The same, waiting: every workspace has a head. */
export const holdHead = (place: AppendPlace) =>
  Effect.flatMap(lockHead(place, true), (locked) =>
    locked === undefined ? Effect.die(new Error(`${place.workspaceId} has no head`)) : Effect.succeed(locked)
  )

/** What the writing statements need of events, as arrays: one parameter a column. */
const EVENT_COLUMNS = `sequence, created_at, id, content, salt, content_hash, previous_event_hash, event_hash`

const eventParameters = (events: ReadonlyArray<LogEntry>) => [
  numbers(events.map(({ sequence }) => sequence)),
  numbers(events.map(({ createdAt }) => createdAt)),
  texts(events.map(({ id }) => id)),
  texts(events.map(({ content }) => content)),
  texts(events.map(({ salt }) => salt)),
  texts(events.map(({ contentHash }) => contentHash)),
  texts(events.map(({ previousEventHash }) => previousEventHash)),
  texts(events.map(({ eventHash }) => eventHash))
]

/**
 * Inserts the appended events, moves the head and removes the rows, all in one statement, which is one round
 * trip. Rows are inserted beside one of the same workspace, here the head: where the log is spread, each part
 * then runs on the workspace's machine, by itself and without another protocol to commit.
 */
const WRITE = `
  WITH appended AS (
    INSERT INTO event (workspace, ${EVENT_COLUMNS})
    SELECT h.workspace, e.* FROM head h, unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
      $7::text[], $8::text[], $9::text[]) e
    WHERE h.workspace = $1::bigint
  ), removed AS (
    DELETE FROM inbox WHERE workspace = $1::bigint AND id = ANY ($10::bigint[])
  )
  UPDATE head SET (${HEAD_COLUMNS}, timeline) =
    ROW($11::bigint, $12::text, $13::text, $14::bigint, $15::bigint, $16::text, $17::bigint)
  WHERE workspace = $1::bigint`

/** Writes an append, and removes inbox rows, within the open transaction. */
export const writeAppend = (
  { sql, workspace }: Pick<AppendPlace, "sql" | "workspace">,
  { timeline }: Pick<LockedHead, "timeline">,
  { events, head }: Append,
  rows: ReadonlyArray<InboxRow>
) =>
  sql.unsafe(WRITE, [
    workspace,
    ...eventParameters(events),
    numbers(rows.map(({ inboxId }) => inboxId)),
    ...headValues(head),
    timeline
  ])

/**
 * The oldest rows: about `maxEvents` events, and not much more than the size limit, and whether there are
 * more.
 */
const readRows = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: number, maxEvents: number) {
  const found = yield* sql<{
    readonly id: number
    readonly accepted_at: number
    readonly event_count: number
    readonly events: string
    readonly total: number
  }>`
    SELECT id, accepted_at, event_count, events, total
    FROM (
      SELECT id, accepted_at, event_count, events,
        sum(event_count) OVER (ORDER BY id) - event_count AS earlier, sum(event_count) OVER () AS total,
        sum(octet_length(events)) OVER (ORDER BY id) - octet_length(events) AS earlier_bytes
      FROM (SELECT * FROM inbox WHERE workspace = ${workspace} ORDER BY id LIMIT ${maxEvents + 1}) oldest
    ) counted
    WHERE earlier < ${maxEvents} AND earlier_bytes < ${ENOUGH_TO_APPEND}
    ORDER BY id`
  const taken = found.reduce((sum, { event_count }) => sum + event_count, 0)
  return { found, more: (found[0]?.total ?? 0) > taken }
})

/** The rows could not be appended although the store works: one of them causes the error. */
interface Refused {
  readonly _tag: "Refused"
  readonly inboxIds: ReadonlyArray<number>
  readonly reason: string
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** SQLSTATE classes for errors in the data: 22, data exception, and 23, integrity constraint violation. */
const isOfData = (error: SqlError): boolean => /^2[23]/.test(sqlState(error))

/** The result of {@link appendOnce}, with the new head if it changed. */
interface AppendedOnce extends Appended {
  readonly left: (Pick<LockedHead, "timeline"> & { readonly head: Head }) | null
}

/** One append, all of it or nothing. */
const appendOnce = Effect.fnUntraced(function* (
  place: AppendPlace,
  maxEvents: number,
  chain: (head: Head, rows: ReadonlyArray<InboxRow>, now: Micros.Micros) => Append
): Effect.fn.Return<AppendedOnce, SqlError | Refused | StoreBehind> {
  const { sql, workspace } = place
  const locked = yield* lockHead(place, false)
  if (locked === undefined) return { count: 0, more: false, left: null }
  const { found, more } = yield* readRows(sql, workspace, maxEvents)
  if (found.length === 0) return { count: 0, more: false, left: null }
  const refused = (cause: unknown): Refused => ({
    _tag: "Refused",
    inboxIds: found.map(({ id }) => id),
    reason: messageOf(cause)
  })
  const { rows, append } = yield* Effect.try({
    try: () => {
      const rows = found.map(
        ({ id, accepted_at, event_count, events }): InboxRow => ({
          inboxId: id,
          acceptedAt: accepted_at,
          events: decodeWhole(events, event_count)
        })
      )
      return { rows, append: chain(locked.head, rows, locked.now) }
    },
    catch: refused
  })
  yield* writeAppend(place, locked, append, rows).pipe(
    Effect.mapError((error) => (isOfData(error) ? refused(error.reason.cause) : error))
  )
  return { count: append.events.length, more, left: { head: append.head, timeline: locked.timeline } }
})

/** A row that cannot be appended at all. */
export interface Parked {
  readonly inboxId: number
  readonly reason: string
}

/** The result of {@link appendRows}. */
interface Outcome extends Appended {
  readonly parked: ReadonlyArray<Parked>
}

/** Parks one row, for the operator to examine. */
const park = (sql: PgClient.PgClient, workspace: number, { inboxId, reason }: Parked) =>
  sql`
    WITH removed AS (DELETE FROM inbox WHERE workspace = ${workspace} AND id = ${inboxId} RETURNING *)
    INSERT INTO parked (workspace, id, accepted_at, event_count, events, reason)
    SELECT workspace, id, accepted_at, event_count, events, ${reason} FROM removed
    ON CONFLICT DO NOTHING`

/**
 * Appends the oldest rows. An error that is not the store's is caused by a row: that row is found by
 * bisection and parked, so that it does not hold up the others.
 */
export const appendRows = (
  place: AppendPlace,
  maxEvents: number,
  chain: (head: Head, rows: ReadonlyArray<InboxRow>, now: Micros.Micros) => Append
): Effect.Effect<Outcome, SqlError | StoreBehind> =>
  place.sql.withTransaction(appendOnce(place, maxEvents, chain)).pipe(
    Effect.map(({ count, more, left }): Outcome => {
      // Only what was committed counts as seen.
      if (left !== null) place.seen.see(place.workspaceId, left.head, left.timeline)
      return { count, more, parked: [] }
    }),
    Effect.catchTag("Refused", ({ inboxIds, reason }) => {
      const [inboxId, ...others] = inboxIds
      if (inboxId === undefined || others.length > 0) {
        return appendRows(place, Math.max(1, Math.floor(maxEvents / 2)), chain)
      }
      const parked = { inboxId, reason }
      return Effect.as(park(place.sql, place.workspace, parked), { count: 0, more: true, parked: [parked] })
    })
  )
