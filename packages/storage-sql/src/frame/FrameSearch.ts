/**
 * Finding events by their frames: exactly those that a filter selects and that contain a term, the newest
 * first.
 */
import { TURN_SIZE } from "@cairn/core/encoding"
import {
  type ColumnFilter,
  findInTexts,
  framesOf,
  mayHold,
  partsOf,
  type SearchTerm,
  type SequenceRange,
  wholePart
} from "@cairn/core/log"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { indexOfBytes, openTexts } from "./FrameBlob.ts"
import { eachGroup, type Selected } from "./FrameSelect.ts"
import type { FrameRange, FrameStore, StoredTexts } from "./FrameStore.ts"
import { framesOfGroup, groupOf } from "./FrameWriting.ts"

/** Frames read together, one at first, between which others have their turn: about a millisecond's work. */
const MOST_FRAMES = 8

const DAMAGED =
  "A part of the search index is damaged: its events are read from the log, which takes longer; build the index again"

/** What is looked for, and where. */
export interface FrameQuery {
  readonly store: FrameStore
  readonly workspace: number
  /** Of events that are in frames. */
  readonly range: SequenceRange
  /** Frames written, as far as the range tells. */
  readonly written: number
  readonly filter: ColumnFilter
  readonly term: SearchTerm | undefined
}

/** Events that were found. */
export interface Found {
  readonly count: number
  /** Newest first; read when it is asked for. */
  readonly sequences: Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
  /** Where they are, if all of a complete group was looked at. */
  readonly inGroup?: { readonly group: number; readonly places: Uint16Array }
}

/** The caller of a search. Each method returns whether more is wanted. */
export interface Searcher<E, R> {
  /** Takes events, older than those before. */
  readonly take: (found: Found) => Effect.Effect<boolean, E, R>
  /** Searches the events of a range one by one. */
  readonly read: (range: SequenceRange) => Effect.Effect<boolean, E, R>
  /** Is asked between groups where nothing was found in one; true unless given. */
  readonly goesOn?: Effect.Effect<boolean>
}

const GO_ON = Effect.succeed(true)

/** Everything that frames hold: every event has an action. */
const EVERYTHING: ColumnFilter = {
  conditions: [],
  values: [[{ kind: "action", value: new Uint8Array(), part: "beginning" }]]
}

const foundAt = (sequences: ReadonlyArray<number>): Found => ({
  count: sequences.length,
  sequences: Effect.succeed(sequences)
})

const isWithin = ({ low, high }: FrameRange, number: number): boolean => number >= low && number <= high

/** Those of some frames of one group that may hold a term, the newest first. */
const inGroup = Effect.fnUntraced(function* (
  { store, workspace, written }: FrameQuery,
  group: number,
  range: FrameRange,
  term: SearchTerm
) {
  const { low, high } = framesOfGroup(group)
  if (high >= written) {
    const signatures = yield* store.signatures(workspace, range)
    // A frame without one is in a group that was completed since: it is read.
    return signatures
      .filter(({ signature }) => signature === null || mayHold(signature, term.buckets))
      .map(({ number }) => number)
      .toReversed()
  }
  const parts = new Map(
    (yield* store.parts(workspace, group, partsOf(term))).map(({ index, cells }) => [index, cells])
  )
  return framesOf(term, (index) => wholePart(parts.get(index)))
    .map((frame) => low + frame)
    .filter((number) => isWithin(range, number))
    .toReversed()
})

/**
 * After {@link TURN_SIZE} of texts others have their turn: where a text and a term repeat one letter, a
 * search takes a microsecond a byte, a thousand times as long as usual.
 */
const makeTurns = () => {
  let searched = 0
  return (size: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      searched += size
      if (searched < TURN_SIZE) return Effect.void
      searched = 0
      return Effect.yieldNow
    })
}

/** The events of a frame that contain all texts of a term, newest first; undefined if it is damaged. */
const sequencesOf = Effect.fnUntraced(function* (
  stored: StoredTexts,
  isWanted: (sequence: number) => boolean,
  { texts }: SearchTerm,
  turn: ReturnType<typeof makeTurns>
) {
  const opened = openTexts(stored)
  if (opened === undefined) return undefined
  let found: ReadonlyArray<number> | undefined
  for (const text of texts) {
    const before = found
    const among = before === undefined ? isWanted : (sequence: number) => before.includes(sequence)
    found = findInTexts(opened, text, indexOfBytes).filter(among)
    yield* turn(opened.texts.length)
    if (found.length === 0) break
  }
  return found?.toReversed()
})

/** Tells the operator of the first damage that a search meets: one line, however much there is. */
export const tellOnce = (workspace: number) => {
  let isTold = false
  return (detail: { readonly frame: number } | { readonly group: number }) =>
    Effect.suspend(() => {
      if (isTold) return Effect.void
      isTold = true
      return Effect.logError(DAMAGED).pipe(Effect.annotateLogs({ workspace, ...detail }))
    })
}

/** Searches the events of some consecutive frames, of which something is damaged. */
const readDamaged = Effect.fnUntraced(function* <E, R>(
  { store, workspace, range }: FrameQuery,
  read: Searcher<E, R>["read"],
  frames: FrameRange
) {
  const [start] = yield* store.starts(workspace, frames)
  if (start === undefined) return true
  const { after } = yield* store.neighbours(workspace, frames.high)
  const to = after === undefined ? range.to : Math.min(range.to, after.first - 1)
  return yield* read({ from: Math.max(range.from, start.first), to })
})

