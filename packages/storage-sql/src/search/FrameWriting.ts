/** Writing the frames of a log: as it grows, and anew where contents are removed. */
import {
  FRAME_EVENTS,
  type FrameEntry,
  GROUP_FRAMES,
  GROUP_PARTS,
  groupParts,
  PART_BYTES,
  setFrame,
  signatureOf
} from "@cairn/core/log"
import { Effect } from "effect"
import { compressFrame, readFrame } from "./FrameBlob.ts"
import type { FramePosition, FrameStore, StoredFrame } from "./FrameStore.ts"
import { frameEntriesOf, type ReadContents } from "./FrameTail.ts"

const EMPTY_SIGNATURE = signatureOf([])

/** Frames that a removal reads together, however many it writes anew. */
const FRAMES_AT_ONCE = 8

/**
 * Writes the next frame, of the events from `first` on that have a content, and the parts of its group if it
 * is the last of one. A frame without an event has no row, but a number.
 */
export const appendFrame = Effect.fnUntraced(function* (
  store: FrameStore,
  workspace: number,
  { frames: number }: FramePosition,
  first: number,
  entries: ReadonlyArray<FrameEntry>
) {
  const signature = signatureOf(entries)
  if (entries.length > 0) {
    const blob = compressFrame(first, entries)
    yield* store.writeFrame(workspace, { number, first, blob }, signature)
  }
  if ((number + 1) % GROUP_FRAMES !== 0) return
  const low = number + 1 - GROUP_FRAMES
  const signatures = new Map(
    (yield* store.signatures(workspace, { low, high: number })).map((stored) => [
      stored.number,
      stored.signature
    ])
  )
  const parts = groupParts(
    Array.from({ length: GROUP_FRAMES }, (_, frame) => signatures.get(low + frame) ?? EMPTY_SIGNATURE)
  )
  yield* store.writeParts(
    workspace,
    Math.floor(number / GROUP_FRAMES),
    parts.map((cells, index) => ({ index, cells }))
  )
})

/** The entries of a frame; one that is damaged is made again from the log. */
const entriesOf = Effect.fnUntraced(function* (
  store: FrameStore,
  readContents: ReadContents,
  workspace: number,
  frame: StoredFrame
) {
  const entries = readFrame(frame)
  if (entries !== undefined) return { entries, isSound: true }
  const { after } = yield* store.neighbours(workspace, frame.number)
  const position = yield* store.position(workspace)
  const range = { from: frame.first, to: (after?.first ?? position.sequence + 1) - 1 }
  return { entries: frameEntriesOf(yield* readContents(workspace, range, FRAME_EVENTS)), isSound: false }
})

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => one.every((byte, at) => byte === other[at])

/** Sets the signatures of frames in a complete group; parts that do not change are not written. */
const updateGroup = Effect.fnUntraced(function* (
  store: FrameStore,
  workspace: number,
  group: number,
  signatures: ReadonlyMap<number, Uint8Array>
) {
  const indexes = Array.from({ length: GROUP_PARTS }, (_, index) => index)
  const stored = new Map(
    (yield* store.parts(workspace, group, indexes)).map(({ index, cells }) => [index, cells])
  )
  const changed = indexes.flatMap((index) => {
    const before = stored.get(index)
    const cells = before?.slice() ?? new Uint8Array(PART_BYTES)
    for (const [number, signature] of signatures) setFrame(cells, index, number % GROUP_FRAMES, signature)
    return before !== undefined && sameBytes(before, cells) ? [] : [{ index, cells }]
  })
  yield* store.writeParts(workspace, group, changed)
})

/**
 * Takes events out of the index, as far as they are in it: nothing of their texts is left, also not in the
 * signatures, nor in a frame that is damaged. Costs a frame for each that holds one, and a pass over the 512
 * KiB of each group.
 */
export const removeFromFrames = Effect.fnUntraced(function* (
  store: FrameStore,
  readContents: ReadContents,
  workspace: number,
  sequences: ReadonlyArray<number>
) {
  const removed = new Set(sequences)
  const { frames: written } = yield* store.position(workspace)
  const numbers = new Set<number>()
  for (const sequence of sequences) {
    const within = yield* store.within(workspace, { from: sequence, to: sequence })
    if (within !== undefined) numbers.add(within.high)
  }
  const groups = new Map<number, Map<number, Uint8Array>>()
  const rewrite = Effect.fnUntraced(function* (frame: StoredFrame) {
    const { entries, isSound } = yield* entriesOf(store, readContents, workspace, frame)
    const left = entries.filter(({ sequence }) => !removed.has(sequence))
    if (isSound && left.length === entries.length) return
    const { number, first } = frame
    const group = Math.floor(number / GROUP_FRAMES)
    const isGrouped = (group + 1) * GROUP_FRAMES <= written
    const signature = signatureOf(left)
    if (isGrouped) groups.set(group, (groups.get(group) ?? new Map()).set(number, signature))
    if (left.length === 0) yield* store.dropFrame(workspace, number)
    else {
      const blob = compressFrame(first, left)
      yield* store.writeFrame(workspace, { number, first, blob }, isGrouped ? null : signature)
    }
  })
  const touched = [...numbers]
  for (let at = 0; at < touched.length; at += FRAMES_AT_ONCE)
    for (const frame of yield* store.frames(workspace, touched.slice(at, at + FRAMES_AT_ONCE)))
      yield* rewrite(frame)
  for (const [group, signatures] of groups) yield* updateGroup(store, workspace, group, signatures)
})
