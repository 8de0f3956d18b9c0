/** Writing the frames of a log as it grows. */
import {
  FRAME_EVENTS,
  type FrameEvent,
  GROUP_FRAMES,
  gramSignature,
  groupParts,
  groupPostings,
  NO_GRAMS,
  type OccurrenceOrder,
  occurrenceOrder,
  type PlacedColumns,
  wholeSignature
} from "@cairn/core/log"
import { Effect } from "effect"
import { compressColumns, compressOrder, compressPostings, compressTexts, openColumns } from "./FrameBlob.ts"
import type { FramePosition, FrameRange, FrameStart, FrameStore, NewFrame } from "./FrameStore.ts"
import { frameEventsOf, type ReadContents } from "./FrameTail.ts"

/** What frames are written with. */
export interface FrameWriter {
  readonly store: FrameStore
  readonly readContents: ReadContents
  readonly workspace: number
}

/** The group that a frame is of. */
export const groupOf = (number: number): number => Math.floor(number / GROUP_FRAMES)

/** The frames of a group. */
export const framesOfGroup = (group: number): FrameRange => ({
  low: group * GROUP_FRAMES,
  high: (group + 1) * GROUP_FRAMES - 1
})

/** The place in its group that an event has which has the first sequence of its frame. */
export const firstPlace = (number: number): number => (number % GROUP_FRAMES) * FRAME_EVENTS

/** A frame of some events, of which there is one at least. */
export const newFrame = ({ number, first }: FrameStart, events: ReadonlyArray<FrameEvent>): NewFrame => {
  const since = events[0]?.createdAt ?? 0
  let [earliest, latest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { occurredAt } of events) {
    earliest = Math.min(earliest, occurredAt)
    latest = Math.max(latest, occurredAt)
  }
  return {
    number,
    first,
    since,
    earliest,
    latest,
    texts: compressTexts(first, events),
    columns: compressColumns({ first, since }, events),
    signature: gramSignature(events)
  }
}

/** The events of a frame as the log has them. */
export const eventsAgain = Effect.fnUntraced(function* (
  { store, readContents, workspace }: FrameWriter,
  { number, first }: FrameStart
) {
  const { after } = yield* store.neighbours(workspace, number)
  const position = yield* store.position(workspace)
  const to = Math.min(first + FRAME_EVENTS, after?.first ?? position.sequence + 1) - 1
  return frameEventsOf(yield* readContents(workspace, { from: first, to }, FRAME_EVENTS))
})

/** The columns of the frames of a group; those that are damaged, or gone, are made again from the log. */
const groupColumns = Effect.fnUntraced(function* (writer: FrameWriter, group: number) {
  const frames: Array<PlacedColumns> = []
  for (const stored of yield* writer.store.columns(writer.workspace, framesOfGroup(group))) {
    const columns = openColumns(stored) ?? openColumns(newFrame(stored, yield* eventsAgain(writer, stored)))
    if (columns !== undefined) frames.push({ place: firstPlace(stored.number), first: stored.first, columns })
  }
  return frames
})

/** Writes the postings of a group; others have their turn between its kinds of values. */
export const writeGroupPostings = Effect.fnUntraced(function* (
  { store, workspace }: FrameWriter,
  group: number,
  frames: ReadonlyArray<PlacedColumns>
) {
  for (const blobs of groupPostings(frames)) {
    const postings = blobs.map(({ number, blob }) => ({ group, number, blob: compressPostings(blob) }))
    yield* store.writePostings(workspace, postings)
    yield* Effect.yieldNow
  }
})

/** Writes the order of a group, of which there may be nothing left. */
export const writeOrder = Effect.fnUntraced(function* (
  { store, workspace }: FrameWriter,
  group: number,
  order: OccurrenceOrder
) {
  const { moments, sequences } = order
  const [earliest, latest] = [moments.at(0), moments.at(-1)]
  if (earliest === undefined || latest === undefined) return yield* store.dropOrder(workspace, group)
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const sequence of sequences) {
    first = Math.min(first, sequence)
    last = Math.max(last, sequence)
  }
  const span = { group, first, last, earliest, latest, events: moments.length }
  return yield* store.writeOrder(workspace, { ...span, blob: compressOrder(order) })
})

/** The order of the events of some frames. */
export const orderOf = (frames: ReadonlyArray<Pick<PlacedColumns, "columns">>): OccurrenceOrder =>
  occurrenceOrder(
    frames.flatMap(({ columns: { sequences, occurrences } }) =>
      sequences.map((sequence, event) => ({ sequence, occurredAt: occurrences[event] ?? 0 }))
    )
  )

/** Writes the parts, postings and order of a group, and drops what they are made from. */
const completeGroup = Effect.fnUntraced(function* (writer: FrameWriter, group: number) {
  const { store, workspace } = writer
  const frames = framesOfGroup(group)
  const signatures = new Map(
    (yield* store.signatures(workspace, frames)).map(({ number, signature }) => [number, signature])
  )
  const parts = groupParts(
    Array.from({ length: GROUP_FRAMES }, (_, frame) =>
      wholeSignature(signatures.get(frames.low + frame) ?? NO_GRAMS)
    )
  )
  yield* store.writeParts(
    workspace,
    group,
    parts.map((cells, index) => ({ index, cells }))
  )
  const columns = yield* groupColumns(writer, group)
  yield* writeGroupPostings(writer, group, columns)
  yield* writeOrder(writer, group, orderOf(columns))
  yield* store.closeGroup(workspace, group)
})

/**
 * Writes the next frame, of the events from `first` on that have a content, and the parts and postings of its
 * group if it is the last of one. A frame without an event has no row, but a number.
 */
export const appendFrame = Effect.fnUntraced(function* (
  writer: FrameWriter,
  { frames: number }: FramePosition,
  first: number,
  events: ReadonlyArray<FrameEvent>
) {
  if (events.length > 0) yield* writer.store.writeFrame(writer.workspace, newFrame({ number, first }, events))
  if ((number + 1) % GROUP_FRAMES === 0) yield* completeGroup(writer, groupOf(number))
})
