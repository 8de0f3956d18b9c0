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
  const [first, ...others] = yield* actionsOf(sql, workspace, prefix)
  if (first === undefined) return undefined
  return others.length < MAX_ACTIONS
    ? newestOf(sql, workspace, [first, ...others], range, limit)
    : filteredEvents(sql, workspace, filter, range, null)
})

/** When the newest of some events were recorded. */
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
 * How many of the newest are read: so many, and of them up to the one with which there are so many
 * characters, or bytes, of contents.
 */
export interface NewestLimits {
  readonly limit: number
  readonly enough: number
}

/**
 * Reads rows of `EntryRow`, the newest of some events: each database has its own way to leave the others'
 * contents where they are.
 */
export type ReadNewest = (
  events: FilteredEvents,
  limits: NewestLimits
) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/**
 * The newest entries of a filter within a range of sequences. Costs what it answers, if one condition selects
 * them.
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
