/** What a search looks for in frames: the UTF-8 bytes of its folded text, and their grams. */
import { fold } from "../../event/EventFilter.ts"
import { firstBucket, GRAM_BYTES, secondBucket } from "./FrameBuckets.ts"

/**
 * Ends a field of an event, where a gram begins anew. No UTF-8 text has this byte, so no term crosses from
 * one field into the next.
 */
export const FIELD_END = 0xff

/** Grams of a term that are looked up; more would not narrow it. */
const MOST_GRAMS = 12

/** A term, prepared for the index. */
export interface SearchTerm {
  /** The folded term. */
  readonly bytes: Uint8Array
  /** Of fewer than three characters: it is looked for in the newest events only. */
  readonly isShort: boolean
  /** The buckets that a signature must have; none where the term has no gram. */
  readonly buckets: ReadonlyArray<number>
}

const encoder = new TextEncoder()

/** The grams of a term, evenly picked where it has many. */
const gramsOf = (bytes: Uint8Array): ReadonlyArray<number> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const count = Math.max(0, bytes.length - GRAM_BYTES + 1)
  const picks = Math.min(count, MOST_GRAMS)
  return Array.from({ length: picks }, (_, pick) =>
    view.getInt32(picks === 1 ? 0 : Math.floor((pick * (count - 1)) / (picks - 1)))
  )
}

/** Prepares the text that somebody searches for. */
export const searchTerm = (search: string): SearchTerm => {
  const folded = fold(search)
  const bytes = encoder.encode(folded)
  const buckets = gramsOf(bytes).flatMap((gram) => [firstBucket(gram), secondBucket(gram)])
  return { bytes, isShort: Array.from(folded).length < 3, buckets: [...new Set(buckets)] }
}
