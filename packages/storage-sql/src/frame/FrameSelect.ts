/**
 * Selecting events by the values that they are filtered by, group by group: exactly what `matches` selects.
 */
import {
  blobsOf,
  type ColumnFilter,
  FRAME_EVENTS,
  findPlaces,
  intersection,
  type RequiredValue,
  selectInFrame,
  union
} from "@cairn/core/log"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { openColumns, readPostings } from "./FrameBlob.ts"
import type { FrameRange, FrameStart, FrameStore } from "./FrameStore.ts"
import { firstPlace, framesOfGroup, groupOf } from "./FrameWriting.ts"

/** Groups whose postings are read together: one at first, and more the longer it takes. */
const MOST_GROUPS = 32

/** Values that are looked up, and blobs that are opened, in those of them: some milliseconds' work. */
const MOST_LOOKS = 512

/** Frames of a group that is not complete whose columns are read together: half a millisecond's work. */
const FRAMES_TOGETHER = 8

/** The events of one group, or of some frames of it, that a filter selects. */
export interface Selected {
  readonly group: number
  /** The frames that were looked at. */
  readonly range: FrameRange
  /** How many; undefined where a blob is damaged: the events of the group are read one by one. */
  readonly count: number | undefined
  /** Their places in the group, ascending; undefined where it is not complete. */
  readonly places: Uint16Array | undefined
  /** The frames that have some. */
  readonly frames: () => ReadonlySet<number>
  /** Their sequences, ascending. */
  readonly sequences: Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
}

const NONE = new Uint16Array()

const damaged = (group: number, range: FrameRange): Selected => ({
  group,
  range,
  count: undefined,
  places: undefined,
  frames: () => new Set(),
  sequences: Effect.succeed([])
})

/** Where events are selected. */
export interface Selection {
  readonly store: FrameStore
  readonly workspace: number
  readonly filter: ColumnFilter
  /** The frames that may hold events of the range that is asked for. */
  readonly within: FrameRange
}

/** The frames of a group that are within the range. */
const withinGroup = ({ within }: Selection, group: number): FrameRange => {
  const { low, high } = framesOfGroup(group)
  return { low: Math.max(low, within.low), high: Math.min(high, within.high) }
}

/** The frame, by its place in a group, that has the event at a place. */
const frameAt = (place: number): number => Math.floor(place / FRAME_EVENTS)

/** The sequences at some places of a group, whose frames begin there. */
const sequencesAt = (
  places: Uint16Array,
  low: number,
  starts: ReadonlyArray<FrameStart>
): ReadonlyArray<number> => {
  const firsts = new Map(starts.map(({ number, first }) => [number, first]))
  const sequences: Array<number> = []
  for (const place of places) {
    const number = low + frameAt(place)
    const first = firsts.get(number)
    if (first !== undefined) sequences.push(first + place - firstPlace(number))
  }
  return sequences
}

const ofPlaces = ({ store, workspace, within }: Selection, group: number, all: Uint16Array): Selected => {
  const frames = framesOfGroup(group)
  const isWithin = (place: number): boolean => {
    const number = frames.low + frameAt(place)
    return number >= within.low && number <= within.high
  }
  const places = frames.low >= within.low && frames.high <= within.high ? all : all.filter(isWithin)
  return {
    group,
    range: frames,
    count: places.length,
    places,
    frames: () => new Set(Array.from(places, (place) => frames.low + frameAt(place))),
    sequences: Effect.map(store.starts(workspace, frames), (starts) =>
      sequencesAt(places, frames.low, starts)
    )
  }
}

/** The values of a condition by the blobs that may have them, so that each is opened once. */
type ValuesByBlob = ReadonlyMap<number, ReadonlyArray<RequiredValue>>

const byBlob = (values: ReadonlyArray<RequiredValue>): ValuesByBlob => {
  const found = new Map<number, Array<RequiredValue>>()
  for (const value of values) {
    for (const number of blobsOf(value)) {
      const others = found.get(number)
      if (others === undefined) found.set(number, [value])
      else others.push(value)
    }
  }
  return found
}

/** The places that any value of a condition has, by the blobs of a group; undefined where one is damaged. */
const placesOf = (
  condition: ValuesByBlob,
  blobs: ReadonlyMap<number, Uint8Array>
): Uint16Array | undefined => {
  const lists: Array<Uint16Array> = []
  for (const [number, values] of condition) {
    const blob = blobs.get(number)
    if (blob === undefined) continue
    const found = readPostings(blob, (postings) => values.map((value) => findPlaces(postings, value)))
    if (found === undefined) return undefined
    for (const places of found) if (places.length > 0) lists.push(places)
  }
  return union(lists)
}

