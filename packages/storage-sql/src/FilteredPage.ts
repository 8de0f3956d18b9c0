/** A page of the newest events of a filter. */
import type { EventFilter } from "@cairn/core/event"
import type { SequenceRange } from "@cairn/core/log"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { actionsOf, MAX_ACTIONS } from "./ActionsOfPrefix.ts"
import { EntryRow, toEntry } from "./EventRows.ts"
import {
  type FilteredEvents,
  filteredEvents,
  indexedBy,
  type Leader,
  loneActionPrefix,
  PRIMARY_KEY
} from "./FilteredEvents.ts"

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(EntryRow))

/** The newest events of some actions: the newest of each, and of these the newest. */
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

/** What a page is read from; undefined if nothing can match. */
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
  const [first, ...others] = yield* actionsOf(sql, workspace, prefix)
  if (first === undefined) return undefined
  return others.length < MAX_ACTIONS
    ? newestOf(sql, workspace, [first, ...others], range, limit)
    : filteredEvents(sql, workspace, filter, range, null)
})

/** The times of the newest events. */
export const filteredMoments = (
  sql: SqlClient.SqlClient,
  { from, sequence }: FilteredEvents,
  limit: number
) =>
  Effect.map(
    sql<{
      readonly created_at: number
    }>`SELECT e.created_at ${from} ORDER BY ${sequence} DESC LIMIT ${limit}`,
    (rows) => rows.map(({ created_at }) => created_at)
  )

/**
 * How many of the newest events are read: a number, and fewer if their contents reach a number of characters
 * (or bytes).
 */
export interface NewestLimits {
  readonly limit: number
  readonly enough: number
}

/**
 * Reads rows of `EntryRow`, the newest events: each database has its own way to avoid reading the contents of
 * others.
 */
export type ReadNewest = (
  events: FilteredEvents,
  limits: NewestLimits
) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/**
 * The newest entries of a filter within a range of sequences. Costs what it returns, if a single condition
 * selects that.
 */
export const filteredPage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  readNewest: ReadNewest,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange,
  limits: NewestLimits,
  leader?: Leader | null
) {
  const events = yield* source(sql, workspace, filter, range, limits.limit, leader)
  if (events === undefined) return []
  return (yield* decodeEntries(yield* readNewest(events, limits))).map(toEntry)
})
