/**
 * Counts the values of a field among the newest events that a filter selects, from the postings of their
 * groups: of events that are in frames, no content is read.
 *
 * What takes long is ended after {@link FacetMillis}, with what was counted until then.
 */
import type { EventFilter } from "@cairn/core/event"
import {
  decodeColumns,
  encodeColumns,
  FacetMillis,
  type FacetQuery,
  type FacetsFound,
  FacetTally,
  FRAME_EVENTS,
  facetKind,
  GROUP_FRAMES,
  kindNumbers,
  kindPostings,
  type LogEntry,
  type PlacedColumns,
  type SequenceRange
} from "@cairn/core/log"
import { Clock, Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { TakeEntries } from "./FilteredRows.ts"
import { openColumns, readPostings } from "./FrameBlob.ts"
import { type Found, tellOnce } from "./FrameSearch.ts"
import type { FrameStore, StoredColumns } from "./FrameStore.ts"
import { frameEventsOf } from "./FrameTail.ts"
import { firstPlace, groupOf } from "./FrameWriting.ts"

/** Parts that are looked at however long that takes. */
const FEWEST_PARTS = 4

const GROUP_PLACES = GROUP_FRAMES * FRAME_EVENTS

type Failure = SqlError.SqlError | Schema.SchemaError

/** What events are found with. */
export interface FacetSources {
  readonly store: FrameStore
  /** Gives the entries of sequences, newest first. */
  readonly each: (
    workspace: number,
    sequences: ReadonlyArray<number>,
    take: TakeEntries
  ) => Effect.Effect<boolean, Failure>
  /** Gives the events that a filter selects, newest first, as long as more are wanted. */
  readonly eachMatch: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    consumer: {
      readonly entries: TakeEntries
      readonly found: (found: Found) => Effect.Effect<boolean, Failure>
      readonly goesOn: Effect.Effect<boolean>
    }
  ) => Effect.Effect<void, Failure>
}

/** The columns of some entries, newest first, as of one group. */
const columnsOf = (entries: ReadonlyArray<LogEntry>): ReadonlyArray<PlacedColumns> => {
  const events = frameEventsOf(entries.toReversed()).map((event, sequence) => ({ ...event, sequence }))
  const frames: Array<PlacedColumns> = []
  for (let first = 0; first < events.length; first += FRAME_EVENTS) {
    const some = events.slice(first, first + FRAME_EVENTS)
    const start = { first, since: some[0]?.createdAt ?? 0 }
    frames.push({ place: first, first, columns: decodeColumns(start, encodeColumns(start, some)) })
  }
  return frames
}

/** The place in its group of each sequence that is in a frame; both are newest first. */
const placesIn = (
  frames: ReadonlyArray<StoredColumns>,
  sequences: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const places: Array<number> = []
  let at = frames.length - 1
  for (const sequence of sequences) {
    while (at >= 0 && (frames[at]?.first ?? 0) > sequence) at--
    const frame = frames[at]
    if (frame !== undefined) places.push(firstPlace(frame.number) + sequence - frame.first)
  }
  return places
}

/** Marks places of a group. */
const marks = (places: Iterable<number>): Uint8Array => {
  const marked = new Uint8Array(GROUP_PLACES)
  for (const place of places) marked[place] = 1
  return marked
}

/** Events of a complete group, newest first. */
interface InGroup {
  readonly group: number
  /** Which of the parts that were looked at it is. */
  readonly part: number
  readonly places: Array<number>
  readonly sequences: Array<number>
}

/** Counting the values of a field in the events that are given, the newest first. */
interface Counting extends FacetSources {
  readonly workspace: number
  readonly query: FacetQuery
  readonly tally: FacetTally
  readonly tell: ReturnType<typeof tellOnce>
  /** When no further part is looked at, in milliseconds. */
  readonly ends: number
  /** Events that were counted, or will be. */
  events: number
  /** Parts of the log that were looked at. */
  parts: number
  /** Whether the filter selects more events, or may. */
  isCut: boolean
  /** What was found in the complete group that was looked at last, and is not counted yet. */
  pending: InGroup | undefined
}

/** How many of some events may still be counted; they are taken as counted. */
const roomFor = (counting: Counting, events: number): number => {
  const room = Math.min(events, counting.query.most - counting.events)
  if (room < events) counting.isCut = true
  counting.events += room
  return room
}

/** Whether more is wanted after another part. */
const goesOn = (counting: Counting): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    counting.parts++
    if (counting.isCut || counting.parts < FEWEST_PARTS) return Effect.succeed(!counting.isCut)
    return Effect.map(Clock.currentTimeMillis, (now) => {
      counting.isCut = now >= counting.ends
      return !counting.isCut
    })
  })

