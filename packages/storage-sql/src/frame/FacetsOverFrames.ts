/**
 * Counts the values of a field among the newest events that a filter selects, by when they were recorded. See
 * `FacetCounting`.
 */
import type { EventFilter } from "@cairn/core/event"
import type { FacetQuery, SequenceRange } from "@cairn/core/log"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import {
  addEntries,
  addFound,
  addGroup,
  type CountingSources,
  finish,
  flush,
  goesOn,
  makeCounting,
  roomFor
} from "./FacetCounting.ts"
import type { Found } from "./FrameSearch.ts"
import type { MatchConsumer } from "./OccurrenceSelect.ts"

/** What events are found with. */
interface FacetSources extends CountingSources {
  /** Gives the events that a filter selects, newest first, as long as more are wanted. */
  readonly eachMatch: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    consumer: MatchConsumer
  ) => Effect.Effect<void, SqlError.SqlError | Schema.SchemaError>
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
    yield* sources.eachMatch(workspace, filter, range, {
      entries: (entries) =>
        Effect.suspend(() => {
          const taken = entries.slice(0, roomFor(counting, entries.length))
          if (taken.length > 0) addEntries(counting, taken)
          return goesOn(counting)
        }),
      found: Effect.fnUntraced(function* ({ count, sequences, inGroup }: Found) {
        const room = roomFor(counting, count)
        const newest = Effect.map(sequences, (all) => all.slice(0, room))
        if (inGroup !== undefined && room > 0) {
          yield* flush(counting)
          const { group, places } = inGroup
          yield* addGroup(counting, { group, part: counting.parts }, places.subarray(count - room), newest)
        } else if (room > 0) yield* addFound(counting, yield* newest)
        return yield* goesOn(counting)
      }),
      goesOn: goesOn(counting)
    })
    return yield* finish(counting)
  })
