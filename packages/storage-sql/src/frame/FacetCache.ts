/**
 * Counts of groups that are complete, which change only when events are removed from them.
 *
 * They are kept by which are the first and the last event of the groups, and how many there are, as their
 * orders say: as removed events do not come back, these are the same only for the same events, also where
 * another process removed some. An order is written with the postings, in one transaction: reading the order
 * first and the postings second never stores counts from before a removal under the order from after it.
 */
import { type FacetField, type FacetPart, type FacetTally, sizeOfPart } from "@cairn/core/log"
import { Context } from "effect"
import type { GroupSpan } from "./OccurrenceStore.ts"

/** What may be kept, in bytes; none in tests of what is read. */
export const FacetCacheBytes = Context.Reference<number>("@cairn/storage-sql/FacetCacheBytes", {
  defaultValue: () => 48 * 1024 * 1024
})

/** What is kept of groups. */
export interface KeptFacets {
  readonly tally: FacetTally
  /** How many events were counted. */
  readonly events: number
  /** The first of the groups that were counted begins with this sequence. */
  readonly from: number
}

/** What something that is kept takes beside the values, in bytes. */
const KEPT_BYTES = 2_048

const sizeOf = (key: string, tally: FacetTally): number => tally.size + 2 * key.length + KEPT_BYTES

/** Keeps what was asked for last, as much as there is room for. */
export class FacetCache {
  readonly #most: number
  readonly #kept = new Map<string, KeptFacets>()
  readonly #uses = new Map<FacetPart, number>()
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): KeptFacets | undefined {
    const found = this.#kept.get(key)
    if (found === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found
  }

  set(key: string, kept: KeptFacets): void {
    this.#drop(key)
    this.#kept.set(key, kept)
    const { tally } = kept
    this.#size += sizeOf(key, tally)
    for (const part of tally.parts) this.#use(part, 1)
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#most) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key)
    if (kept === undefined) return
    const { tally } = kept
    this.#kept.delete(key)
    this.#size -= sizeOf(key, tally)
    for (const part of tally.parts) this.#use(part, -1)
  }

  /** A part counts once, however many have it. */
  #use(part: FacetPart, more: 1 | -1): void {
    const before = this.#uses.get(part) ?? 0
    if (before + more === 0) this.#uses.delete(part)
    else this.#uses.set(part, before + more)
    if (before === 0 || before + more === 0) this.#size += more * sizeOfPart(part)
  }
}

/**
 * Names the counts of a field in some consecutive groups, the newest first, of all their events or of those
 * that a filter selects.
 */
export const cacheKey = (
  workspace: number,
  field: FacetField,
  conditions: string | undefined,
  spans: ReadonlyArray<Pick<GroupSpan, "first" | "last" | "events">>
): string => {
  const events = spans.reduce((sum, span) => sum + span.events, 0)
  return [workspace, field, spans.at(-1)?.first, spans[0]?.last, events, conditions ?? ""].join(" ")
}