/** A query with what it met. */
interface Search<E, R> extends FrameQuery {
  readonly within: FrameRange
  readonly searcher: Searcher<E, R>
  readonly tell: ReturnType<typeof tellOnce>
}

/** Searches some frames, the newest first. */
const searchSome = Effect.fnUntraced(function* <E, R>(
  search: Search<E, R>,
  term: SearchTerm,
  frames: ReadonlyArray<StoredTexts>,
  isWanted: (sequence: number) => boolean
) {
  const { take, read } = search.searcher
  const turn = makeTurns()
  let found: ReadonlyArray<number> = []
  for (const stored of frames) {
    const searched = yield* sequencesOf(stored, isWanted, term, turn)
    if (searched === undefined) {
      if (found.length > 0 && !(yield* take(foundAt(found)))) return false
      found = []
      yield* search.tell({ frame: stored.number })
      if (!(yield* readDamaged(search, read, { low: stored.number, high: stored.number }))) return false
      continue
    }
    found = [...found, ...searched]
  }
  return found.length === 0 || (yield* take(foundAt(found)))
})

/** Events that a filter selects, among which a term is looked for. */
interface Wanted {
  readonly frames: ReadonlySet<number>
  readonly sequences: ReadonlySet<number>
}

/** Searches frames of a group for a term, among events that are wanted; others wait for few at a time. */
const searchGroup = <E, R>(search: Search<E, R>) => {
  const { store, workspace, within, range } = search
  let together = 1
  return Effect.fnUntraced(function* (
    term: SearchTerm,
    group: number,
    frames: FrameRange,
    wanted: Wanted | undefined
  ) {
    const isWanted = (sequence: number): boolean =>
      sequence >= range.from && sequence <= range.to && (wanted?.sequences.has(sequence) ?? true)
    const numbers = (yield* inGroup(search, group, frames, term)).filter(
      (number) => isWithin(within, number) && (wanted?.frames.has(number) ?? true)
    )
    for (let at = 0; at < numbers.length; at += together) {
      together = at === 0 ? together : Math.min(2 * together, MOST_FRAMES)
      const stored = yield* store.texts(workspace, numbers.slice(at, at + together))
      const newest = stored.toSorted((one, other) => other.number - one.number)
      if (!(yield* searchSome(search, term, newest, isWanted))) return false
      yield* Effect.yieldNow
    }
    return true
  })
}

/** Every group of the range, for a term and no other condition. */
const searchEach = Effect.fnUntraced(function* <E, R>(search: Search<E, R>, term: SearchTerm) {
  const inOne = searchGroup(search)
  for (let group = groupOf(search.within.high); group >= groupOf(search.within.low); group--) {
    if (!(yield* inOne(term, group, framesOfGroup(group), undefined))) return
    if (group > groupOf(search.within.low) && !(yield* search.searcher.goesOn ?? GO_ON)) return
  }
})

/** The groups of the range in which the filter selects something. */
const selectEach = <E, R>(search: Search<E, R>) => {
  const { range, term, within, searcher } = search
  const inOne = searchGroup(search)
  const take = Effect.fnUntraced(function* ({ group, range: frames, count, places, sequences }: Selected) {
    const newest = Effect.map(sequences, (all) => all.toReversed())
    // All their events are within the range.
    if (frames.low > within.low && frames.high < within.high)
      return yield* searcher.take({
        count: count ?? 0,
        sequences: newest,
        ...(places === undefined ? {} : { inGroup: { group, places } })
      })
    const some = (yield* newest).filter((sequence) => sequence >= range.from && sequence <= range.to)
    return some.length === 0 || (yield* searcher.take(foundAt(some)))
  })
  return eachGroup(search, search.written, (selected) =>
    Effect.gen(function* () {
      const { count, group, range: frames } = selected
      const goesOn = frames.low <= within.low ? GO_ON : (searcher.goesOn ?? GO_ON)
      if (count === 0) return yield* goesOn
      if (count === undefined) {
        yield* search.tell({ group })
        return yield* readDamaged(search, searcher.read, frames)
      }
      if (term === undefined) return yield* take(selected)
      const sequences = new Set(yield* selected.sequences)
      const isWanted = yield* inOne(term, group, frames, { frames: selected.frames(), sequences })
      return isWanted && (yield* goesOn)
    })
  )
}

/**
 * Gives the events of a range that a filter selects and whose texts contain a term, newest first, in pieces,
 * as long as more are wanted; all of them without either. Costs a few small reads for every 16,384 events,
 * and for every frame that may hold the term, a tenth of a millisecond. The events of what is damaged are
 * read from the log.
 */
export const searchFrames = Effect.fnUntraced(function* <E, R>(query: FrameQuery, searcher: Searcher<E, R>) {
  const { store, workspace, range, term } = query
  const within = yield* store.within(workspace, range)
  if (within === undefined) return
  const search = { ...query, within, searcher, tell: tellOnce(workspace) }
  if (query.filter.values.length > 0) yield* selectEach(search)
  else if (term !== undefined) yield* searchEach(search, term)
  else yield* selectEach({ ...search, filter: EVERYTHING })
})
