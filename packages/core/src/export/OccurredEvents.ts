/** The events of an export in the order of occurrence, oldest first, as a stream of chunks. */
import { Effect, Option, Stream } from "effect"
import { type EventFilter, searchesOf } from "../event/EventFilter.ts"
import type { EventLogShape, LogEntry, SequenceRange } from "../log/EventLog.ts"
import { searchTerm } from "../log/frame/SearchTerm.ts"
import type { Occurrence } from "../log/Occurrence.ts"
import { ENOUGH_TO_LIST, mayGoOn } from "../log/ReadingBound.ts"

/**
 * Places read at once, some megabytes. If every part of a log has events of every time, the log is read
 * through once for each that many places.
 */
const PLACES = 65_536

/** What is read. */
interface OccurredRequest {
  readonly log: Pick<EventLogShape, "occurrences" | "occurrenceCounts" | "entriesOf">
  readonly workspaceId: string
  /** Its times compare with when events occurred. */
  readonly filter: EventFilter
  /** Of events that there are already. */
  readonly range: SequenceRange
  /** Most events of a chunk. */
  readonly chunk: number
}

/** Events that were read. */
interface OccurredChunk {
  readonly rows: ReadonlyArray<LogEntry>
  /** How many places these are of, of all. */
  readonly places: number
}

/**
 * The part of a filter that the log's order is asked for: a term of one or two characters is looked for in
 * some events only there, and an export is whole. It is left to the caller.
 */
const askable = (filter: EventFilter): EventFilter => {
  const { search: _, ...others } = filter
  const searches = searchesOf(filter)
  return searches.length === 0 || searchTerm(searches).isShort ? others : filter
}

/**
 * How many events a filter selects, but for such a term, and they themselves. Memory holds the places of some
 * of them, and the rows of one chunk.
 */
export const occurredEvents = Effect.fnUntraced(function* (request: OccurredRequest) {
  const { log, workspaceId, range, chunk } = request
  const filter = askable(request.filter)
  const counts = yield* log.occurrenceCounts(workspaceId, { filter, range, bucket: null })

  /** The next places, as many as are kept at once. */
  const placesAfter = (beyond: Occurrence | null) =>
    log.occurrences(workspaceId, { filter, range, first: "oldest", beyond, limit: PLACES })

  const rowsOf = (places: ReadonlyArray<Occurrence>) =>
    Stream.paginate(places, (left: ReadonlyArray<Occurrence>) =>
      Effect.gen(function* () {
        const wanted = left.slice(0, chunk)
        const rows = yield* log.entriesOf(
          workspaceId,
          wanted.map(({ sequence }) => sequence)
        )
        const last = rows.at(-1)?.sequence
        // Large rows are cut short, and those that were removed meanwhile are missing.
        const isCut = rows.length < wanted.length && mayGoOn(rows, wanted.length, ENOUGH_TO_LIST)
        const read = isCut ? wanted.findIndex(({ sequence }) => sequence === last) + 1 : wanted.length
        const rest = left.slice(read)
        const piece: OccurredChunk = { rows, places: read }
        return [[piece], rest.length > 0 ? Option.some(rest) : Option.none()] as const
      })
    )

  const chunks = Stream.paginate(null, (beyond: Occurrence | null) =>
    Effect.map(placesAfter(beyond), (places) => {
      const last = places.at(-1)
      const more = last !== undefined && places.length === PLACES
      return [[places], more ? Option.some<Occurrence | null>(last) : Option.none()] as const
    })
  ).pipe(Stream.flatMap((places) => (places.length === 0 ? Stream.empty : rowsOf(places))))
  return { total: counts.get(0) ?? 0, chunks }
})
