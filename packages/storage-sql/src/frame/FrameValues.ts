/** The values that the index has of a frame's events, one by one, to be compared with those of the log. */

import type { FrameEvent } from "@cairn/core/log"
import {
  type ColumnsEntry,
  columnsEntries,
  FRAME_EVENTS,
  groupPostings,
  type OccurrenceOrder,
  occurrenceOrder,
  POSTING_NUMBERS,
  valuesAt
} from "@cairn/core/log"
import { Effect } from "effect"
import { openColumns, openOrder, readPostings } from "./FrameBlob.ts"
import type { StoredColumns, StoredPostings } from "./FrameStore.ts"
import { type FrameWriter, firstPlace, groupOf, newFrame, orderOf } from "./FrameWriting.ts"
import type { OccurrenceSpan } from "./OccurrenceStore.ts"

/** The values of events by their sequences, each as a text. */
type ValuesOf = ReadonlyMap<number, ReadonlySet<string>>

class Values {
  readonly of = new Map<number, Set<string>>()

  add(sequence: number, value: string): void {
    const known = this.of.get(sequence)
    if (known === undefined) this.of.set(sequence, new Set([value]))
    else known.add(value)
  }
}

const addPostings = (
  values: Values,
  { number, first }: StoredColumns,
  postings: Pick<StoredPostings, "number">,
  bytes: Uint8Array
): void => {
  const low = firstPlace(number)
  for (const { value, place } of valuesAt(bytes, low, low + FRAME_EVENTS - 1))
    values.add(first + place - low, `${postings.number} ${Buffer.from(value).toString("hex")}`)
}

const ofEntries = (entries: ReadonlyArray<ColumnsEntry>): ValuesOf => {
  const values = new Values()
  for (const { sequence, createdAt, occurredAt, columns } of entries)
    values.add(
      sequence,
      JSON.stringify([createdAt, occurredAt, columns.targets, { ...columns, targets: null }])
    )
  return values.of
}

/** A frame that is compared. */
interface ComparedFrame extends StoredColumns {
  /** The highest sequence that it may have. */
  readonly last: number
}

const occurred = (occurredAt: number): string => `occurred ${occurredAt}`

/** What the postings of a group, and its order, have of a frame. */
const ofGroup = (
  stored: ComparedFrame,
  postings: ReadonlyArray<StoredPostings>,
  { moments, sequences }: OccurrenceOrder
): ValuesOf | undefined => {
  const values = new Values()
  for (const [at, sequence] of sequences.entries())
    if (sequence >= stored.first && sequence <= stored.last) values.add(sequence, occurred(moments[at] ?? 0))
  for (const one of postings) {
    const isRead = readPostings(one.blob, (bytes) => {
      addPostings(values, stored, one, bytes)
      return true
    })
    if (isRead === undefined) return undefined
  }
  return values.of
}

/** What they should have. */
const expectedOfGroup = (stored: StoredColumns, events: ReadonlyArray<FrameEvent>): ValuesOf => {
  const values = new Values()
  for (const { sequence, occurredAt } of events) values.add(sequence, occurred(occurredAt))
  const columns = openColumns(newFrame(stored, events))
  if (columns === undefined) return values.of
  const place = firstPlace(stored.number)
  for (const blobs of groupPostings([{ place, first: stored.first, columns }]))
    for (const { number, blob } of blobs) addPostings(values, stored, { number }, blob)
  return values.of
}

const sameSet = (one: ReadonlySet<string> | undefined, other: ReadonlySet<string> | undefined): boolean =>
  one !== undefined && other !== undefined && one.symmetricDifference(other).size === 0

const differing = (held: ValuesOf, expected: ValuesOf): ReadonlySet<number> =>
  new Set(
    [...held.keys(), ...expected.keys()].filter(
      (sequence) => !sameSet(held.get(sequence), expected.get(sequence))
    )
  )

/** Whether events are as far apart as is stored beside their order. */
const isSpanOf = (span: OccurrenceSpan | undefined, { moments }: OccurrenceOrder): boolean =>
  span !== undefined && span.earliest === moments.at(0) && span.latest === moments.at(-1)

/**
 * The events of a frame that the index has other values of than the log; undefined if its blobs are damaged.
 * Costs a pass over the postings of the frame's group.
 */
export const differentValues = Effect.fnUntraced(function* (
  { store, workspace }: Pick<FrameWriter, "store" | "workspace">,
  stored: ComparedFrame,
  events: ReadonlyArray<FrameEvent>
) {
  if (stored.columns !== null) {
    const columns = openColumns(stored)
    const [span] = (yield* store.frameSpans(workspace, stored.number)).slice(0, 1)
    if (columns === undefined || !isSpanOf(span, orderOf([{ columns }]))) return undefined
    return differing(ofEntries(columnsEntries(columns)), ofEntries(events))
  }
  const group = groupOf(stored.number)
  const [found] = yield* store.orders(workspace, [group])
  const order = found === undefined ? occurrenceOrder([]) : openOrder(found.blob)
  const span = (yield* store.groupSpans(workspace)).find((one) => one.group === group)
  if (order === undefined || (span !== undefined && !isSpanOf(span, order))) return undefined
  const held = ofGroup(
    stored,
    yield* store.postings(workspace, { low: group, high: group }, POSTING_NUMBERS),
    order
  )
  return held === undefined ? undefined : differing(held, expectedOfGroup(stored, events))
})
