/**
 * The signatures of grams of 64 consecutive frames turned on their side: for each bucket, which of the frames
 * have it, as 64 bits. A search for a term reads the cells of its buckets and nothing else, in parts of
 * half a KiB: of a million events some sixty small reads for each bucket, and not 32 MB.
 */
import { GRAM_BUCKETS } from "./FrameBuckets.ts"
import type { SearchTerm } from "./SearchTerm.ts"

/** Frames of a group. */
export const GROUP_FRAMES = 64
/** Buckets whose cells are stored together, and the number of such parts. */
const PART_BUCKETS = 64
export const GROUP_PARTS = GRAM_BUCKETS / PART_BUCKETS
const CELL_BYTES = GROUP_FRAMES / 8
/** Bytes of a part. */
export const PART_BYTES = PART_BUCKETS * CELL_BYTES

/** The part that has a bucket's cell. */
export const partOf = (bucket: number): number => Math.floor(bucket / PART_BUCKETS)

const hasBit = (bytes: Uint8Array, bit: number): boolean => ((bytes[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0

/** Where the bit of a frame stands in the part that has its bucket. */
const placeOf = (bucket: number, frame: number): number => (bucket % PART_BUCKETS) * GROUP_FRAMES + frame

/** Sets a frame's bits of a part to those of its signature, and leaves the other frames' as they are. */
export const setFrame = (into: Uint8Array, index: number, frame: number, signature: Uint8Array): void => {
  for (let bucket = index * PART_BUCKETS; bucket < (index + 1) * PART_BUCKETS; bucket++) {
    const place = placeOf(bucket, frame)
    const mask = 1 << (place & 7)
    const before = into[place >>> 3] ?? 0
    into[place >>> 3] = hasBit(signature, bucket) ? before | mask : before & ~mask
  }
}

/** The parts of a group, from the signatures of its frames in their order. */
export const groupParts = (signatures: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  const cells = new Uint8Array(GROUP_PARTS * PART_BYTES)
  signatures.forEach((signature, frame) => {
    const mask = 1 << (frame & 7)
    signature.forEach((bits, byte) => {
      for (let bit = 0, rest = bits; rest !== 0; bit++, rest >>>= 1) {
        if ((rest & 1) === 0) continue
        const place = (byte * 8 + bit) * CELL_BYTES + (frame >>> 3)
        cells[place] = (cells[place] ?? 0) | mask
      }
    })
  })
  return Array.from({ length: GROUP_PARTS }, (_, index) =>
    cells.subarray(index * PART_BYTES, (index + 1) * PART_BYTES)
  )
}

const EVERY_FRAME = new Uint8Array(PART_BYTES).fill(0xff)

/** A part as it is stored; of one that is missing or cut short, that every frame may hold every term. */
export const wholePart = (cells: Uint8Array | undefined): Uint8Array =>
  cells?.length === PART_BYTES ? cells : EVERY_FRAME

/** The parts that a term needs. */
export const partsOf = ({ buckets }: Pick<SearchTerm, "buckets">): ReadonlyArray<number> => [
  ...new Set(buckets.map(partOf))
]

/** The frames of a group that may hold a term, by the parts that it needs; all of them without a bucket. */
export const framesOf = (
  { buckets }: Pick<SearchTerm, "buckets">,
  part: (index: number) => Uint8Array
): ReadonlyArray<number> => {
  const frames: Array<number> = []
  for (let frame = 0; frame < GROUP_FRAMES; frame++) {
    if (buckets.every((bucket) => hasBit(part(partOf(bucket)), placeOf(bucket, frame)))) frames.push(frame)
  }
  return frames
}
