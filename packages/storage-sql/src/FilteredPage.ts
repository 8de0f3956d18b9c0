/** A page of the newest events of a filter. */
import { type EventFilter, prefixEnd, type SequenceRange } from "@cairn/core"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { ENTRY_COLUMNS, EntryRow, toEntry } from "./EventRows.ts"
import {
  type FilteredEvents,
  filteredEvents,
  indexedBy,
  type Leader,
  loneActionPrefix,
  PRIMARY_KEY
} from "./FilteredEvents.ts"

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(EntryRow))

/** Different actions of a prefix, each of which is read in its own order; of a prefix with more, every event is looked at. */
const MAX_ACTIONS = 100

/** The different actions that begin with a prefix, by one step through the index each: `DISTINCT` would walk over every event. */
const actionsOf = (sql: SqlClient.SqlClient, workspace: number, prefix: string) => {
  const least = (bound: Statement.Fragment) =>
    sql`SELECT min(action) FROM event WHERE workspace = ${workspace} AND action ${bound} AND action < ${prefixEnd(prefix)}`
  return sql<{ readonly action: string }>`
    WITH RECURSIVE found (action) AS (
      ${least(sql`>= ${prefix}`)}
      UNION ALL
      SELECT (${least(sql`> found.action`)}) FROM found WHERE found.action IS NOT NULL
    )
    SELECT action FROM found WHERE action IS NOT NULL LIMIT ${MAX_ACTIONS + 1}`
}

/** The newest events of some actions: of each the newest, and the newest of those. */
const newestOf = (
  sql: SqlClient.SqlClient,
  workspace: number,
  [first, ...others]: readonly [string, ...ReadonlyArray<string>],
  range: SequenceRange,
  limit: number
): FilteredEvents => {
  const newest = (action: string) => sql`
    SELECT sequence FROM (
      SELECT sequence FROM event
      WHERE workspace = ${workspace} AND action = ${action} AND sequence BETWEEN ${range.from} AND ${range.to}
      ORDER BY sequence DESC LIMIT ${limit}
    ) n`
  const all = others.reduce((together, one) => sql`${together} UNION ALL ${newest(one)}`, newest(first))
  return {
    from: sql`
      FROM event e${indexedBy(sql, PRIMARY_KEY)}
      WHERE e.workspace = ${workspace} AND e.sequence IN (${all} ORDER BY sequence DESC LIMIT ${limit})`,
    sequence: sql`e.sequence`
  }
}

/** Where a page is read from; undefined when nothing can be in it. */
const source = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange,
  limit: number,
  leader: Leader | null | undefined
) {
  const prefix = loneActionPrefix(filter)
  if (prefix === undefined) return filteredEvents(sql, workspace, filter, range, leader)
  const [first, ...others] = (yield* actionsOf(sql, workspace, prefix)).map(({ action }) => action)
  if (first === undefined) return undefined
  return others.length < MAX_ACTIONS
    ? newestOf(sql, workspace, [first, ...others], range, limit)
    : filteredEvents(sql, workspace, filter, range, null)
})

/** The newest entries of a filter within a range of sequences. Costs what it answers, if one condition selects them. */
export const filteredPage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange,
  limit: number,
  leader?: Leader | null
) {
  const events = yield* source(sql, workspace, filter, range, limit, leader)
  if (events === undefined) return []
  const rows = yield* sql`
    SELECT ${sql.literal(ENTRY_COLUMNS)} ${events.from} ORDER BY ${events.sequence} DESC LIMIT ${limit}`
  return (yield* decodeEntries(rows)).map(toEntry)
})
