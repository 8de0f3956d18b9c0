/**
 * Counting the values of a field group by group, the newest first: of groups that are complete and wholly
 * among the newest events, what was counted is kept, so that the next request, with another prefix as a rule,
 * reads none of them again.
 */
import {
  FacetTally,
  facetKind,
  facetPart,
  kindPostings,
  type PlacedColumns,
  type SequenceRange
} from "@cairn/core/log"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import { cacheKey, type FacetCache } from "./FacetCache.ts"
import { addColumns, addGroup, type Counting, flush, goesOn, marks, roomFor } from "./FacetCounting.ts"
import { openColumns } from "./FrameBlob.ts"
import type { FramePosition } from "./FrameStore.ts"
import { firstPlace, framesOfGroup, groupOf } from "./FrameWriting.ts"
import { clipped, type FacetConditions, groupFacets, isWhole } from "./GroupFacets.ts"
import type { GroupSpan } from "./OccurrenceStore.ts"

type Failure = SqlError.SqlError | Schema.SchemaError

/** What groups are counted with. */
export interface GroupSources {
  readonly cache: FacetCache
  /** Counts the events of a range one group after another, of which nothing is kept. */
  readonly countSome: (range: SequenceRange) => Effect.Effect<void, Failure>
}

/** What is counted, and with what. */
interface Counted extends GroupSources {
  readonly counting: Counting
  readonly range: SequenceRange
  /** None if all events are. */
  readonly conditions: FacetConditions | undefined
}

/** Groups that are counted before others have their turn. */
const GROUPS_AT_ONCE = 8

/** Frames of a group that is not complete whose counts are kept together. */
const BLOCK_FRAMES = 8

/** An opened frame. */
interface OpenedFrame extends PlacedColumns {
  readonly number: number
}

/** The newest first, by their numbers. */
const blocksOf = (frames: ReadonlyArray<OpenedFrame>): ReadonlyArray<ReadonlyArray<OpenedFrame>> => {
  const blocks = new Map<number, Array<OpenedFrame>>()
  for (const frame of frames) {
    const block = Math.floor(frame.number / BLOCK_FRAMES)
    const others = blocks.get(block)
    if (others === undefined) blocks.set(block, [frame])
    else others.push(frame)
  }
  return [...blocks.values()].reverse()
}

/** Counts the events of frames that are within the range, the newest if there are too many. */
const addSome = ({ counting, range }: Counted, frames: ReadonlyArray<OpenedFrame>): void => {
  const places = frames.flatMap(({ place, first, columns }) =>
    columns.sequences
      .filter((sequence) => sequence >= range.from && sequence <= range.to)
      .map((sequence) => place + sequence - first)
  )
  const room = roomFor(counting, places.length)
  if (room > 0) addColumns(counting, frames, marks(places.slice(places.length - room)))
}

/**
 * Counts a block, the newest of its events if there are too many. It has columns of its own, and what was
 * counted of it is kept once no further frame is written to it: like that of a group, see `FacetCache`.
 */
const addBlock = (counted: Counted, frames: ReadonlyArray<OpenedFrame>): void => {
  const { counting, range, cache } = counted
  const { workspace, query, tally } = counting
  const sequences = frames.flatMap(({ columns }) => columns.sequences)
  const [first = 0, last = 0] = [sequences.at(0), sequences.at(-1)]
  const isFull = (frames.at(-1)?.number ?? 0) % BLOCK_FRAMES === BLOCK_FRAMES - 1
  const isFitting = sequences.length <= query.most - counting.events
  if (!isFull || !isFitting || !isWhole(range, { first, last })) {
    addSome(counted, frames)
    return
  }
  const events = roomFor(counting, sequences.length)
  const key = cacheKey(workspace, query.field, undefined, [{ first, last, events }])
  const known = cache.get(key)
  const block = known?.tally ?? new FacetTally()
  if (known === undefined) {
    block.add(facetPart(query.field, kindPostings(frames, facetKind(query.field)), undefined))
    cache.set(key, { tally: block, events, from: first })
  }
  tally.addAll(block)
}

/** Counts the frames of a group that is not complete, the newest first. */
const countOpen = Effect.fnUntraced(function* (counted: Counted, open: number, indexed: number) {
  const { counting, range, countSome } = counted
  const { store, workspace } = counting
  const within = yield* store.within(workspace, { from: range.from, to: Math.min(range.to, indexed) })
  const frames = within && { low: Math.max(within.low, framesOfGroup(open).low), high: within.high }
  if (frames === undefined || frames.low > frames.high) return
  const stored = yield* store.columns(workspace, frames)
  const [first] = stored
  if (first === undefined) return
  const opened = stored.flatMap((one) => {
    const columns = openColumns(one)
    const { number, first: start } = one
    return columns === undefined ? [] : [{ number, place: firstPlace(number), first: start, columns }]
  })
  // One is damaged, or the group was completed meanwhile.
  if (opened.length < stored.length)
    return yield* countSome({
      from: Math.max(range.from, first.first),
      to: Math.min(range.to, indexed)
    })
  for (const frames of blocksOf(opened)) {
    if (!(yield* goesOn(counting))) return
    addBlock(counted, frames)
    yield* Effect.yieldNow
  }
})

