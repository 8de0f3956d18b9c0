/**
 * Counting the values of a field in the events that no frame has yet. What is counted of a block is kept: it
 * changes only when the log grows, or events of it are removed, which its block says, see `OccurrenceTail`.
 */
import { FacetTally } from "@cairn/core/log"
import { Effect } from "effect"
import type { FacetCache } from "./FacetCache.ts"
import { addContents, type Counting, goesOn, roomFor } from "./FacetCounting.ts"
import type { TailBlock } from "./KeptTails.ts"
import type { OccurrenceSelection } from "./OccurrenceSelect.ts"
import { BLOCK_EVENTS, eachBlock } from "./OccurrenceTail.ts"

/** Complete blocks whose counts are kept together, as those of a group are. */
const BLOCKS_TOGETHER = 16

/** A block all of whose selected events are counted. */
interface CountedBlock {
  readonly block: TailBlock
  readonly tally: FacetTally
}

/** What blocks are counted with. */
export interface TailCounting {
  readonly counting: Counting
  readonly cache: FacetCache
  /** Tells the conditions of the filter from others. */
  readonly conditions: string
  /** What is not in the tally yet, the newest first. */
  readonly blocks: Array<CountedBlock>
}

/** The name of the counts of some blocks. */
const keyOf = ({ counting, conditions }: TailCounting, blocks: ReadonlyArray<TailBlock>): string => {
  const removed = blocks.reduce((sum, block) => sum + block.removed, 0)
  const { workspace, query } = counting
  return [workspace, query.field, "tail", blocks.at(-1)?.from, blocks[0]?.to, removed, conditions].join(" ")
}

/** The counts of all that is selected of a block, if they are kept, or there is time for them. */
const blockTally = Effect.fnUntraced(function* (tail: TailCounting, block: TailBlock) {
  const { counting, cache } = tail
  const { sequences } = block.order
  const key = keyOf(tail, [block])
  const kept = cache.get(key)
  if (kept !== undefined) return kept.tally
  if (!(yield* goesOn(counting))) return undefined
  const tally = new FacetTally()
  yield* addContents({ ...counting, tally }, [...sequences.toSorted().reverse()])
  cache.set(key, { tally, events: sequences.length, from: block.from })
  return tally
})

const isComplete = ({ from, to }: TailBlock): boolean => to - from === BLOCK_EVENTS - 1

/** Which blocks are kept together with a block. */
const togetherOf = ({ from }: TailBlock): number => Math.floor(from / (BLOCK_EVENTS * BLOCKS_TOGETHER))

/** Adds the counts of some blocks, which are kept together where all of those are complete. */
const addTogether = (tail: TailCounting, some: ReadonlyArray<CountedBlock>): void => {
  const { counting, cache } = tail
  if (some.length < BLOCKS_TOGETHER || !some.every(({ block }) => isComplete(block))) {
    for (const { tally } of some) counting.tally.addAll(tally)
    return
  }
  const blocks = some.map(({ block }) => block)
  const key = keyOf(tail, blocks)
  const kept = cache.get(key)
  const together = kept?.tally ?? new FacetTally()
  if (kept === undefined) {
    for (const { tally } of some) together.addAll(tally)
    together.merge()
    const events = blocks.reduce((sum, { order }) => sum + order.sequences.length, 0)
    cache.set(key, { tally: together, events, from: blocks.at(-1)?.from ?? 0 })
  }
  counting.tally.addAll(together)
}

/** Adds the counts of the blocks that were counted whole. */
export const flushBlocks = Effect.fnUntraced(function* (tail: TailCounting) {
  const blocks = tail.blocks.splice(0)
  for (const some of Map.groupBy(blocks, ({ block }) => togetherOf(block)).values()) {
    addTogether(tail, some)
    yield* Effect.yieldNow
  }
})

/**
 * Counts so many of the selected events of a block, the newest if there is no room for all of them, as long
 * as there is time; those are given by their sequences, the newest first. What is kept takes none. Returns
 * whether more are wanted.
 */
export const addOfBlock = Effect.fnUntraced(function* (
  tail: TailCounting,
  block: TailBlock,
  count: number,
  newest: () => ReadonlyArray<number>
) {
  const { counting } = tail
  if (count === 0) return true
  const isWhole = count === block.order.sequences.length && counting.events + count <= counting.query.most
  if (isWhole) {
    const tally = yield* blockTally(tail, block)
    if (tally === undefined) return false
    tail.blocks.push({ block, tally })
    roomFor(counting, count)
    return true
  }
  yield* flushBlocks(tail)
  if (!(yield* goesOn(counting))) return false
  yield* addContents(counting, newest().slice(0, roomFor(counting, count)))
  return !counting.isCut
})

/**
 * Counts what is selected behind the last sequence that a frame has, as long as there is room and time;
 * returns whether all was counted.
 */
export const countTail = Effect.fnUntraced(function* (
  tail: TailCounting,
  selection: OccurrenceSelection,
  indexed: number
) {
  const { counting } = tail
  const [from, to] = [Math.max(selection.range.from, indexed + 1), selection.range.to]
  const isAll = yield* eachBlock(
    selection,
    indexed,
    (isKept) => (isKept ? Effect.succeed(true) : goesOn(counting)),
    (block) => {
      const { sequences } = block.order
      const isWhole = block.from >= from && block.to <= to
      const wanted = isWhole ? sequences : sequences.filter((sequence) => sequence >= from && sequence <= to)
      return addOfBlock(tail, block, wanted.length, () => [...wanted.toSorted().reverse()])
    }
  )
  yield* flushBlocks(tail)
  return isAll
})
