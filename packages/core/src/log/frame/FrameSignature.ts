/** What tells of a frame, without reading it, that a term is not there: a bit for each bucket. */
import { firstBucket, GRAM_BUCKETS, GRAM_BYTES, secondBucket } from "./FrameBuckets.ts"
import type { TextEntry } from "./FrameTexts.ts"
import { FIELD_END } from "./SearchTerm.ts"

/** Bytes of a signature. */
export const GRAM_SIGNATURE_BYTES = GRAM_BUCKETS / 8

const setBit = (into: Uint8Array, bit: number): void => {
  into[bit >>> 3] = (into[bit >>> 3] ?? 0) | (1 << (bit & 7))
}

/** The signature of texts: the two bits of each gram within a field. Costs one pass over them. */
export const gramSignature = (entries: ReadonlyArray<TextEntry>): Uint8Array => {
  const signature = new Uint8Array(GRAM_SIGNATURE_BYTES)
  for (const { text } of entries) {
    let gram = 0
    let length = 0
    for (const byte of text) {
      if (byte === FIELD_END) {
        length = 0
        continue
      }
      gram = (gram << 8) | byte
      if (++length < GRAM_BYTES) continue
      setBit(signature, firstBucket(gram))
      setBit(signature, secondBucket(gram))
    }
  }
  return signature
}

/** The signature of no text. */
export const NO_GRAMS: Uint8Array = new Uint8Array(GRAM_SIGNATURE_BYTES)

const EVERY_GRAM = new Uint8Array(GRAM_SIGNATURE_BYTES).fill(0xff)

/** A signature as it is stored; of one that is cut short, that the frame may hold every term. */
export const wholeSignature = (signature: Uint8Array): Uint8Array =>
  signature.length === GRAM_SIGNATURE_BYTES ? signature : EVERY_GRAM

/** Whether a frame with this signature may hold what has these buckets; also if it is cut short. */
export const mayHold = (signature: Uint8Array, buckets: ReadonlyArray<number>): boolean =>
  buckets.every((bucket) => ((wholeSignature(signature)[bucket >>> 3] ?? 0) & (1 << (bucket & 7))) !== 0)