/**
 * Counts groups all of whose events are within the range, the newest first, as long as there is room and
 * time; returns how many. Those that were counted are kept together.
 */
const countWhole = Effect.fnUntraced(function* (counted: Counted, spans: ReadonlyArray<GroupSpan>) {
  const { cache, counting, conditions } = counted
  const { workspace, query, tally } = counting
  const room = (): number => query.most - counting.events
  const key = cacheKey(workspace, query.field, conditions?.name, spans)
  const kept = cache.get(key)
  const known = kept !== undefined && kept.events <= room() ? kept : undefined
  const facetsOf = groupFacets(cache, counting, conditions)
  const together = new FacetTally()
  let [done, events] = [0, 0]
  if (known !== undefined) {
    together.addAll(known.tally)
    done = spans.filter(({ last }) => last >= known.from).length
    events = roomFor(counting, known.events)
  }
  const before = done
  for (const span of spans.slice(before)) {
    // One more at least, so that who asks again gets further.
    if (done === before) counting.parts++
    else if (!(yield* goesOn(counting))) break
    const facets = yield* facetsOf(span)
    if (facets === undefined || facets.events > room()) break
    together.addAll(facets.tally)
    events += roomFor(counting, facets.events)
    if (++done % GROUPS_AT_ONCE === 0) yield* Effect.yieldNow
  }
  if (done > before) {
    together.merge()
    cache.set(key, { tally: together, events, from: spans[done - 1]?.first ?? 0 })
  }
  tally.addAll(together)
  return done
})

/** Whether a group has all events from its first to its last. */
const isDense = ({ first, last, events }: GroupSpan): boolean => last - first + 1 === events

/**
 * Counts those events of a group that are within the range, the newest if there are too many; returns whether
 * there may be more. Where a group cannot be counted whole, and its places are not known either, it is
 * damaged or there is no room for it: so the others are counted with it, and damage is logged once.
 */
const countPartly = Effect.fnUntraced(function* (
  { counting, range, conditions, countSome }: Counted,
  span: GroupSpan
) {
  const { from: oldest, to } = clipped(range, span)
  if (conditions !== undefined || !isDense(span)) {
    const isLast = isWhole(range, span)
    yield* countSome({ from: isLast ? range.from : oldest, to })
    yield* flush(counting)
    return !isLast
  }
  const { store, workspace } = counting
  const from = to + 1 - roomFor(counting, to + 1 - oldest)
  if (from > to) return false
  const starts = yield* store.starts(workspace, framesOfGroup(span.group))
  const places: Array<number> = []
  for (const [at, { number, first }] of starts.entries()) {
    const end = Math.min(to + 1, starts[at + 1]?.first ?? to + 1)
    for (let sequence = Math.max(from, first); sequence < end; sequence++)
      places.push(firstPlace(number) + sequence - first)
  }
  const sequences = Effect.sync(() => Array.from({ length: to + 1 - from }, (_, newer) => to - newer))
  yield* addGroup(counting, span.group, places, sequences)
  return true
})

/** Counts the events that are in no complete group. */
const countNewest = Effect.fnUntraced(function* (
  counted: Counted,
  { sequence: indexed, frames: written }: FramePosition,
  complete: number
) {
  const { counting, range, conditions, countSome } = counted
  if (conditions === undefined) yield* countOpen(counted, groupOf(written), indexed)
  else if (complete < range.to) yield* countSome({ from: Math.max(range.from, complete + 1), to: range.to })
  yield* flush(counting)
})

/** Counts the events of a range of frames, the newest first, as long as there is room and time. */
export const countGroups = Effect.fnUntraced(function* (
  sources: GroupSources,
  counting: Counting,
  range: SequenceRange,
  position: FramePosition,
  conditions: FacetConditions | undefined
) {
  const counted = { ...sources, counting, range, conditions }
  const { store, workspace } = counting
  const open = groupOf(position.frames)
  // Before their postings: see `FacetCache`.
  const complete = (yield* store.groupSpans(workspace)).filter(({ group }) => group < open)
  const spans = complete.filter(({ first, last }) => first <= range.to && last >= range.from).reverse()
  yield* countNewest(counted, position, complete.at(-1)?.last ?? Number.NEGATIVE_INFINITY)
  for (let at = 0; at < spans.length && !counting.isCut; ) {
    const partial = spans.findIndex((span, index) => index >= at && !isWhole(range, span))
    const whole = spans.slice(at, partial < 0 ? spans.length : partial)
    const done = whole.length === 0 ? 0 : yield* countWhole(counted, whole)
    at += done
    const next = spans[at]
    if (done > 0 || next === undefined || !(yield* goesOn(counting))) continue
    at = (yield* countPartly(counted, next)) ? at + 1 : spans.length
  }
})
