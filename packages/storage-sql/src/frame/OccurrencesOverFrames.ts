/**
 * Reads in the order of occurrence over the frames of the index: the same on every database.
 *
 * Of each complete group and of each frame of the last one is known when its earliest and its latest event
 * occurred, so that only those are read which may hold what is wanted: one or two where events are recorded
 * soon after they occur. Events that are in no frame yet are read one by one. A term of one or two characters
 * is looked for in the newest events by their recording, as in other lists.
 */
import { contentSize } from "@cairn/core/encoding"
import { type EventFilter, searchesOf } from "@cairn/core/event"
import {
  ENOUGH_TO_LIST,
  type LogEntry,
  type OccurrenceCounts,
  type OccurrenceFacets,
  type OccurrenceRequest,
  occurrenceBucket,
  type SequenceRange,
  searchTerm,
  upToEnough
} from "@cairn/core/log"
import { Effect } from "effect"
import { unavailable } from "../StorageFailure.ts"
import type { EventIndexShape } from "./EventIndexShape.ts"
import { addSequences, finish, goesOn, makeCounting, roomFor } from "./FacetCounting.ts"
import { isWithinBounds, mayBeWithin, NearestOccurrences } from "./NearestOccurrences.ts"
import {
  addEntries,
  addMatches,
  addRows,
  addUnits,
  makeSelection,
  type OccurrenceSelection,
  type OccurrenceSources,
  rangeOfRun,
  runsOf
} from "./OccurrenceSelect.ts"
import { type OccurrenceUnit, unitsOf } from "./OccurrenceUnits.ts"

/** Units read together: one at first, and more the longer it takes. */
const MOST_UNITS = 32

/** Entries read together, in the order in which they are wanted. */
const ENTRIES_AT_ONCE = 25

const isShort = (filter: EventFilter): boolean => {
  const searches = searchesOf(filter)
  return searches.length > 0 && searchTerm(searches).isShort
}

/** The part of a range that no frame has yet. */
const tailOf = (indexed: number, { from, to }: SequenceRange): SequenceRange => ({
  from: Math.max(from, indexed + 1),
  to
})

/** Gives what is selected of the events that no frame has, and returns the units that have the others. */
const addTail = Effect.fnUntraced(function* (selection: OccurrenceSelection) {
  const { store, workspace, conditions, range } = selection
  const position = yield* store.position(workspace)
  yield* addRows(selection, conditions, tailOf(position.sequence, range))
  return yield* unitsOf(store, workspace, position)
})

const GO_ON = Effect.succeed(true)

/**
 * The places of a request, as long as `goesOn`, which is asked before more are looked at. Those that were
 * found then are cut off where one that was not looked at may be nearer.
 */
const readNearest = Effect.fnUntraced(function* (
  sources: OccurrenceSources,
  workspace: number,
  request: OccurrenceRequest,
  goesOn: Effect.Effect<boolean>
) {
  const nearest = new NearestOccurrences(request)
  const selection = makeSelection(sources, workspace, request, {
    first: request.first,
    add: (place) => nearest.add(place)
  })
  if (isShort(selection.conditions)) {
    yield* addMatches(selection, request.range)
    return { places: nearest.places, isCut: false }
  }
  const units = (yield* addTail(selection))
    .filter((unit) => nearest.mayHold(unit))
    .map((unit) => ({ ...unit, nearest: nearest.nearestOf(unit) }))
    .sort((one, other) => nearest.compare(one.nearest, other.nearest))
  let together = 1
  for (let at = 0; at < units.length; ) {
    const some = units.slice(at, at + together).filter((unit) => nearest.mayTake(unit.nearest))
    const [next] = some
    if (next === undefined) break
    if (!(yield* goesOn))
      return {
        places: nearest.places.filter((place) => nearest.compare(place, next.nearest) < 0),
        isCut: true
      }
    yield* addUnits(selection, some)
    at += together
    together = Math.min(2 * together, MOST_UNITS)
    yield* Effect.yieldNow
  }
  return { places: nearest.places, isCut: false }
})

/** Makes what counts the values of a field among the newest events by when they occurred. */
const facetsByOccurrence = (sources: OccurrenceSources) =>
  Effect.fnUntraced(function* (workspace: number, { filter, range, ...query }: OccurrenceFacets) {
    const { store, rows } = sources
    const counting = yield* makeCounting({ store, each: rows.each }, workspace, query)
    const request = { filter, range, first: "newest", beyond: null, limit: query.most + 1 } as const
    const { places, isCut } = yield* readNearest(sources, workspace, request, goesOn(counting))
    yield* addSequences(
      counting,
      places.slice(0, roomFor(counting, places.length)).map(({ sequence }) => sequence)
    )
    const found = yield* finish(counting)
    return isCut ? { ...found, complete: false } : found
  })

/** What is counted, and where it is added. */
interface Counting {
  readonly selection: OccurrenceSelection
  readonly addSome: (bucket: number, more: number) => void
}