/** The places that all conditions select, by the blobs of a group; undefined where one is damaged. */
const placesIn = (
  conditions: ReadonlyArray<ValuesByBlob>,
  blobs: ReadonlyMap<number, Uint8Array>
): Uint16Array | undefined => {
  let common: Uint16Array | undefined
  for (const condition of conditions) {
    const places = placesOf(condition, blobs)
    if (places === undefined) return undefined
    common = common === undefined ? places : intersection(common, places)
    if (common.length === 0) return NONE
  }
  return common ?? NONE
}

/** What is selected in complete groups, in their order. */
export const inComplete = Effect.fnUntraced(function* (
  selection: Selection,
  groups: { readonly low: number; readonly high: number }
) {
  const { store, workspace, filter } = selection
  const conditions = filter.values.map(byBlob)
  const numbers = [...new Set(conditions.flatMap((condition) => [...condition.keys()]))]
  const blobs = new Map<number, Map<number, Uint8Array>>()
  for (const { group, number, blob } of yield* store.postings(workspace, groups, numbers))
    blobs.set(group, (blobs.get(group) ?? new Map<number, Uint8Array>()).set(number, blob))
  return Array.from({ length: groups.high - groups.low + 1 }, (_, index) => {
    const group = groups.low + index
    const places = placesIn(conditions, blobs.get(group) ?? new Map())
    return places === undefined
      ? damaged(group, withinGroup(selection, group))
      : ofPlaces(selection, group, places)
  })
})

/**
 * What is selected in some frames of a group that was not complete, by their columns; undefined if it is now.
 */
const inFrames = Effect.fnUntraced(function* (
  { store, workspace, filter }: Selection,
  group: number,
  range: FrameRange
) {
  const sequences: Array<number> = []
  const frames = new Set<number>()
  for (const stored of yield* store.columns(workspace, range)) {
    if (stored.columns === null) return undefined
    const columns = openColumns(stored)
    if (columns === undefined) return damaged(group, range)
    const found = selectInFrame(columns, filter.conditions)
    if (found.length > 0) frames.add(stored.number)
    for (const event of found) sequences.push(columns.sequences[event] ?? 0)
  }
  const selected: Selected = {
    group,
    range,
    count: sequences.length,
    places: undefined,
    frames: () => frames,
    sequences: Effect.succeed(sequences)
  }
  return selected
})

/** What is selected in the frames of a group that is not complete, a few at a time, the newest first. */
const eachOfOpen = Effect.fnUntraced(function* <E, R>(
  selection: Selection,
  group: number,
  each: (selected: Selected) => Effect.Effect<boolean, E, R>
) {
  const { within } = selection
  const last = Math.max(framesOfGroup(group).low, within.low)
  for (let high = within.high; high >= last; high -= FRAMES_TOGETHER) {
    const range = { low: Math.max(last, high - FRAMES_TOGETHER + 1), high }
    const selected = yield* inFrames(selection, group, range)
    if (selected === undefined) return yield* restOf(selection, group, high, each)
    if (!(yield* each(selected))) return false
  }
  return true
})

/** What is selected in the frames up to `high` of a group that was completed meanwhile. */
const restOf = Effect.fnUntraced(function* <E, R>(
  selection: Selection,
  group: number,
  high: number,
  each: (selected: Selected) => Effect.Effect<boolean, E, R>
) {
  const within = { ...selection.within, high }
  for (const selected of yield* inComplete({ ...selection, within }, { low: group, high: group }))
    if (!(yield* each(selected))) return false
  return true
})

/** Groups that are read together at most, which are fewer where a filter has many values. */
const mostGroups = ({ values }: ColumnFilter): number => {
  const looks = values
    .map((condition) => Math.max(condition.length, byBlob(condition).size))
    .reduce((sum, some) => sum + some, 0)
  return Math.max(1, Math.min(MOST_GROUPS, Math.floor(MOST_LOOKS / looks)))
}

/**
 * What is selected in each group that may hold events of the range, the newest first, given to `each` as long
 * as it returns true. Costs a read for up to 32 groups, and some microseconds for each.
 */
export const eachGroup = Effect.fnUntraced(function* <E, R>(
  selection: Selection,
  written: number,
  each: (selected: Selected) => Effect.Effect<boolean, E, R>
) {
  const { within } = selection
  const last = groupOf(within.low)
  const most = mostGroups(selection.filter)
  let together = 1
  for (let high = groupOf(within.high); high >= last; ) {
    if (framesOfGroup(high).high >= written) {
      if (!(yield* eachOfOpen(selection, high, each))) return
      high--
      continue
    }
    const low = Math.max(last, high - together + 1)
    const found = yield* inComplete(selection, { low, high })
    for (const selected of found.toReversed()) if (!(yield* each(selected))) return
    together = Math.min(2 * together, most)
    high = low - 1
    yield* Effect.yieldNow
  }
})
