/**
 * Which condition of a filter selects the fewest events.
 *
 * SQLite keeps no statistics of values, and would walk over a million events of a tenant to find three of an
 * actor. So a few entries of each condition's index are counted first.
 */
import type { EventFilter } from "@cairn/core/event"
import type { SequenceRange } from "@cairn/core/log"
import { filteredEvents, type Leader, leadersOf } from "@cairn/storage-sql"
import { Clock, Effect, Struct } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * Entries counted of each index, and again if each has as many: less than a millisecond, then some.
 * Conditions that select more are as good as each other.
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

/** A filter of nothing else. */
const only = (filter: EventFilter, leader: Leader): EventFilter => Struct.pick(filter, MEMBERS[leader])

/** How a filter is best followed. */
export interface FilterLeader {
  /** The condition whose index is to be walked; null when none has one. */
  readonly leader: Leader | null
  /** Whether it selects so few events that each of them may be looked at. */
  readonly few: boolean
}

/** Finds it out. */
export const leaderOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspace: number,
  filter: EventFilter,
  range: SequenceRange
): Effect.fn.Return<FilterLeader, SqlError.SqlError> {
  const candidates = leadersOf(filter)
  const [first = null] = candidates
  // There is nothing to choose, unless a search asks how many it would have to look at.
  if (candidates.length < 2 && filter.search === undefined) return { leader: first, few: false }
  for (const sample of candidates.length < 2 ? [FEW] : [FEW, SAMPLE]) {
    let [leader, fewest] = [first, sample]
    for (const candidate of candidates) {
      const { from } = filteredEvents(sql, workspace, only(filter, candidate), range, candidate)
      const [row] = yield* sql<{ readonly count: number }>`
        SELECT count(*) AS count FROM (SELECT 1 ${from} LIMIT ${fewest})`
      const count = row?.count ?? 0
      if (count < fewest) [fewest, leader] = [count, candidate]
    }
    if (fewest < sample) return { leader, few: sample === FEW }
  }
  return { leader: first, few: false }
})

/** Milliseconds for which a choice is good: what is common and what is rare changes slowly. */
const REMEMBERED_FOR = 60_000
/** Choices that are remembered; beyond it all are forgotten. */
const MAX_REMEMBERED = 1_000

/**
 * What a choice is remembered by: what is asked for, not the moments, which move with every request, and how
 * long the part of the log is.
 */
const keyOf = (workspace: number, filter: EventFilter, { from, to }: SequenceRange): string =>
  JSON.stringify([
    workspace,
    { ...filter, from: undefined, to: undefined },
    Math.round(Math.log2(to - from + 1))
  ])

/**
 * Finds out the leading condition of a filter once for pages like this: the choice costs more than a page. A
 * choice that is not the best any more, or for another part of the log, costs time and changes nothing of
 * what is found.
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
