/**
 * What the search index compares: the UTF-8 bytes of folded text, and its four-byte grams. Bytes and not
 * characters, so that every script is searched in the same way: a text contains another exactly if its bytes
 * do, and three characters of Chinese have six grams.
 */
import { fold } from "../../event/EventFilter.ts"

/** Bytes of a gram. */
export const GRAM_BYTES = 4

/** What a signature has a bit for: each gram sets two of them. */
export const BUCKETS = 65_536

/**
 * Ends a field of an event, where a gram begins anew. No UTF-8 text has this byte, so no term crosses from
 * one field into the next.
 */
export const FIELD_END = 0xff

/**
 * The two buckets of a gram (Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970). 256
 * ordinary events have some 9,400 different grams: with one bucket each, 13 % of all signatures would have
 * the bucket of a gram that is not there, with two it is 6 %.
 */
export const firstBucket = (gram: number): number => Math.imul(gram, 0x9e3779b1) >>> 16
export const secondBucket = (gram: number): number => Math.imul(gram ^ (gram >>> 15), 0x85ebca6b) >>> 16

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
