/**
 * Lists, counts and searches of a log over the frames of its index: the same on every database.
 *
 * A filter selects in frames exactly the events that `matches` of the core selects. Events that are in no
 * frame yet, fewer than one as a rule, are read one by one. A search for nothing but texts of one or two
 * characters looks in the newest {@link SHORT_TERM_WINDOW} events.
 */
import { contentSize, type Micros } from "@cairn/core/encoding"
import { type EventFilter, searchesOf } from "@cairn/core/event"
import {
  columnFilter,
  ENOUGH_TO_LIST,
  type FacetQuery,
  type LogEntry,
  type SearchTerm,
  type SequenceRange,
  searchTerm,
  upToEnough
} from "@cairn/core/log"
import { Effect, type Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { ReadNewest } from "../NewestRows.ts"
import { unavailable } from "../StorageFailure.ts"
import type { EventIndexShape } from "./EventIndexShape.ts"
import type { FacetCache } from "./FacetCache.ts"
import { facetsOverFrames } from "./FacetsOverFrames.ts"
import { filteredRows, type TakeEntries } from "./FilteredRows.ts"
import { searchFrames } from "./FrameSearch.ts"
import type { FrameStore } from "./FrameStore.ts"
import type { KeptTails } from "./KeptTails.ts"
import type { MatchConsumer } from "./OccurrenceSelect.ts"
import { occurrencesOverFrames } from "./OccurrencesOverFrames.ts"

/** The newest events in which texts of one or two characters are looked for. */
export const SHORT_TERM_WINDOW = 10_000

/** Times read together. */
const TIMES_AT_ONCE = 2_000

/** What the index works with. */
interface EventSources {
  /** The log. */
  readonly sql: SqlClient.SqlClient
  readonly store: FrameStore
  readonly readNewest: ReadNewest
  /** Counts of facets that are kept. */
  readonly cache: FacetCache
  /** What is kept of events that no frame has. */
  readonly tails: KeptTails
}

const withoutSearch = ({ search: _, ...others }: EventFilter): EventFilter => others

/** The search of a filter, prepared; undefined if it has none. */
const termOf = (filter: EventFilter): SearchTerm | undefined => {
  const searches = searchesOf(filter)
  return searches.length === 0 ? undefined : searchTerm(searches)
}

/** Whether an event can have what a filter wants: no text in a content has half of a surrogate pair. */
const canMatch = (filter: EventFilter): boolean =>
  searchesOf(filter).every((text) => text.isWellFormed()) &&
  columnFilter(filter).values.every((anyOf) => anyOf.length > 0)

/** Reads the events of filters. */
export const eventsOverFrames = ({
  sql,
  store,
  readNewest,
  cache,
  tails
}: EventSources): Omit<EventIndexShape, "advance"> => {
  const rows = filteredRows(sql, readNewest)

  const eachFramed = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    consumer: MatchConsumer
  ) {
    const read = (part: SequenceRange) => rows.scan(workspace, filter, part, consumer.entries)
    const { sequence: indexed, frames: written } = yield* store.position(workspace)
    if (!(yield* read({ from: Math.max(range.from, indexed + 1), to: range.to }))) return
    yield* searchFrames(
      {
        store,
        workspace,
        range: { from: range.from, to: Math.min(range.to, indexed) },
        written,
        filter: columnFilter(filter),
        term: termOf(filter)
      },
      { ...consumer, take: consumer.found, read }
    )
  })

  /** A short search: among the newest events, or those of them that the filter's other conditions select. */
  const eachShort = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    consumer: Omit<MatchConsumer, "found">
  ) {
    const take = consumer.entries
    const from = yield* rows.startOfNewest(workspace, range, SHORT_TERM_WINDOW)
    const newest = { from, to: range.to }
    const others = withoutSearch(filter)
    if (selectsAll(others)) {
      yield* rows.scan(workspace, filter, newest, take)
      return
    }
    const some: TakeEntries = (entries) => Effect.flatMap(rows.matching(filter, entries), take)
    yield* eachFramed(workspace, others, newest, {
      ...consumer,
      entries: some,
      found: ({ sequences }) => Effect.flatMap(sequences, (found) => rows.each(workspace, found, some))
    })
  })

  /**
   * Every entry that a filter with a condition selects, newest first, in pieces, as long as more are wanted.
   */
  const eachMatch = (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    consumer: MatchConsumer
  ): Effect.Effect<void, SqlError.SqlError | Schema.SchemaError> => {
    if (!canMatch(filter)) return Effect.void
    return termOf(filter)?.isShort
      ? eachShort(workspace, filter, range, consumer)
      : eachFramed(workspace, filter, range, consumer)
  }

  const page = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    limit: number
  ) {
    if (selectsAll(filter)) return yield* rows.newest(workspace, range, { limit, enough: ENOUGH_TO_LIST })
    const found: Array<LogEntry> = []
    let size = 0
    const entries: TakeEntries = (more) =>
      Effect.sync(() => {
        found.push(...more)
        for (const entry of more) size += contentSize(entry)
        return found.length < limit && size < ENOUGH_TO_LIST
      })
    yield* eachMatch(workspace, filter, range, {
      entries,
      found: ({ sequences }) => Effect.flatMap(sequences, (some) => rows.each(workspace, some, entries))
    })
    return upToEnough(found.slice(0, limit), contentSize, ENOUGH_TO_LIST)
  }, unavailable("list events"))

  const moments = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    limit: number
  ) {
    if (selectsAll(filter)) return yield* rows.timesWithin(workspace, range, limit)
    const found: Array<Micros.Micros> = []
    yield* eachMatch(workspace, filter, range, {
      entries: (entries) =>
        Effect.sync(() => {
          for (const { createdAt } of entries) found.push(createdAt)
          return found.length < limit
        }),
      found: Effect.fnUntraced(function* ({ sequences }) {
        const some = yield* sequences
        for (let at = 0; at < some.length && found.length < limit; at += TIMES_AT_ONCE)
          for (const time of yield* rows.timesOf(workspace, some.slice(at, at + TIMES_AT_ONCE)))
            found.push(time)
        return found.length < limit
      })
    })
    return found.slice(0, limit)
  }, unavailable("list moments"))

  const count = Effect.fnUntraced(function* (workspace: number, filter: EventFilter, range: SequenceRange) {
    if (selectsAll(filter)) return yield* rows.count(workspace, range)
    let total = 0
    const add = (more: number): boolean => {
      total += more
      return true
    }
    yield* eachMatch(workspace, filter, range, {
      entries: (entries) => Effect.sync(() => add(entries.length)),
      found: (found) => Effect.sync(() => add(found.count))
    })
    return total
  }, unavailable("count events"))

  const sources = { store, rows, cache, tails, selectsAll, eachMatch }
  const countFacets = facetsOverFrames(sources)
  const facets = (workspace: number, filter: EventFilter, range: SequenceRange, query: FacetQuery) =>
    countFacets(workspace, filter, range, query).pipe(unavailable("count facets"))

  return { page, moments, count, facets, ...occurrencesOverFrames(sources) }
}

/** Whether a filter has no condition on contents. */
const selectsAll = (filter: EventFilter): boolean =>
  searchesOf(filter).length === 0 && columnFilter(filter).values.length === 0
