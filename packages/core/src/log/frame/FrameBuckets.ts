/**
 * The buckets that a frame's signature has a bit for (Bloom, "Space/time trade-offs in hash coding with
 * allowable errors", 1970), of the four-byte grams of folded texts.
 *
 * Texts are compared as the bytes of their UTF-8 and not as characters, so that every script is searched in
 * the same way: a text contains another exactly if its bytes do, and three characters of Chinese have six
 * grams.
 */

/** Bytes of a gram. */
export const GRAM_BYTES = 4

/** Buckets of grams. */
export const GRAM_BUCKETS = 65_536

/**
 * The two buckets of a gram. 256 ordinary events have some 9,400 different grams: with one bucket each, 13 %
 * of all signatures would have the bucket of a gram that is not there, with two it is 6 %.
 */
export const firstBucket = (gram: number): number => Math.imul(gram, 0x9e3779b1) >>> 16
export const secondBucket = (gram: number): number => Math.imul(gram ^ (gram >>> 15), 0x85ebca6b) >>> 16
