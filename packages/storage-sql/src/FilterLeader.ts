/**
 * Which condition of a filter selects the fewest events.
 *
 * SQLite keeps no statistics of values, and would walk over a million events of a tenant to find three of an
 * actor. So a few entries of each condition's index are counted first. On PostgreSQL a search does this, to
 * know whether to read the events of a filter or its own index.
 */
import type { EventFilter } from "@cairn/core/event"
import type { SequenceRange } from "@cairn/core/log"
import { Clock, Effect, Struct } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { filteredEvents, type Leader, leadersOf } from "./FilteredEvents.ts"

/**
 * Entries counted in each index, and once more if all have this many: less than a millisecond, then a few.
 * Conditions that select more are treated as equal.
 */
const [FEW, SAMPLE] = [2_000, 5_000]

const MEMBERS: Readonly<Record<Leader, ReadonlyArray<keyof EventFilter>>> = {
  action: ["action"],
  actorId: ["actorId"],
  resource: ["resource"],
  resourceId: ["resourceId"],
  tenantId: ["tenantId"],
  sessionId: ["sessionId"],
  target: ["targetType", "targetId"]
}

/** A filter with only this condition. */
const only = (filter: EventFilter, leader: Leader): EventFilter => Struct.pick(filter, MEMBERS[leader])

/** The best way to follow a filter. */
export interface FilterLeader {
  /** The condition whose index is walked; null if none has one. */
  readonly leader: Leader | null
  /** Whether it selects so few events that each of them may be read. */
  readonly few: boolean
}

/** Finds the best way. */
export const leaderOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange
): Effect.fn.Return<FilterLeader, SqlError.SqlError> {
  const candidates = leadersOf(filter)
  const [first = null] = candidates
  // There is nothing to choose, unless a search needs to know how many events it would read.
  if (candidates.length < 2 && filter.search === undefined) return { leader: first, few: false }
  for (const sample of candidates.length < 2 ? [FEW] : [FEW, SAMPLE]) {
    let [leader, fewest] = [first, sample]
    for (const candidate of candidates) {
      const { from, sequence } = filteredEvents(sql, workspace, only(filter, candidate), range, candidate)
      // In the order of the index, so that no plan walks over the table.
      const [row] = yield* sql<{ readonly count: number }>`
        SELECT count(*) AS count FROM (SELECT 1 ${from} ORDER BY ${sequence} DESC LIMIT ${fewest}) s`
      const count = row?.count ?? 0
      if (count < fewest) [fewest, leader] = [count, candidate]
    }
    if (fewest < sample) return { leader, few: sample === FEW }
  }
  return { leader: first, few: false }
})

/** Milliseconds for which a choice is valid: what is common and what is rare changes slowly. */
const REMEMBERED_FOR = 60_000
/** Most cached choices; beyond it the cache is emptied. */
const MAX_REMEMBERED = 1_000

/**
 * The cache key of a choice: the conditions, without times, which change with every request, and the length
 * of the part of the log.
 */
const keyOf = (workspace: number, filter: EventFilter, { from, to }: SequenceRange): string =>
  JSON.stringify([
    workspace,
    { ...filter, from: undefined, to: undefined },
    Math.round(Math.log2(to - from + 1))
  ])

/**
 * Finds the leading condition of a filter once for similar pages, because the choice costs more than a page.
 * A choice that is no longer the best, or for another part of the log, costs time but does not change the
 * results.
 */
export const rememberingLeaders = (sql: SqlClient.SqlClient) => {
  const remembered = new Map<string, { readonly leader: Leader | null; readonly until: number }>()
  return Effect.fnUntraced(function* (workspace: number, filter: EventFilter, range: SequenceRange) {
    const candidates = leadersOf(filter)
    if (candidates.length < 2) return candidates[0] ?? null
    const now = yield* Clock.currentTimeMillis
    const key = keyOf(workspace, filter, range)
    const known = remembered.get(key)
    if (known !== undefined && now < known.until) return known.leader
    const { leader } = yield* leaderOf(sql, workspace, filter, range)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(key, { leader, until: now + REMEMBERED_FOR })
    return leader
  })
}
