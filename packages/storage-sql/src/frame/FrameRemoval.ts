/** Removing events from the frames of a log, whose contents are removed: nothing of them may be left. */
import {
  GROUP_PARTS,
  gramSignature,
  type OccurrenceOrder,
  type PlacedColumns,
  POSTING_NUMBERS,
  setFrame,
  type TextEntry,
  textEntries,
  wholePart,
  withoutPlaces,
  withoutSequences
} from "@cairn/core/log"
import { Effect } from "effect"
import {
  compressPostings,
  compressTexts,
  openColumns,
  openOrder,
  openTexts,
  readPostings
} from "./FrameBlob.ts"
import type { StoredPostings, StoredTexts } from "./FrameStore.ts"
import {
  eventsAgain,
  type FrameWriter,
  firstPlace,
  framesOfGroup,
  groupOf,
  newFrame,
  orderOf,
  writeGroupPostings,
  writeOrder
} from "./FrameWriting.ts"
import type { FrameMoments } from "./OccurrenceStore.ts"

/** Frames that a removal reads together, however many it rewrites. */
const FRAMES_AT_ONCE = 8

const INDEXES = Array.from({ length: GROUP_PARTS }, (_, index) => index)

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => one.every((byte, at) => byte === other[at])

/** What is removed from a complete group. */
interface GroupRemoval {
  /** Places of the events. */
  readonly places: Set<number>
  /** The signatures of frames as they are now. */
  readonly signatures: Map<number, Uint8Array>
  /** The frames of the events that these still have, by their sequences. */
  readonly frames: Map<number, number>
}

/** Sets the signatures of frames in the parts of a group; parts that do not change are not written. */
const updateParts = Effect.fnUntraced(function* (
  { store, workspace }: FrameWriter,
  group: number,
  { signatures }: GroupRemoval
) {
  const stored = new Map(
    (yield* store.parts(workspace, group, INDEXES)).map(({ index, cells }) => [index, cells])
  )
  const { low } = framesOfGroup(group)
  const changed = INDEXES.flatMap((index) => {
    const before = stored.get(index)
    const cells = wholePart(before).slice()
    for (const [number, signature] of signatures) setFrame(cells, index, number - low, signature)
    return before?.length === cells.length && sameBytes(before, cells) ? [] : [{ index, cells }]
  })
  yield* store.writeParts(workspace, group, changed)
})

/** Makes the columns of a group again from the log. */
const columnsAgain = Effect.fnUntraced(function* (
  writer: FrameWriter,
  group: number,
  removed: ReadonlySet<number>
) {
  const { store, workspace } = writer
  const frames: Array<PlacedColumns> = []
  for (const start of yield* store.starts(workspace, framesOfGroup(group))) {
    const events = (yield* eventsAgain(writer, start)).filter(({ sequence }) => !removed.has(sequence))
    const columns = events.length === 0 ? undefined : openColumns(newFrame(start, events))
    if (columns !== undefined) frames.push({ place: firstPlace(start.number), first: start.first, columns })
  }
  return frames
})

/** Makes the postings of a group again from the log. */
const postingsAgain = Effect.fnUntraced(function* (
  writer: FrameWriter,
  group: number,
  removed: ReadonlySet<number>
) {
  const frames = yield* columnsAgain(writer, group, removed)
  yield* writer.store.dropPostings(writer.workspace, group, POSTING_NUMBERS)
  yield* writeGroupPostings(writer, group, frames)
})

/** Takes events out of the order of a group, and returns what is left; one that is damaged is made again. */
const updateOrder = Effect.fnUntraced(function* (
  writer: FrameWriter,
  group: number,
  removed: ReadonlySet<number>
) {
  const [stored] = yield* writer.store.orders(writer.workspace, [group])
  const order = stored && openOrder(stored.blob)
  const left =
    order === undefined
      ? orderOf(yield* columnsAgain(writer, group, removed))
      : withoutSequences(order, removed)
  if (left.moments.length !== order?.moments.length) yield* writeOrder(writer, group, left)
  return left
})

/** Sets when the first and the last event of frames occurred, by the order of their group. */
const updateSpans = Effect.fnUntraced(function* (
  { store, workspace }: FrameWriter,
  { frames }: GroupRemoval,
  { moments, sequences }: OccurrenceOrder
) {
  const spans = new Map<number, FrameMoments>()
  for (const [at, latest] of moments.entries()) {
    const number = frames.get(sequences[at] ?? 0)
    if (number === undefined) continue
    spans.set(number, { number, earliest: spans.get(number)?.earliest ?? latest, latest })
  }
  for (const span of spans.values()) yield* store.writeMoments(workspace, span)
})

