/**
 * The table `log_loss`: what processes have seen of logs that this database lacks, and which losses the
 * operator has accepted.
 */
import type { AcceptedLosses, Loss } from "@cairn/core/log"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Places } from "./Places.ts"
import { numbers, texts } from "./PostgresTypes.ts"

/** Where a log ended when it was seen. */
export interface Seen {
  readonly workspaceId: string
  /** The database's timeline at that time; null if it is not known. */
  readonly timeline: number | null
  readonly sequence: number
  readonly eventHash: string | null
}

/**
 * A loss, and the largest size of its log that may have been signed; null for a loss that concerns no log.
 */
export interface NotedLoss extends Loss {
  readonly furthest: number | null
}

/** What recorded losses mean for writers: how many are open, and the last acceptance. */
export const STANDING = `(SELECT count(*) FROM log_loss WHERE accepted_at IS NULL) AS open,
  (SELECT acceptance FROM log_loss WHERE accepted_at IS NOT NULL ORDER BY number DESC LIMIT 1) AS acceptance`

/** As {@link STANDING} reads it. */
export interface Standing {
  readonly open: number
  readonly acceptance: string | null
}

interface LossRow {
  readonly workspace_id: string | null
  readonly seen_timeline: number | null
  readonly seen_sequence: number | null
  readonly seen_event_hash: string | null
  readonly found_timeline: number | null
  readonly found_sequence: number | null
  readonly found_event_hash: string | null
}

const COLUMNS =
  "workspace_id, seen_timeline, seen_sequence, seen_event_hash, found_timeline, found_sequence, found_event_hash"

const toLoss = (row: LossRow): Loss => ({
  workspace_id: row.workspace_id,
  seen: { timeline: row.seen_timeline, sequence: row.seen_sequence, event_hash: row.seen_event_hash },
  found: { timeline: row.found_timeline, sequence: row.found_sequence, event_hash: row.found_event_hash }
})

const toLosses = Effect.map((rows: ReadonlyArray<LossRow>) => rows.map(toLoss))

/** Those that are not accepted, as they were recorded. */
export const openLosses = (sql: PgClient.PgClient) =>
  toLosses(sql.unsafe<LossRow>(`SELECT ${COLUMNS} FROM log_loss WHERE accepted_at IS NULL ORDER BY number`))

/** Losses, as rows, that no open loss covers yet. */
const NEWS = `FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[])
    AS n (${COLUMNS}, furthest)
  WHERE NOT EXISTS (
    SELECT FROM log_loss l WHERE l.accepted_at IS NULL AND l.workspace_id IS NOT DISTINCT FROM n.workspace_id
      AND coalesce(l.seen_sequence, 0) >= coalesce(n.seen_sequence, 0) AND coalesce(l.furthest, 0) >= coalesce(n.furthest, 0)
      AND coalesce(l.seen_timeline, 0) >= coalesce(n.seen_timeline, 0))`

const lossParameters = (losses: ReadonlyArray<NotedLoss>) => [
  texts(losses.map(({ workspace_id }) => workspace_id)),
  numbers(losses.map(({ seen }) => seen.timeline)),
  numbers(losses.map(({ seen }) => seen.sequence)),
  texts(losses.map(({ seen }) => seen.event_hash)),
  numbers(losses.map(({ found }) => found.timeline)),
  numbers(losses.map(({ found }) => found.sequence)),
  texts(losses.map(({ found }) => found.event_hash)),
  numbers(losses.map(({ furthest }) => furthest))
]

/** Whether open losses cover all of these. */
export const areNoted = (sql: PgClient.PgClient, losses: ReadonlyArray<NotedLoss>) =>
  Effect.map(
    sql.unsafe<{ readonly news: number }>(`SELECT count(*) AS news ${NEWS}`, lossParameters(losses)),
    ([row]) => row?.news === 0
  )

/** Prevents others from recording or accepting a loss until the transaction ends. */
export const lockLosses = (sql: PgClient.PgClient) => sql`LOCK TABLE log_loss IN SHARE ROW EXCLUSIVE MODE`

/** Records those of the losses that no open loss covers yet. */
export const noteLosses = (sql: PgClient.PgClient, losses: ReadonlyArray<NotedLoss>) =>
  sql.unsafe(
    `INSERT INTO log_loss (${COLUMNS}, furthest, noticed_at)
     SELECT n.*, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint ${NEWS}`,
    lossParameters(losses)
  )

/** Accepts the open losses as `acceptance` and returns them. */
export const acceptLosses = (sql: PgClient.PgClient, acceptance: string, at: number) =>
  toLosses(
    sql.unsafe<LossRow>(
      `UPDATE log_loss SET accepted_at = $1::bigint, acceptance = $2::text WHERE accepted_at IS NULL RETURNING ${COLUMNS}`,
      [at, acceptance]
    )
  )

/** The acceptances whose event is not written yet, the oldest first. */
export const unrecordedLosses = (sql: PgClient.PgClient) =>
  Effect.map(
    sql.unsafe<LossRow & { readonly acceptance: string }>(
      `SELECT acceptance, ${COLUMNS} FROM log_loss WHERE accepted_at IS NOT NULL AND recorded_at IS NULL ORDER BY number`
    ),
    (rows) => {
      const found = new Map<string, Array<Loss>>()
      for (const row of rows) {
        const losses = found.get(row.acceptance) ?? []
        losses.push(toLoss(row))
        found.set(row.acceptance, losses)
      }
      return Array.from(found, ([acceptance, losses]): AcceptedLosses => ({ acceptance, losses }))
    }
  )

