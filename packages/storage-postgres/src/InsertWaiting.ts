/**
 * Putting accepted requests into the inbox, and counting their events, unless the database is behind or the
 * log of one of them was closed.
 */
import { encodeEvents } from "@cairn/storage-sql"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { NumberedRequest } from "./NumberedRequest.ts"
import { numbers, texts } from "./PostgresTypes.ts"
import { addUsage, usageOf, usageParameters } from "./Quota.ts"

/** What an insert needs of rows, as arrays. */
const rowParameters = (rows: ReadonlyArray<NumberedRequest>) => [
  numbers(rows.map(({ workspace }) => workspace)),
  numbers(rows.map(({ request }) => request.acceptedAt)),
  numbers(rows.map(({ request }) => request.events.length)),
  texts(rows.map(({ request }) => encodeEvents(request.events)))
]

/** The workspaces whose log must be open. */
const openWorkspaces = (rows: ReadonlyArray<NumberedRequest>) =>
  numbers(rows.filter(({ request }) => request.intoClosed !== true).map(({ workspace }) => workspace))

/** All in one statement, which is one round trip. */
const insertHere = (sql: PgClient.PgClient, rows: ReadonlyArray<NumberedRequest>, timeline: number) =>
  sql.unsafe(
    `WITH inserted AS (
       INSERT INTO inbox (workspace, accepted_at, event_count, events)
       SELECT workspace, accepted_at, event_count, events
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) WITH ORDINALITY
         AS r (workspace, accepted_at, event_count, events, place),
         (SELECT cairn_not_behind(${timeline}) AND cairn_not_closed($5::bigint[]) AS holds) AS database
       WHERE holds
       ORDER BY place
     )
     ${addUsage(6)}`,
    [...rowParameters(rows), openWorkspaces(rows), ...usageParameters(usageOf(rows))]
  )

/**
 * The same where the log is spread: losses, closings and numbers are on the coordinator, and each insert goes
 * to the workspace's machine as it is, without a copy between them that would have to be committed in two
 * phases.
 */
const insertThere = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  rows: ReadonlyArray<NumberedRequest>,
  timeline: number
) {
  const [row] = yield* sql.unsafe<{ readonly ids: ReadonlyArray<number> }>(
    `SELECT ARRAY(SELECT nextval('inbox_id_seq') FROM generate_series(1, $1::bigint)) AS ids
     WHERE cairn_not_behind($2::bigint) AND cairn_not_closed($3::bigint[])`,
    [rows.length, timeline, openWorkspaces(rows)]
  )
  yield* sql.unsafe(
    `INSERT INTO inbox (workspace, id, accepted_at, event_count, events) OVERRIDING SYSTEM VALUE
     SELECT h.workspace, r.id, r.accepted_at, r.event_count, r.events
     FROM head h JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[])
       AS r (workspace, accepted_at, event_count, events, id) ON r.workspace = h.workspace
     WHERE h.workspace = ANY ($1::bigint[])`,
    [...rowParameters(rows), numbers(row?.ids ?? [])]
  )
  const counts = usageOf(rows)
  if (counts.length > 0) yield* sql.unsafe(addUsage(1), usageParameters(counts))
})

/** Inserts the rows, within the open transaction where the log is spread. */
export const insertWaiting = (
  sql: PgClient.PgClient,
  isSpread: boolean,
  rows: ReadonlyArray<NumberedRequest>,
  timeline: number
) => (isSpread ? insertThere(sql, rows, timeline) : insertHere(sql, rows, timeline))