/** Takes places out of all postings of a group; where one is damaged, all of them are made again. */
const updatePostings = Effect.fnUntraced(function* (
  writer: FrameWriter,
  group: number,
  { places }: GroupRemoval,
  removed: ReadonlySet<number>
) {
  const { store, workspace } = writer
  const gone: Array<number> = []
  const changed: Array<StoredPostings> = []
  for (const { number, blob } of yield* store.postings(
    workspace,
    { low: group, high: group },
    POSTING_NUMBERS
  )) {
    const update = readPostings(blob, (postings) => {
      const left = withoutPlaces(postings, places)
      return { left, isSame: left === postings }
    })
    if (update === undefined) return yield* postingsAgain(writer, group, removed)
    if (update.left === undefined) gone.push(number)
    else if (!update.isSame) changed.push({ group, number, blob: compressPostings(update.left) })
  }
  yield* store.dropPostings(workspace, group, gone)
  yield* store.writePostings(workspace, changed)
})

/** The entries of stored texts; of damaged ones, made again from the log. */
const entriesOf = Effect.fnUntraced(function* (writer: FrameWriter, stored: StoredTexts) {
  const opened = openTexts(stored)
  if (opened !== undefined) return { entries: textEntries(opened), isSound: true }
  const entries: ReadonlyArray<TextEntry> = yield* eventsAgain(writer, stored)
  return { entries, isSound: false }
})

/**
 * Takes events out of the index, as far as they are in it: nothing of them is left, also not in signatures,
 * postings and orders, nor in a blob that is damaged. Costs a frame for each that holds one, and a pass over
 * the parts and postings of each group, some 2 MB.
 */
export const removeFromFrames = Effect.fnUntraced(function* (
  writer: FrameWriter,
  sequences: ReadonlyArray<number>
) {
  const { store, workspace } = writer
  const removed = new Set(sequences)
  const { frames: written } = yield* store.position(workspace)
  const numbers = new Set<number>()
  for (const sequence of sequences) {
    const within = yield* store.within(workspace, { from: sequence, to: sequence })
    if (within !== undefined) numbers.add(within.high)
  }
  const groups = new Map<number, GroupRemoval>()

  const rewriteComplete = Effect.fnUntraced(function* (
    stored: StoredTexts,
    entries: ReadonlyArray<TextEntry>,
    left: ReadonlyArray<TextEntry>
  ) {
    const { number, first } = stored
    const removal = groups.get(groupOf(number)) ?? {
      places: new Set(),
      signatures: new Map(),
      frames: new Map()
    }
    groups.set(groupOf(number), removal)
    removal.signatures.set(number, gramSignature(left))
    for (const { sequence } of left) removal.frames.set(sequence, number)
    for (const { sequence } of entries)
      if (removed.has(sequence)) removal.places.add(firstPlace(number) + sequence - first)
    yield* left.length === 0
      ? store.dropFrame(workspace, number)
      : store.writeTexts(workspace, { number, first, texts: compressTexts(first, left) })
  })

  const rewrite = Effect.fnUntraced(function* (stored: StoredTexts) {
    const { entries, isSound } = yield* entriesOf(writer, stored)
    const left = entries.filter(({ sequence }) => !removed.has(sequence))
    if (isSound && left.length === entries.length) return
    const isComplete = framesOfGroup(groupOf(stored.number)).high < written
    if (isComplete) return yield* rewriteComplete(stored, entries, left)
    const events = (yield* eventsAgain(writer, stored)).filter(({ sequence }) => !removed.has(sequence))
    yield* events.length === 0
      ? store.dropFrame(workspace, stored.number)
      : store.writeFrame(workspace, newFrame(stored, events))
  })

  const touched = [...numbers]
  for (let at = 0; at < touched.length; at += FRAMES_AT_ONCE)
    for (const stored of yield* store.texts(workspace, touched.slice(at, at + FRAMES_AT_ONCE)))
      yield* rewrite(stored)
  for (const [group, removal] of groups) {
    yield* updateParts(writer, group, removal)
    yield* updatePostings(writer, group, removal, removed)
    yield* updateSpans(writer, removal, yield* updateOrder(writer, group, removed))
  }
})
