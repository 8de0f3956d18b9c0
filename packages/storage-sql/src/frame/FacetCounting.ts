/**
 * Counting the values of a field from the postings of groups: of events that are in frames, no content is
 * read.
 *
 * What takes long is ended after {@link FacetMillis}, with what was counted until then.
 */
import {
  columnsOfText,
  FacetMillis,
  type FacetQuery,
  type FacetsFound,
  FacetTally,
  FRAME_EVENTS,
  facetKind,
  facetPart,
  facetPartOf,
  GROUP_FRAMES,
  kindNumbers,
  kindPostings,
  type LogEntry,
  type PlacedColumns
} from "@cairn/core/log"
import { Clock, Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import { LAST_CHUNK, type TakeEntries } from "./FilteredRows.ts"
import { openColumns, readAllPostings } from "./FrameBlob.ts"
import { tellOnce } from "./FrameSearch.ts"
import type { FrameStore, StoredColumns } from "./FrameStore.ts"
import { firstPlace, groupOf } from "./FrameWriting.ts"

/** Parts that are looked at however long that takes. */
const FEWEST_PARTS = 2

/**
 * Events of which an answer says little. Until so many are counted, a machine that is busy with others has
 * {@link PATIENCE} times as long.
 */
const FEW_EVENTS = 10_000
const PATIENCE = 4

/** So few events of a frame whose group is not complete are counted sooner by their contents. */
const FEW_OF_FRAME = 32

const GROUP_PLACES = GROUP_FRAMES * FRAME_EVENTS

type Failure = SqlError.SqlError | Schema.SchemaError

/** What events are counted with. */
export interface CountingSources {
  readonly store: FrameStore
  /** Gives the entries of sequences, newest first, so many of them at first. */
  readonly each: (
    workspace: number,
    sequences: ReadonlyArray<number>,
    take: TakeEntries,
    first: number
  ) => Effect.Effect<boolean, Failure>
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
export const marks = (places: Iterable<number>): Uint8Array => {
  const marked = new Uint8Array(GROUP_PLACES)
  for (const place of places) marked[place] = 1
  return marked
}

/** Events of a complete group, newest first. */
interface InGroup {
  readonly group: number
  readonly places: Array<number>
  readonly sequences: Array<number>
}

/** Counting the values of a field in the events that are given, the newest first. */
export interface Counting extends CountingSources {
  readonly workspace: number
  readonly query: FacetQuery
  readonly tally: FacetTally
  readonly tell: ReturnType<typeof tellOnce>
  /** When counting began, and for how long it looks at further parts, in milliseconds. */
  began: number
  readonly millis: number
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
export const roomFor = (counting: Counting, events: number): number => {
  const room = Math.min(events, counting.query.most - counting.events)
  if (room < events) counting.isCut = true
  counting.events += room
  return room
}

/** Whether less than some times as long has passed as counting looks at further parts. */
export const isWithin = (counting: Counting, times: number): Effect.Effect<boolean> =>
  Effect.map(Clock.currentTimeMillis, (now) => now - counting.began < times * counting.millis)

/** Whether to look at the next part. Call it only where there is one: false marks the count as cut short. */
export const goesOn = (counting: Counting): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    counting.parts++
    if (counting.isCut || counting.parts <= FEWEST_PARTS) return Effect.succeed(!counting.isCut)
    return Effect.map(isWithin(counting, counting.events < FEW_EVENTS ? PATIENCE : 1), (isInTime) => {
      counting.isCut = !isInTime
      return isInTime
    })
  })

export const addColumns = (
  { tally, query }: Counting,
  frames: ReadonlyArray<PlacedColumns>,
  marked: Uint8Array | undefined
): void => tally.add(facetPart(query.field, kindPostings(frames, facetKind(query.field)), marked))

/** Counts entries, newest first. */
export const addEntries = ({ tally, query }: Counting, entries: ReadonlyArray<LogEntry>): void =>
  tally.add(
    facetPartOf(
      query.field,
      entries.flatMap(({ content }) => (content === null ? [] : (columnsOfText(content) ?? [])))
    )
  )

/** Counts the events of sequences, newest first, by their contents. */
export const addContents = Effect.fnUntraced(function* (
  counting: Counting,
  sequences: ReadonlyArray<number>
) {
  const entries: Array<LogEntry> = []
  const take: TakeEntries = (some) =>
    Effect.sync(() => {
      entries.push(...some)
      return true
    })
  yield* counting.each(counting.workspace, sequences, take, LAST_CHUNK)
  addEntries(counting, entries)
})

/** Counts events by their contents, as a part of the index is damaged. */
const readAgain = Effect.fnUntraced(function* (
  counting: Counting,
  group: number,
  sequences: ReadonlyArray<number>
) {
  yield* counting.tell({ group })
  yield* addContents(counting, sequences)
})

/** Counts events of a complete group, by their places, and of damaged postings by their sequences. */
export const addGroup = Effect.fnUntraced(function* (
  counting: Counting,
  group: number,
  places: Iterable<number>,
  sequences: Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
) {
  const { store, workspace, query, tally } = counting
  const marked = marks(places)
  const numbers = kindNumbers(facetKind(query.field))
  const stored = yield* store.postings(workspace, { low: group, high: group }, numbers)
  const part = readAllPostings(stored, (postings) => facetPart(query.field, postings, marked))
  if (part === undefined) return yield* readAgain(counting, group, yield* sequences)
  tally.add(part)
})

/** Counts what is pending. */
export const flush = (counting: Counting) =>
  Effect.suspend(() => {
    const { pending } = counting
    counting.pending = undefined
    return pending === undefined
      ? Effect.void
      : addGroup(counting, pending.group, pending.places, Effect.succeed(pending.sequences))
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
    counting.pending = { group, places: [], sequences: [] }
  }
  for (const place of places) counting.pending.places.push(place)
  for (const sequence of sequences) counting.pending.sequences.push(sequence)
})

