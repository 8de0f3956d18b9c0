/** The values that the index has of a frame's events, one by one, to be compared with those of the log. */

import type { FrameEvent } from "@cairn/core/log"
import {
  type ColumnsEntry,
  columnsEntries,
  FRAME_EVENTS,
  groupPostings,
  POSTING_NUMBERS,
  valuesAt
} from "@cairn/core/log"
import { Effect } from "effect"
import { openColumns, readPostings } from "./FrameBlob.ts"
import type { StoredColumns, StoredPostings } from "./FrameStore.ts"
import { type FrameWriter, firstPlace, groupOf, newFrame } from "./FrameWriting.ts"

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
  for (const { sequence, createdAt, columns } of entries)
    values.add(sequence, JSON.stringify([createdAt, columns.targets, { ...columns, targets: null }]))
  return values.of
}

/** What the postings of a group have of a frame. */
const ofPostings = (stored: StoredColumns, postings: ReadonlyArray<StoredPostings>): ValuesOf | undefined => {
  const values = new Values()
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
const expectedPostings = (stored: StoredColumns, events: ReadonlyArray<FrameEvent>): ValuesOf => {
  const values = new Values()
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

/**
 * The events of a frame that the index has other values of than the log; undefined if its blobs are damaged.
 * Costs a pass over the postings of the frame's group.
 */
export const differentValues = Effect.fnUntraced(function* (
  { store, workspace }: Pick<FrameWriter, "store" | "workspace">,
  stored: StoredColumns,
  events: ReadonlyArray<FrameEvent>
) {
  if (stored.columns !== null) {
    const columns = openColumns(stored)
    return columns === undefined
      ? undefined
      : differing(ofEntries(columnsEntries(columns)), ofEntries(events))
  }
  const group = groupOf(stored.number)
  const held = ofPostings(
    stored,
    yield* store.postings(workspace, { low: group, high: group }, POSTING_NUMBERS)
  )
  return held === undefined ? undefined : differing(held, expectedPostings(stored, events))
})
