/**
 * Reads in the order of occurrence over the frames of the index: the same on every database.
 *
 * Of each complete group and of each frame of the last one is known when its earliest and its latest event
 * occurred, so that only those are read which may hold what is wanted: one or two where events are recorded
 * soon after they occur. Events that are in no frame yet are read once for a filter, see `OccurrenceTail`. A
 * term of one or two characters is looked for in the newest events by their recording, as in other lists.
 */
import { contentSize } from "@cairn/core/encoding"
import {
  ENOUGH_TO_LIST,
  type LogEntry,
  type OccurrenceCounts,
  occurrenceBucket,
  upToEnough
} from "@cairn/core/log"
import { Effect } from "effect"
import { unavailable } from "../StorageFailure.ts"
import type { EventIndexShape } from "./EventIndexShape.ts"
import type { FacetCache } from "./FacetCache.ts"
import { facetsByOccurrence } from "./FacetsByOccurrence.ts"
import { isWithinBounds, mayBeWithin } from "./NearestOccurrences.ts"
import { addTail, isShort, MOST_UNITS, readNearest } from "./NearestReading.ts"
import {
  addEntries,
  addMatches,
  addUnits,
  makeSelection,
  type OccurrenceSelection,
  type OccurrenceSources,
  rangeOfRun,
  runsOf
} from "./OccurrenceSelect.ts"
import type { OccurrenceUnit } from "./OccurrenceUnits.ts"

/** Entries read together, in the order in which they are wanted. */
const ENTRIES_AT_ONCE = 25

const GO_ON = Effect.succeed(true)

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
  const parts = yield* addTail(selection, GO_ON)
  const units = parts.units.filter((unit) => mayBeWithin(request, unit))
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
  sources: OccurrenceSources & { readonly cache: FacetCache }
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
