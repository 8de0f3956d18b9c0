/** What a search looks for in frames: the UTF-8 bytes of its folded texts, and their grams. */
import { fold, type OneOrSeveral, valuesOf } from "../../event/EventFilter.ts"
import { firstBucket, GRAM_BYTES, secondBucket } from "./FrameBuckets.ts"

/**
 * Ends a field of an event, where the next gram begins. No UTF-8 text has this byte, so no term crosses from
 * one field into the next.
 */
export const FIELD_END = 0xff

/** Grams of a text that are looked up, and of all texts together; more would not narrow the search. */
const MOST_GRAMS = 12
const MOST_GRAMS_TOGETHER = 48

/** A search, prepared for the index. */
export interface SearchTerm {
  /** The folded texts, the longest first; all of them are looked for. */
  readonly texts: ReadonlyArray<Uint8Array>
  /** All of fewer than three characters: they are looked for in the newest events only. */
  readonly isShort: boolean
  /** The buckets that a signature must have; none where no text has a gram. */
  readonly buckets: ReadonlyArray<number>
}

const encoder = new TextEncoder()

/** The grams of a text, evenly picked where it has many. */
const gramsOf = (bytes: Uint8Array, most: number): ReadonlyArray<number> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const count = Math.max(0, bytes.length - GRAM_BYTES + 1)
  const picks = Math.min(count, most)
  return Array.from({ length: picks }, (_, pick) =>
    view.getInt32(picks === 1 ? 0 : Math.floor((pick * (count - 1)) / (picks - 1)))
  )
}

/** Prepares the text, or the texts, that somebody searches for. */
export const searchTerm = (search: OneOrSeveral): SearchTerm => {
  const folded = valuesOf(search).map(fold)
  const most = Math.min(MOST_GRAMS, Math.floor(MOST_GRAMS_TOGETHER / Math.max(1, folded.length)))
  const texts = folded.map((text) => encoder.encode(text)).toSorted((one, other) => other.length - one.length)
  const grams = texts.flatMap((text) => gramsOf(text, most))
  const buckets = grams.flatMap((gram) => [firstBucket(gram), secondBucket(gram)])
  const isShort = folded.every((text) => Array.from(text).length < 3)
  return { texts, isShort, buckets: [...new Set(buckets)] }
}
