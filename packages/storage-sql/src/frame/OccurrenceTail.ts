/**
 * The events of a log that no frame has yet, in the order of occurrence. They are read once for a filter, and
 * what it selects of them is kept as long as they wait for the index: the next request reads only what was
 * recorded since.
 *
 * It is kept for blocks of {@link BLOCK_EVENTS} sequences. Events are only appended, and what is removed does
 * not come back: so a block is still that of the same events if the log has the last event that was seen, and
 * as many of the block have no content, whichever process removed them. Both are read first, and the contents
 * after them.
 */
import { type Occurrence, type OccurrenceOrder, occurrenceOrder } from "@cairn/core/log"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { KeptTail, KeptTails, TailBlock } from "./KeptTails.ts"
import { addRows, type OccurrenceSelection } from "./OccurrenceSelect.ts"

/** Sequences of a block. Its number is a sequence without its lowest ten bits. */
export const BLOCK_EVENTS = 1_024

type Failure = SqlError.SqlError | Schema.SchemaError

/** The part of a selection that no frame has. */
export interface OccurrenceTail {
  /** Those that were looked at, the newest by their recording first. */
  readonly blocks: ReadonlyArray<TailBlock>
  /** Whether there are others. */
  readonly isCut: boolean
}

const blockOf = (sequence: number): number => Math.floor(sequence / BLOCK_EVENTS)

const joined = ({ moments, sequences }: OccurrenceOrder, more: ReadonlyArray<Occurrence>): OccurrenceOrder =>
  more.length === 0
    ? { moments, sequences }
    : occurrenceOrder([
        ...Array.from(sequences, (sequence, at) => ({ sequence, occurredAt: moments[at] ?? 0 })),
        ...more
      ])

/** A block whose sequences up to `to` are looked at, of which those of `known` were before. */
const readBlock = Effect.fnUntraced(function* (
  selection: OccurrenceSelection,
  known: TailBlock | undefined,
  { from, to, removed }: Pick<TailBlock, "from" | "to" | "removed">
): Effect.fn.Return<TailBlock, Failure> {
  const places: Array<Occurrence> = []
  const lowest = yield* addRows(
    { ...selection, add: (place) => places.push(place) > 0 },
    selection.conditions,
    { from: known === undefined ? from : known.to + 1, to }
  )
  return known === undefined
    ? { from, to, removed, lowest: lowest ?? to + 1, order: occurrenceOrder(places) }
    : { ...known, to, order: joined(known.order, places) }
})

/** Whether what is kept of a block is of the events that it has now, as far as it was looked at. */
const isOfSame = (known: TailBlock, from: number, removed: number): boolean =>
  known.from <= from && known.removed === removed

/** A block as it is now: of what is kept, only what follows it is read. */
const blockAt = (
  selection: OccurrenceSelection,
  tails: KeptTails,
  tail: KeptTail,
  number: number,
  now: Pick<TailBlock, "from" | "to" | "removed">
) =>
  tail.turn.withPermit(
    Effect.gen(function* () {
      const kept = tail.blocks.get(number)
      const known = kept !== undefined && isOfSame(kept, now.from, now.removed) ? kept : undefined
      if (known !== undefined && known.to >= now.to) return known
      const block = yield* readBlock(selection, known, now)
      tails.set(tail, number, block)
      return block
    })
  )

/** Prepares what is kept of a filter; returns the last sequence of the log, undefined if it has none. */
const lastOf = Effect.fnUntraced(function* (
  { rows, workspace, tails }: OccurrenceSelection,
  tail: KeptTail,
  indexed: number
) {
  const { seen } = tail
  const end = yield* rows.end(workspace, seen.sequence)
  const isSame = end?.seen_at === seen.createdAt
  for (const [number, { to }] of [...tail.blocks]) if (!isSame || to <= indexed) tails.drop(tail, number)
  if (end === undefined) return undefined
  if (!isSame || end.sequence > tail.seen.sequence)
    tail.seen = { sequence: end.sequence, createdAt: end.created_at }
  return end.sequence
})

/**
 * Gives what is selected behind the last sequence that a frame has, the newest blocks by their recording
 * first, as long as `take` wants more, and `goesOn`, which is asked before a block is looked at and told
 * whether it is kept. Returns whether all was given.
 */
export const eachBlock = Effect.fnUntraced(function* (
  selection: OccurrenceSelection,
  indexed: number,
  goesOn: (isKept: boolean) => Effect.Effect<boolean>,
  take: (block: TailBlock) => Effect.Effect<boolean, Failure>
): Effect.fn.Return<boolean, Failure> {
  const { rows, workspace, range, conditions, tails } = selection
  const tail = tails.of(workspace, conditions)
  const last = yield* lastOf(selection, tail, indexed)
  const oldest = Math.max(range.from, indexed + 1)
  if (last === undefined || last < oldest) return true
  const removed = yield* rows.removedIn(workspace, { from: blockOf(oldest) * BLOCK_EVENTS, to: last })
  for (let high = Math.min(last, range.to); high >= oldest; ) {
    const number = blockOf(high)
    const begin = number * BLOCK_EVENTS
    if (!(yield* goesOn(tail.blocks.has(number)))) return false
    const block = yield* blockAt(selection, tails, tail, number, {
      from: Math.max(begin, indexed + 1),
      to: Math.min(begin + BLOCK_EVENTS - 1, last),
      removed: removed.get(number) ?? 0
    })
    if (!(yield* take(block))) return false
    // There may be none between the history before the chain and the chain.
    high = block.lowest <= begin ? begin - 1 : ((yield* rows.lastBefore(workspace, begin)) ?? oldest - 1)
  }
  return true
})

/**
 * What is selected behind the last sequence that a frame has, as long as `goesOn`, which is asked before a
 * block is read that is not kept.
 */
export const readTail = Effect.fnUntraced(function* (
  selection: OccurrenceSelection,
  indexed: number,
  goesOn: Effect.Effect<boolean>
): Effect.fn.Return<OccurrenceTail, Failure> {
  const blocks: Array<TailBlock> = []
  const isWhole = yield* eachBlock(
    selection,
    indexed,
    (isKept) => (isKept ? Effect.succeed(true) : goesOn),
    (block) => Effect.succeed(blocks.push(block) > 0)
  )
  return { blocks, isCut: !isWhole }
})