/** The bucket that has all events of a unit; undefined if they are not all in one, and within the bounds. */
const wholeBucket = (
  request: OccurrenceCounts,
  { first, last, earliest, latest }: OccurrenceUnit
): number | undefined => {
  const bucket = occurrenceBucket(earliest, request.bucket)
  const isWhole =
    bucket === occurrenceBucket(latest, request.bucket) &&
    isWithinBounds(request, { occurredAt: earliest, sequence: first }) &&
    isWithinBounds(request, { occurredAt: latest, sequence: last })
  return isWhole ? bucket : undefined
}

/** Counts the events of units that are all in one bucket: of those without a condition none is read. */
const countWhole = Effect.fnUntraced(function* (
  { selection, addSome }: Counting,
  units: ReadonlyArray<OccurrenceUnit>,
  bucket: number
) {
  const { selectsAll, eachMatch, workspace, conditions, range } = selection
  if (selectsAll(conditions)) {
    for (const { events = 0 } of units) addSome(bucket, events)
    return yield* addUnits(
      selection,
      units.filter(({ events }) => events === undefined)
    )
  }
  for (const run of runsOf(units)) {
    yield* eachMatch(workspace, conditions, rangeOfRun(run, range), {
      entries: (entries) => Effect.as(addEntries(selection, {}, entries), true),
      found: ({ count }) =>
        Effect.as(
          Effect.sync(() => addSome(bucket, count)),
          true
        )
    })
  }
})

/** Units in the order of their sequences, some of which follow each other in one bucket. */
const bucketed = (request: OccurrenceCounts, units: ReadonlyArray<OccurrenceUnit>) => {
  const parts: Array<{ readonly bucket: number | undefined; readonly units: Array<OccurrenceUnit> }> = []
  for (const unit of units) {
    const bucket = wholeBucket(request, unit)
    const part = parts.at(-1)
    if (part !== undefined && part.bucket === bucket && part.units.length < MOST_UNITS) part.units.push(unit)
    else parts.push({ bucket, units: [unit] })
  }
  return parts
}

const readCounts = Effect.fnUntraced(function* (
  sources: OccurrenceSources,
  workspace: number,
  request: OccurrenceCounts
) {
  const counts = new Map<number, number>()
  const addSome = (bucket: number, more: number): void => {
    if (more > 0) counts.set(bucket, (counts.get(bucket) ?? 0) + more)
  }
  const selection = makeSelection(sources, workspace, request, {
    first: "oldest",
    add: (place) => {
      if (isWithinBounds(request, place)) addSome(occurrenceBucket(place.occurredAt, request.bucket), 1)
      return true
    }
  })
  if (isShort(selection.conditions)) {
    yield* addMatches(selection, request.range)
    return counts
  }
  const units = (yield* addTail(selection)).filter((unit) => mayBeWithin(request, unit))
  for (const part of bucketed(request, units)) {
    yield* part.bucket === undefined
      ? addUnits(selection, part.units)
      : countWhole({ selection, addSome }, part.units, part.bucket)
    yield* Effect.yieldNow
  }
  return counts
})

const readEntries = Effect.fnUntraced(function* (
  { rows }: OccurrenceSources,
  workspace: number,
  sequences: ReadonlyArray<number>
) {
  const found: Array<LogEntry> = []
  let size = 0
  for (let at = 0; at < sequences.length && size < ENOUGH_TO_LIST; at += ENTRIES_AT_ONCE) {
    const wanted = sequences.slice(at, at + ENTRIES_AT_ONCE)
    const entries = new Map<number, LogEntry>()
    yield* rows.each(
      workspace,
      wanted.toSorted((one, other) => other - one),
      (chunk) =>
        Effect.sync(() => {
          for (const entry of chunk) entries.set(entry.sequence, entry)
          return true
        })
    )
    for (const sequence of wanted) {
      const entry = entries.get(sequence)
      if (entry === undefined) continue
      found.push(entry)
      size += contentSize(entry)
    }
  }
  return upToEnough(found, contentSize, ENOUGH_TO_LIST)
})

/** Reads the events of filters in the order of occurrence. */
export const occurrencesOverFrames = (
  sources: OccurrenceSources
): Pick<EventIndexShape, "occurrences" | "occurrenceCounts" | "occurrenceFacets" | "entriesOf"> => ({
  occurrences: (workspace, request) =>
    readNearest(sources, workspace, request, GO_ON).pipe(
      Effect.map(({ places }) => places),
      unavailable("list occurrences")
    ),
  occurrenceFacets: (workspace, request) =>
    facetsByOccurrence(sources)(workspace, request).pipe(unavailable("count facets")),
  occurrenceCounts: (workspace, request) =>
    readCounts(sources, workspace, request).pipe(unavailable("count occurrences")),
  entriesOf: (workspace, sequences) =>
    readEntries(sources, workspace, sequences).pipe(unavailable("list events"))
})