/** Records that the event of an acceptance is written. */
export const lossesRecorded = (sql: PgClient.PgClient, acceptance: string, at: number) =>
  sql`UPDATE log_loss SET recorded_at = ${at} WHERE acceptance = ${acceptance} AND recorded_at IS NULL`

/** An accepted loss. */
export interface AcceptedLoss {
  readonly workspace_id: string | null
  readonly seen_timeline: number | null
  readonly seen_sequence: number | null
  readonly furthest: number | null
  readonly acceptance: string
}

/** The losses of other acceptances than these. */
export const acceptedLosses = (sql: PgClient.PgClient, known: Iterable<string>) =>
  sql.unsafe<AcceptedLoss>(
    `SELECT workspace_id, seen_timeline, seen_sequence, furthest, acceptance FROM log_loss
     WHERE accepted_at IS NOT NULL AND acceptance <> ALL ($1::text[]) ORDER BY number`,
    [texts(Array.from(known))]
  )

/** The largest size of a log that an accepted loss names; 0 if there is none. */
export const lostUpTo = (sql: PgClient.PgClient, workspaceId: string) =>
  Effect.map(
    sql<{ readonly furthest: number | null }>`
      SELECT max(furthest) AS furthest FROM log_loss WHERE workspace_id = ${workspaceId} AND accepted_at IS NOT NULL`,
    ([row]) => row?.furthest ?? 0
  )

/** What a log has in place of what was seen of it; nulls if it is not there at all. */
interface Found {
  readonly sequence: number | null
  readonly event_hash: string | null
}

const NOWHERE: Found = { sequence: null, event_hash: null }

/** The numbers of these workspaces, and up to where each log is lost, in their order. */
const numbersOf = (sql: PgClient.PgClient, workspaceIds: ReadonlyArray<string>) =>
  sql.unsafe<{ readonly number: number | null; readonly covered: number }>(
    `SELECT w.number, coalesce(
       (SELECT max(l.furthest) FROM log_loss l WHERE l.workspace_id = s.id AND l.accepted_at IS NOT NULL), 0) AS covered
     FROM unnest($1::text[]) WITH ORDINALITY AS s (id, place) LEFT JOIN workspace w ON w.id = s.id ORDER BY s.place`,
    [texts(workspaceIds)]
  )

/**
 * Of these logs, those for which the accepted losses do not cover this size, with what is there. Those on a
 * machine that is away are left out.
 */
export const notReached = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  places: Places["Service"],
  floors: ReadonlyMap<string, number>
) {
  const rows = yield* numbersOf(sql, Array.from(floors.keys()))
  const beyond = Array.from(floors, ([workspace_id, floor], at) => ({
    workspace_id,
    floor,
    ...rows[at]
  })).filter(({ floor, covered = 0 }) => floor > covered)
  const there = beyond.flatMap(({ number }) => number ?? [])
  const heads =
    there.length === 0
      ? []
      : yield* sql<Found & { readonly workspace: number }>`
          SELECT h.workspace, h.sequence, h.event_hash FROM head h
          WHERE h.workspace = ANY (${numbers(there)}) AND ${places.within("h.workspace")}`
  const found = new Map(
    heads.map(({ workspace, sequence, event_hash }) => [workspace, { sequence, event_hash }])
  )
  return beyond.flatMap(({ workspace_id, floor, number }) => {
    const head = number === null || number === undefined ? NOWHERE : found.get(number)
    return head === undefined ? [] : [{ workspace_id, floor, ...head }]
  })
})

/**
 * Of the logs that ended like this, those that lack their last event, with what is there. Those on a machine
 * that is away are left out.
 */
export const lacking = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  places: Places["Service"],
  seen: ReadonlyArray<Seen>
) {
  const rows = yield* numbersOf(
    sql,
    seen.map(({ workspaceId }) => workspaceId)
  )
  const all = seen.map((one, place) => ({ one, place, number: rows[place]?.number ?? null }))
  const gone = all.flatMap(({ place, number }) => (number === null ? [{ place, ...NOWHERE }] : []))
  const there = all.flatMap(({ one, place, number }) => (number === null ? [] : [{ one, place, number }]))
  if (there.length === 0) return gone
  const cut = yield* sql<Found & { readonly place: number }>`
    SELECT s.place, h.sequence, h.event_hash
    FROM head h
    JOIN unnest(${numbers(there.map(({ number }) => number))},
      ${numbers(there.map(({ one }) => one.sequence))}, ${texts(there.map(({ one }) => one.eventHash))},
      ${numbers(there.map(({ place }) => place))}) AS s (workspace, sequence, event_hash, place)
      ON s.workspace = h.workspace
    LEFT JOIN event e ON e.workspace = h.workspace AND e.sequence = s.sequence
    WHERE h.workspace = ANY (${numbers(there.map(({ number }) => number))}) AND ${places.within("h.workspace")}
      AND e.event_hash IS DISTINCT FROM s.event_hash`
  return [...gone, ...cut]
})
