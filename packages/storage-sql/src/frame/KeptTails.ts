/** What filters select of the events that no frame has yet, as it is kept. */
import type { Micros } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import type { OccurrenceOrder } from "@cairn/core/log"
import { Context, Semaphore } from "effect"

/** What may be kept, in bytes; none in tests of what is read. */
export const KeptTailBytes = Context.Reference<number>("@cairn/storage-sql/KeptTailBytes", {
  defaultValue: () => 32 * 1024 * 1024
})

/** The events of a block that a filter selects. */
export interface TailBlock {
  /** The sequences that were looked at, both included. */
  readonly from: number
  readonly to: number
  /** The lowest of them that has an event with a content; `to` and one more for none. */
  readonly lowest: number
  /** How many events of the block had no content. */
  readonly removed: number
  readonly order: OccurrenceOrder
}

/** What is kept for a filter. */
export interface KeptTail {
  readonly key: string
  readonly blocks: Map<number, TailBlock>
  /** Held while a block is read: others wait, and find it then. */
  readonly turn: Semaphore.Semaphore
  /** The last event that was seen. */
  seen: { readonly sequence: number; readonly createdAt: Micros.Micros }
}

/** What takes memory, in bytes: an event, a block and a tail beside what they have. */
const EVENT_BYTES = 16
const BLOCK_BYTES = 500
const TAIL_BYTES = 1_000

const sizeOf = ({ order }: TailBlock): number => BLOCK_BYTES + EVENT_BYTES * order.moments.length

/** Keeps what was asked for last, as much as there is room for. */
export class KeptTails {
  readonly #most: number
  readonly #tails = new Map<string, KeptTail>()
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  /** What is kept for the conditions of a filter without times. */
  of(workspace: number, conditions: EventFilter): KeptTail {
    const key = `${workspace} ${JSON.stringify(conditions)}`
    const known = this.#tails.get(key)
    const tail = known ?? {
      key,
      blocks: new Map<number, TailBlock>(),
      turn: Semaphore.makeUnsafe(1),
      seen: { sequence: Number.MIN_SAFE_INTEGER, createdAt: 0 }
    }
    if (known === undefined) this.#size += TAIL_BYTES + 2 * key.length
    this.#tails.delete(key)
    this.#tails.set(key, tail)
    this.#makeRoom(0, tail)
    return tail
  }

  /** Keeps a block, if there is room for it beside the others of its filter. */
  set(tail: KeptTail, number: number, block: TailBlock): void {
    this.drop(tail, number)
    const size = sizeOf(block)
    this.#makeRoom(size, tail)
    if (this.#size + size > this.#most || this.#tails.get(tail.key) !== tail) return
    tail.blocks.set(number, block)
    this.#size += size
  }

  drop(tail: KeptTail, number: number): void {
    const block = tail.blocks.get(number)
    if (block === undefined) return
    tail.blocks.delete(number)
    this.#size -= sizeOf(block)
  }

  /** Drops the tails that were asked for longest ago, but for one. */
  #makeRoom(more: number, without: KeptTail): void {
    for (const tail of this.#tails.values()) {
      if (this.#size + more <= this.#most || tail === without) return
      for (const number of [...tail.blocks.keys()]) this.drop(tail, number)
      this.#tails.delete(tail.key)
      this.#size -= TAIL_BYTES + 2 * tail.key.length
    }
  }
}