/** Adds events of one group, of which there is one at least, newest first. */
export const addFound = Effect.fnUntraced(function* (counting: Counting, sequences: ReadonlyArray<number>) {
  const { store, workspace } = counting
  const [to = 0, from = to] = [sequences[0], sequences.at(-1)]
  const within = yield* store.within(workspace, { from, to })
  if (within === undefined) return
  const frames = yield* store.columns(workspace, within)
  const hasColumns = frames.some(({ columns }) => columns !== null)
  if (hasColumns && sequences.length <= FEW_OF_FRAME * frames.length)
    return yield* addContents(counting, sequences)
  const places = placesIn(frames, sequences)
  const group = groupOf(within.high)
  if (frames.every(({ columns }) => columns === null))
    return yield* addPlaces(counting, group, places, sequences)
  const opened = frames.flatMap((stored) => {
    const columns = openColumns(stored)
    return columns === undefined ? [] : [{ place: firstPlace(stored.number), first: stored.first, columns }]
  })
  if (opened.length < frames.length) return yield* readAgain(counting, group, sequences)
  return addColumns(counting, opened, marks(places))
})

/** Counts nothing yet. */
export const makeCounting = Effect.fnUntraced(function* (
  { store, each }: CountingSources,
  workspace: number,
  query: FacetQuery
) {
  const counting: Counting = {
    store,
    each,
    workspace,
    query,
    tally: new FacetTally(),
    tell: tellOnce(workspace),
    began: yield* Clock.currentTimeMillis,
    millis: yield* FacetMillis,
    events: 0,
    parts: 0,
    isCut: false,
    pending: undefined
  }
  return counting
})

/** The answer, when nothing more is added. */
export const finish = (counting: Counting) =>
  Effect.map(flush(counting), (): FacetsFound => {
    const { tally, query, events, isCut } = counting
    return { values: tally.top(query.prefix), events, complete: !isCut }
  })
