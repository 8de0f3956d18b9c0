/** Finding events by their frames: exactly those that contain a term, the newest first. */
import { TURN_SIZE } from "@cairn/core/encoding"
import {
  findInFrame,
  framesOf,
  GROUP_FRAMES,
  mayHold,
  PART_BYTES,
  partsOf,
  type SearchTerm,
  type SequenceRange
} from "@cairn/core/log"
import { Effect } from "effect"
import { indexOfBytes, openFrame } from "./FrameBlob.ts"
import type { FrameRange, FrameStore, StoredFrame } from "./FrameStore.ts"

/** Frames read together, one at first, between which others have their turn: about a millisecond's work. */
const MOST_FRAMES = 8

const DAMAGED =
  "A frame of the search index is damaged: its events are read from the log, which takes longer; build the index again"

const NOTHING = new Uint8Array(PART_BYTES)

/** The frames of one group that may hold a term, the newest first. */
const inGroup = Effect.fnUntraced(function* (
  store: FrameStore,
  workspace: number,
  group: number,
  written: number,
  term: SearchTerm
) {
  const low = group * GROUP_FRAMES
  if (low + GROUP_FRAMES > written) {
    const signatures = yield* store.signatures(workspace, { low, high: written - 1 })
    // A frame without one is in a group that was completed since: it is read.
    return signatures
      .filter(({ signature }) => signature === null || mayHold(signature, term))
      .map(({ number }) => number)
      .toReversed()
  }
  const parts = new Map(
    (yield* store.parts(workspace, group, partsOf(term))).map(({ index, cells }) => [index, cells])
  )
  return framesOf(term, (index) => parts.get(index) ?? NOTHING)
    .map((frame) => low + frame)
    .toReversed()
})

/** The events of a frame that contain a term, newest first; undefined if it is damaged. */
const sequencesOf = (stored: StoredFrame, { from, to }: SequenceRange, term: SearchTerm) => {
  const frame = openFrame(stored)
  if (frame === undefined) return undefined
  const sequences = findInFrame(frame, term, indexOfBytes)
    .filter((sequence) => sequence >= from && sequence <= to)
    .toReversed()
  return { sequences, size: frame.texts.length }
}

/** What is searched, and for what. */
export interface FrameQuery {
  readonly store: FrameStore
  readonly workspace: number
  readonly range: SequenceRange
  readonly term: SearchTerm
}

/** Whoever searches. Each returns whether more is wanted. */
export interface Searcher<E, R> {
  /** Takes sequences of events that contain the term, newest first. */
  readonly take: (sequences: ReadonlyArray<number>) => Effect.Effect<boolean, E, R>
  /** Searches the events of a range one by one. */
  readonly read: (range: SequenceRange) => Effect.Effect<boolean, E, R>
}

const isWithin = ({ low, high }: FrameRange, number: number): boolean => number >= low && number <= high

/** Tells the operator of the first damaged frame that a search meets: one line, however many there are. */
const tellOnce = (workspace: number) => {
  let isTold = false
  return (frame: number) =>
    Effect.suspend(() => {
      if (isTold) return Effect.void
      isTold = true
      return Effect.logError(DAMAGED).pipe(Effect.annotateLogs({ workspace, frame }))
    })
}

/** Searches the events of a frame that is damaged. */
const readDamaged = Effect.fnUntraced(function* <E, R>(
  { store, workspace, range }: FrameQuery,
  read: Searcher<E, R>["read"],
  { number, first }: StoredFrame
) {
  const { after } = yield* store.neighbours(workspace, number)
  const to = after === undefined ? range.to : Math.min(range.to, after.first - 1)
  return yield* read({ from: Math.max(range.from, first), to })
})

/**
 * Searches some frames, the newest first. After {@link TURN_SIZE} of their texts others have their turn:
 * where a text and a term repeat one letter, a search takes a microsecond a byte, a thousand times as long as
 * usual.
 */
const searchSome = Effect.fnUntraced(function* <E, R>(
  query: FrameQuery,
  { take, read }: Searcher<E, R>,
  tell: (frame: number) => Effect.Effect<void>,
  frames: ReadonlyArray<StoredFrame>
) {
  const { range, term } = query
  let found: ReadonlyArray<number> = []
  let size = 0
  for (const frame of frames) {
    const searched = sequencesOf(frame, range, term)
    if (searched === undefined) {
      if (found.length > 0 && !(yield* take(found))) return false
      found = []
      yield* tell(frame.number)
      if (!(yield* readDamaged(query, read, frame))) return false
      continue
    }
    found = [...found, ...searched.sequences]
    size += searched.size
    if (size < TURN_SIZE) continue
    size = 0
    yield* Effect.yieldNow
  }
  return found.length === 0 || (yield* take(found))
})

/**
 * Gives the sequences of a range whose events contain a term, newest first, in pieces, as long as more are
 * wanted. Costs a few small reads for every 16,384 events, and for every frame that may hold the term, a
 * tenth of a millisecond. The events of a frame that is damaged are read from the log.
 */
export const searchFrames = Effect.fnUntraced(function* <E, R>(query: FrameQuery, searcher: Searcher<E, R>) {
  const { store, workspace, range, term } = query
  const within = yield* store.within(workspace, range)
  if (within === undefined) return
  const { frames: written } = yield* store.position(workspace)
  const tell = tellOnce(workspace)
  const last = Math.floor(within.low / GROUP_FRAMES)
  let together = 1
  for (let group = Math.floor(within.high / GROUP_FRAMES); group >= last; group--) {
    const numbers = (yield* inGroup(store, workspace, group, written, term)).filter((number) =>
      isWithin(within, number)
    )
    for (let at = 0; at < numbers.length; at += together) {
      together = at === 0 ? together : Math.min(2 * together, MOST_FRAMES)
      const frames = yield* store.frames(workspace, numbers.slice(at, at + together))
      const newest = frames.toSorted((one, other) => other.number - one.number)
      if (!(yield* searchSome(query, searcher, tell, newest))) return
      yield* Effect.yieldNow
    }
  }
})
