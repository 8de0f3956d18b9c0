/** What holds the events of a log in the order of occurrence: complete groups, and frames of the last one. */
import { type OccurrenceOrder, occurrenceOrder, type SequenceRange } from "@cairn/core/log"
import { Effect } from "effect"
import { openColumns, openOrder } from "./FrameBlob.ts"
import type { FramePosition, FrameStore } from "./FrameStore.ts"
import { framesOfGroup, groupOf, orderOf } from "./FrameWriting.ts"
import type { OccurrenceSpan } from "./OccurrenceStore.ts"

/** Events whose order is stored together. */
export interface OccurrenceUnit extends OccurrenceSpan {
  /** Its place among the units by their sequences. */
  readonly index: number
  /** The highest sequence that it may have. */
  readonly last: number
  /** How many events it has; undefined where that is not stored. */
  readonly events: number | undefined
  readonly group: number
  /** The frame; undefined for a complete group. */
  readonly frame: number | undefined
}

/** The units of a log whose index has come so far, in the order of their sequences. */
export const unitsOf = Effect.fnUntraced(function* (
  store: FrameStore,
  workspace: number,
  { sequence: indexed, frames: written }: FramePosition
) {
  const open = groupOf(written)
  // What was completed since is read as its frames.
  const groups = (yield* store.groupSpans(workspace)).filter(({ group }) => group < open)
  const spans = yield* store.frameSpans(workspace, framesOfGroup(open).low)
  const frames = spans.filter(({ number }) => number < written)
  const units = [
    ...groups.map((span) => ({ ...span, frame: undefined })),
    ...frames.map((span, at) => ({
      ...span,
      last: (frames[at + 1]?.first ?? indexed + 1) - 1,
      events: undefined,
      group: open,
      frame: span.number
    }))
  ]
  return units.map((unit, index): OccurrenceUnit => ({ ...unit, index }))
})

/** The part of an order that is within a range. */
const within = (order: OccurrenceOrder, { from, to }: SequenceRange): OccurrenceOrder => {
  const isWithin = (_: number, at: number): boolean => {
    const sequence = order.sequences[at] ?? 0
    return sequence >= from && sequence <= to
  }
  return { moments: order.moments.filter(isWithin), sequences: order.sequences.filter(isWithin) }
}

const NOTHING = occurrenceOrder([])

/** The orders of complete groups; undefined for one that is damaged. */
const ordersOf = (store: FrameStore, workspace: number, groups: ReadonlyArray<number>) =>
  Effect.map(
    store.orders(workspace, groups),
    (stored) => new Map(stored.map(({ group, blob }) => [group, openOrder(blob)]))
  )

/** The orders of frames by their numbers; undefined for one that is damaged. */
const ordersOfFrames = Effect.fnUntraced(function* (
  store: FrameStore,
  workspace: number,
  units: ReadonlyArray<OccurrenceUnit>
) {
  const orders = new Map<number, OccurrenceOrder | undefined>()
  const numbers = units.flatMap(({ frame }) => frame ?? [])
  if (numbers.length === 0) return orders
  const range = { low: Math.min(...numbers), high: Math.max(...numbers) }
  const stored = new Map((yield* store.columns(workspace, range)).map((one) => [one.number, one]))
  for (const { frame = 0, group, first, last } of units) {
    const one = stored.get(frame)
    if (one === undefined) continue
    if (one.columns === null) {
      // Its group was completed meanwhile.
      const order = (yield* ordersOf(store, workspace, [group])).get(group)
      orders.set(frame, order && within(order, { from: first, to: last }))
      continue
    }
    const columns = openColumns(one)
    orders.set(frame, columns && orderOf([{ columns }]))
  }
  return orders
})

/** The orders of units; undefined for one that is damaged. */
export const readOrders = Effect.fnUntraced(function* (
  store: FrameStore,
  workspace: number,
  units: ReadonlyArray<OccurrenceUnit>
) {
  const groups = units.filter(({ frame }) => frame === undefined)
  const frames = units.filter(({ frame }) => frame !== undefined)
  const ofGroups = yield* ordersOf(
    store,
    workspace,
    groups.map(({ group }) => group)
  )
  const ofFrames = yield* ordersOfFrames(store, workspace, frames)
  return units.map(({ group, frame }) => {
    const [orders, number] = frame === undefined ? [ofGroups, group] : [ofFrames, frame]
    return orders.has(number) ? orders.get(number) : NOTHING
  })
})