const addColumns = (
  { tally, query }: Counting,
  part: number,
  frames: ReadonlyArray<PlacedColumns>,
  marked: Uint8Array | undefined
): void =>
  tally.add(
    part,
    kindPostings(frames, facetKind(query.field)).map((blob) => tally.read(blob, marked))
  )

/** Counts events by their contents, as a part of the index is damaged. */
const readAgain = Effect.fnUntraced(function* (
  counting: Counting,
  { group, part, sequences }: Pick<InGroup, "group" | "part"> & {
    readonly sequences: ReadonlyArray<number>
  }
) {
  yield* counting.tell({ group })
  const entries: Array<LogEntry> = []
  yield* counting.each(counting.workspace, sequences, (some) =>
    Effect.sync(() => {
      entries.push(...some)
      return true
    })
  )
  addColumns(counting, part, columnsOf(entries), undefined)
})

/** Counts events of a complete group, by their places, and of damaged postings by their sequences. */
const addGroup = Effect.fnUntraced(function* (
  counting: Counting,
  { group, part }: Pick<InGroup, "group" | "part">,
  places: Iterable<number>,
  sequences: Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
) {
  const { store, workspace, query, tally } = counting
  const marked = marks(places)
  const found: Array<ReturnType<FacetTally["read"]>> = []
  const numbers = kindNumbers(facetKind(query.field))
  for (const { blob } of yield* store.postings(workspace, { low: group, high: group }, numbers)) {
    const values = readPostings(blob, (postings) => tally.read(postings, marked))
    if (values === undefined)
      return yield* readAgain(counting, { group, part, sequences: yield* sequences })
    found.push(values)
  }
  tally.add(part, found)
})

/** Counts what is pending. */
const flush = (counting: Counting) =>
  Effect.suspend(() => {
    const { pending } = counting
    counting.pending = undefined
    return pending === undefined
      ? Effect.void
      : addGroup(counting, pending, pending.places, Effect.succeed(pending.sequences))
  })

/** Adds events of a complete group to what was found in it before. */
const addPlaces = Effect.fnUntraced(function* (
  counting: Counting,
  group: number,
  places: ReadonlyArray<number>,
  sequences: ReadonlyArray<number>
) {
  if (counting.pending?.group !== group) {
    yield* flush(counting)
    counting.pending = { group, part: counting.parts, places: [], sequences: [] }
  }
  for (const place of places) counting.pending.places.push(place)
  for (const sequence of sequences) counting.pending.sequences.push(sequence)
})

/** Adds events of one group, of which there is one at least, newest first. */
const addFound = Effect.fnUntraced(function* (counting: Counting, sequences: ReadonlyArray<number>) {
  const { store, workspace, parts: part } = counting
  const [to = 0, from = to] = [sequences[0], sequences.at(-1)]
  const within = yield* store.within(workspace, { from, to })
  if (within === undefined) return
  const frames = yield* store.columns(workspace, within)
  const places = placesIn(frames, sequences)
  const group = groupOf(within.high)
  if (frames.every(({ columns }) => columns === null))
    return yield* addPlaces(counting, group, places, sequences)
  const opened = frames.flatMap((stored) => {
    const columns = openColumns(stored)
    return columns === undefined ? [] : [{ place: firstPlace(stored.number), first: stored.first, columns }]
  })
  if (opened.length < frames.length)
    return yield* readAgain(counting, { group, part, sequences })
  return addColumns(counting, part, opened, marks(places))
})

/** Makes what counts the values of a field among the newest events of a filter. */
export const facetsOverFrames = (sources: FacetSources) =>
  Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    query: FacetQuery
  ) {
    const counting: Counting = {
      ...sources,
      workspace,
      query,
      tally: new FacetTally(query.field),
      tell: tellOnce(workspace),
      ends: (yield* Clock.currentTimeMillis) + (yield* FacetMillis),
      events: 0,
      parts: 0,
      isCut: false,
      pending: undefined
    }
    yield* sources.eachMatch(workspace, filter, range, {
      entries: (entries) =>
        Effect.suspend(() => {
          const taken = entries.slice(0, roomFor(counting, entries.length))
          if (taken.length > 0) addColumns(counting, counting.parts, columnsOf(taken), undefined)
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
    yield* flush(counting)
    const { tally, events, isCut } = counting
    const found: FacetsFound = { values: tally.top(query.prefix), events, complete: !isCut }
    return found
  })
