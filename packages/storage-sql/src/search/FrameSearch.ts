/** Finding events by their frames: exactly those that contain a term, the newest first. */
import {
  decodeFrame,
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
import { decompressFrame, indexOfBytes } from "./FrameBlob.ts"
import type { FrameRange, FrameStore, StoredFrame } from "./FrameStore.ts"

/** Frames read together, one at first, between which others have their turn: about a millisecond's work. */
const MOST_FRAMES = 8

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

const sequencesOf = (
  { first, blob }: StoredFrame,
  { from, to }: SequenceRange,
  term: SearchTerm
): ReadonlyArray<number> =>
  findInFrame(decodeFrame(first, decompressFrame(blob)), term, indexOfBytes)
    .filter((sequence) => sequence >= from && sequence <= to)
    .toReversed()

const isWithin = ({ low, high }: FrameRange, number: number): boolean => number >= low && number <= high

/**
 * Gives the sequences of a range whose events contain a term, newest first, in pieces, as long as `take`
 * wants more. Costs a few small reads for every 16,384 events, and for every frame that may hold the term, a
 * tenth of a millisecond.
 */
export const searchFrames = Effect.fnUntraced(function* <E, R>(
  store: FrameStore,
  workspace: number,
  range: SequenceRange,
  term: SearchTerm,
  take: (sequences: ReadonlyArray<number>) => Effect.Effect<boolean, E, R>
) {
  const within = yield* store.within(workspace, range)
  if (within === undefined) return
  const { frames: written } = yield* store.position(workspace)
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
      const sequences = newest.flatMap((frame) => sequencesOf(frame, range, term))
      if (sequences.length > 0 && !(yield* take(sequences))) return
      yield* Effect.yieldNow
    }
  }
})
