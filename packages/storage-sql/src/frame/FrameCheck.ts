/** Whether frames of the index have what the log has: they are made again, and compared to the byte. */
import {
  FRAME_EVENTS,
  GROUP_FRAMES,
  GROUP_PARTS,
  gramSignature,
  PART_BYTES,
  setFrame,
  type TextEntry,
  textEntries
} from "@cairn/core/log"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { openTexts } from "./FrameBlob.ts"
import type { FrameStore, LogPosition, StoredPart } from "./FrameStore.ts"
import { contentsOf, frameEventsOf } from "./FrameTail.ts"
import { differentValues } from "./FrameValues.ts"

/**
 * Events of all logs together that are compared, some seconds' work: all of a small log, others are picked
 * evenly.
 */
export const EVENTS_CHECKED = 65_536

/** Events read behind the beginning of a frame: its own, and some that another should have. */
const MOST_EVENTS = 2 * FRAME_EVENTS

/** Pause before what seems wrong is looked at again: a removal changes the log, and then the index. */
const AGAIN = "500 millis"

/** The frames of a log that are looked at, of so many: in steps of one length, at a random place of each. */
function* pickedFrames(count: number, wanted: number): Generator<number> {
  const picks = Math.min(count, wanted)
  for (let at = 0; at < picks; at++) {
    yield picks === count ? at : Math.floor(((at + Math.random()) * count) / picks)
  }
}

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

/** The events that a frame has other texts of than the log, or lacks, or has in excess. */
const differentTexts = (
  held: ReadonlyArray<TextEntry>,
  events: ReadonlyArray<TextEntry>
): ReadonlySet<number> => {
  const texts = new Map(held.map(({ sequence, text }) => [sequence, text]))
  const wrong = new Set<number>()
  for (const { sequence, text } of events) {
    const found = texts.get(sequence)
    if (found === undefined || !same(found, text)) wrong.add(sequence)
    texts.delete(sequence)
  }
  return wrong.union(new Set(texts.keys()))
}

/**
 * Whether a frame's signature is that of its texts: its own, or, once it has none, that in its group's parts.
 */
const isSigned = (
  number: number,
  entries: ReadonlyArray<TextEntry>,
  signature: Uint8Array | null,
  parts: ReadonlyArray<StoredPart>
): boolean => {
  const wanted = gramSignature(entries)
  if (signature !== null) return same(signature, wanted)
  const cellsOf = new Map(parts.map(({ index, cells }) => [index, cells]))
  return INDEXES.every((index) => {
    const before = cellsOf.get(index) ?? new Uint8Array(PART_BYTES)
    const after = before.slice()
    setFrame(after, index, number % GROUP_FRAMES, wanted)
    return same(before, after)
  })
}

const INDEXES = Array.from({ length: GROUP_PARTS }, (_, index) => index)

/** A frame, or the number of one, and what was found there. */
interface Look {
  readonly workspace: number
  readonly number: number
  readonly events: number
  /** How many of the events are not found by what they have; null if the frame cannot be read. */
  readonly wrong: number | null
}

/** What is checked. */
export interface CheckedFrames {
  readonly log: SqlClient.SqlClient
  readonly store: FrameStore
  /** How often what seems wrong is looked at before it is: once where all is read in one snapshot. */
  readonly looks: number
}

