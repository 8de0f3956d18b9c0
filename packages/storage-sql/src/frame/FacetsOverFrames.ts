/**
 * Counts the values of a field among the newest events that a filter selects, by when they were recorded. See
 * `FacetCounting`.
 */
import { type EventFilter, searchesOf } from "@cairn/core/event"
import { columnFilter, type FacetQuery, type SequenceRange } from "@cairn/core/log"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { FacetCache } from "./FacetCache.ts"
import {
  addEntries,
  addFound,
  addGroup,
  type Counting,
  type CountingSources,
  finish,
  flush,
  goesOn,
  makeCounting,
  roomFor
} from "./FacetCounting.ts"
import { countGroups, type GroupSources } from "./FacetsOfGroups.ts"
import type { Found } from "./FrameSearch.ts"
import type { FacetConditions } from "./GroupFacets.ts"
import type { MatchConsumer } from "./OccurrenceSelect.ts"

/** What events are found with. */
interface FacetSources extends CountingSources {
  readonly cache: FacetCache
  readonly scan: GroupSources["scan"]
  /** Whether a filter has no condition on contents. */
  readonly selectsAll: (filter: EventFilter) => boolean
  /** Gives the events that a filter selects, newest first, as long as more are wanted. */
  readonly eachMatch: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    consumer: MatchConsumer
  ) => Effect.Effect<void, SqlError.SqlError | Schema.SchemaError>
}

/** Counts what it is given. */
const consumerOf = (counting: Counting): MatchConsumer => ({
  entries: Effect.fnUntraced(function* (entries) {
    if (!(yield* goesOn(counting))) return false
    const taken = entries.slice(0, roomFor(counting, entries.length))
    if (taken.length > 0) addEntries(counting, taken)
    return !counting.isCut
  }),
  found: Effect.fnUntraced(function* ({ count, sequences, inGroup }: Found) {
    if (!(yield* goesOn(counting))) return false
    const room = roomFor(counting, count)
    const newest = Effect.map(sequences, (all) => all.slice(0, room))
    if (inGroup !== undefined && room > 0) {
      yield* flush(counting)
      yield* addGroup(counting, inGroup.group, inGroup.places.subarray(count - room), newest)
    } else if (room > 0) yield* addFound(counting, yield* newest)
    return !counting.isCut
  }),
  goesOn: goesOn(counting)
})

/** The conditions of a filter that has no others than those on values, each of which an event may have. */
const conditionsOf = (all: EventFilter): FacetConditions | undefined => {
  const { from: _from, to: _to, ...others } = all
  const filter = columnFilter(others)
  const isPossible = filter.values.every((anyOf) => anyOf.length > 0)
  return isPossible && searchesOf(others).length === 0 ? { filter, name: JSON.stringify(others) } : undefined
}

/** Makes what counts the values of a field among the newest events of a filter. */
export const facetsOverFrames = (sources: FacetSources) =>
  Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    query: FacetQuery
  ) {
    const counting = yield* makeCounting(sources, workspace, query)
    const { entries } = consumerOf(counting)
    const countSome: GroupSources["countSome"] = (part) =>
      sources.eachMatch(workspace, filter, part, consumerOf(counting))
    const conditions = conditionsOf(filter)
    const byGroup = { ...sources, entries, countSome }
    if (sources.selectsAll(filter)) yield* countGroups(byGroup, counting, range, undefined)
    else if (conditions === undefined) yield* countSome(range)
    else yield* countGroups(byGroup, counting, range, conditions)
    return yield* finish(counting)
  })
