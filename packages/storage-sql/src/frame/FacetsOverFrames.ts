/**
 * Counts the values of a field among the newest events that a filter selects, by when they were recorded. See
 * `FacetCounting`.
 */
import type { EventFilter } from "@cairn/core/event"
import type { FacetQuery, SequenceRange } from "@cairn/core/log"
import { Effect } from "effect"
import type { FacetCache } from "./FacetCache.ts"
import {
  addEntries,
  addFound,
  addGroup,
  type Counting,
  finish,
  flush,
  goesOn,
  makeCounting,
  roomFor
} from "./FacetCounting.ts"
import { countGroups, type GroupSources } from "./FacetsOfGroups.ts"
import { countTail } from "./FacetsOfTail.ts"
import type { Found } from "./FrameSearch.ts"
import { conditionsOf } from "./GroupFacets.ts"
import { isShort } from "./NearestReading.ts"
import { type MatchConsumer, makeSelection, type OccurrenceSources } from "./OccurrenceSelect.ts"

/** What events are found with. */
type FacetSources = OccurrenceSources & { readonly cache: FacetCache }

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

/** Makes what counts the values of a field among the newest events of a filter. */
export const facetsOverFrames = (sources: FacetSources) =>
  Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    query: FacetQuery
  ) {
    const { store, rows, cache, selectsAll, eachMatch } = sources
    const counting = yield* makeCounting({ store, each: rows.each }, workspace, query)
    const countSome: GroupSources["countSome"] = (part) =>
      eachMatch(workspace, filter, part, consumerOf(counting))
    if (isShort(filter)) {
      yield* countSome(range)
      return yield* finish(counting)
    }
    const position = yield* store.position(workspace)
    const selection = makeSelection(
      sources,
      workspace,
      { filter, range },
      { first: "newest", add: () => true }
    )
    const tail = { counting, cache, conditions: JSON.stringify(selection.conditions), blocks: [] }
    if (!(yield* countTail(tail, selection, position.sequence))) return yield* finish(counting)
    const framed = { from: range.from, to: Math.min(range.to, position.sequence) }
    const conditions = conditionsOf(filter)
    const byGroup = { cache, countSome }
    if (selectsAll(filter)) yield* countGroups(byGroup, counting, framed, position, undefined)
    else if (conditions === undefined) yield* countSome(framed)
    else yield* countGroups(byGroup, counting, framed, position, conditions)
    return yield* finish(counting)
  })