const lookAtFrames = ({ log, store }: CheckedFrames) => {
  const contents = (workspace: number, from: number, to: number) =>
    contentsOf(log)(workspace, { from, to }, MOST_EVENTS)

  /** What the log has where no frame is: no contents, if all of them were removed. */
  const lookAtGap = Effect.fnUntraced(function* (workspace: number, number: number) {
    const { before, after } = yield* store.neighbours(workspace, number)
    const position = yield* store.position(workspace)
    const [low, high] = [before?.number ?? -1, after?.number ?? position.frames]
    const [held] = before === undefined ? [] : yield* store.texts(workspace, [before.number])
    const [oldest] = yield* log<{ readonly sequence: number | null }>`
      SELECT min(sequence) AS sequence FROM event WHERE workspace = ${workspace}`
    const last = held === undefined ? undefined : openTexts(held)?.sequences.at(-1)
    const from = last === undefined ? (oldest?.sequence ?? 0) : last + 1
    const to = (after?.first ?? position.sequence + 1) - 1
    // As far into the gap as the number is.
    const start = from + Math.floor(((to - from) * (number - low - 1)) / (high - low - 1))
    const rows = yield* contents(workspace, start, to)
    return frameEventsOf(rows).length
  })

  return Effect.fnUntraced(function* (workspace: number, number: number) {
    const nothing: Look = { workspace, number, events: 0, wrong: 0 }
    const position = yield* store.position(workspace)
    // An index that was emptied follows the log again.
    if (number >= position.frames) return nothing
    const [frame] = yield* store.texts(workspace, [number])
    const [stored] = yield* store.columns(workspace, { low: number, high: number })
    if (frame === undefined || stored === undefined) {
      const missing = yield* lookAtGap(workspace, number)
      return { ...nothing, events: missing, wrong: missing }
    }
    const opened = openTexts(frame)
    if (opened === undefined) return { ...nothing, wrong: null }
    const entries = textEntries(opened)
    const { after } = yield* store.neighbours(workspace, number)
    const to = (after?.first ?? position.sequence + 1) - 1
    const events = frameEventsOf(yield* contents(workspace, frame.first, to))
    const values = yield* differentValues({ store, workspace }, { ...stored, last: to }, events)
    if (values === undefined) return { ...nothing, wrong: null }
    const [own] = yield* store.signatures(workspace, { low: number, high: number })
    const parts = yield* store.parts(workspace, Math.floor(number / GROUP_FRAMES), INDEXES)
    const isFound = isSigned(number, entries, own?.signature ?? null, parts)
    const wrong = isFound ? differentTexts(entries, events).union(values).size : entries.length
    return { ...nothing, events: entries.length, wrong }
  })
}

const isWrong = ({ wrong }: Look): boolean => wrong !== 0

/** What the looks at the frames of one log say of it. */
const damagesOf = (id: string, looks: ReadonlyArray<Look>): ReadonlyArray<string> => {
  const events = looks.reduce((sum, look) => sum + look.events, 0)
  const missing = looks.reduce((sum, { wrong }) => sum + (wrong ?? 0), 0)
  return [
    ...(looks.some(({ wrong }) => wrong === null) ? [`a frame of ${id} cannot be read`] : []),
    ...(missing > 0
      ? [`${missing} of ${events} events of ${id} are not found by their words and values`]
      : [])
  ]
}

/**
 * Compares frames of each log, and gives what is wrong with the words of which, and how many events were
 * looked at. Costs a few reads for each of a handful of frames, and of at least one a log.
 */
export const checkFrames = Effect.fnUntraced(function* (checked: CheckedFrames) {
  const { log, store, looks } = checked
  const look = lookAtFrames(checked)
  const positions: ReadonlyArray<LogPosition> = yield* store.positions
  const wanted = Math.max(1, Math.floor(EVENTS_CHECKED / FRAME_EVENTS / Math.max(1, positions.length)))
  let found: ReadonlyArray<Look> = []
  for (const { workspace, frames } of positions)
    for (const number of pickedFrames(frames, wanted)) found = [...found, yield* look(workspace, number)]
  for (let again = 1; again < looks && found.some(isWrong); again++) {
    yield* Effect.sleep(AGAIN)
    found = yield* Effect.forEach(found, (one) =>
      isWrong(one) ? look(one.workspace, one.number) : Effect.succeed(one)
    )
  }
  const damages: Array<string> = []
  for (const [workspace, of] of Map.groupBy(found, (one) => one.workspace)) {
    if (!of.some(isWrong)) continue
    const [row] = yield* log<{ readonly id: string }>`SELECT id FROM workspace WHERE number = ${workspace}`
    damages.push(...damagesOf(row?.id ?? `workspace ${workspace}`, of))
  }
  return { damages, events: found.reduce((sum, { events }) => sum + events, 0) }
})
